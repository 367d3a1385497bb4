import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { pause } from '../../services/runtime/clock.ts';
import { freePorts } from './free-ports.ts';
import { within } from './within.ts';

export interface RedisServer {
  url: string;
  /** Ends the process; what it held is gone, because nothing is kept on disk. */
  kill: () => Promise<void>;
  /** Starts it again on the same port, empty. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Null where a Redis server is installed, else the words for skipping (Debian: `apt-get install redis-server`). */
export const why_no_redis =
  spawnSync('redis-server', ['--version']).status === 0 ? null : 'no redis-server is installed here';

export async function startRedis(): Promise<RedisServer> {
  const [port = 0] = await freePorts(1);
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    const running = child;
    child = null;
    if (running === null) return;
    const exited = new Promise<void>((done) => running.once('exit', () => done()));
    running.kill('SIGKILL');
    await exited;
  };
  const start = async (): Promise<void> => {
    const parameters = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const running = spawn('redis-server', parameters, { stdio: 'ignore' });
    child = running;
    const answering = async (): Promise<void> => {
      while (!(await answers(port))) {
        if (running.exitCode !== null) throw new Error('redis-server ended before it answered');
        await pause(10);
      }
    };
    await within('redis-server answers', answering());
  };
  await start();
  return { url: `redis://127.0.0.1:${port}`, kill, start, stop: kill };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
