import { execFile, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pause } from '../../../services/runtime/clock.ts';
import { dataFolder } from '../../../services/runtime/config.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { kafkaJars } from './jars.ts';

const run = promisify(execFile);
const host = '127.0.0.1';
/** A broker that starts after a kill first reads its logs again. */
const start_ms = 60_000;
const heap = ['-Xms256m', '-Xmx512m', '-XX:+UseG1GC', '-XX:TieredStopAtLevel=1'];

export interface BrokerOptions {
  /** Where the broker keeps its data; a second start on the same folder goes on with it. */
  folder: string;
  port: number;
  controller_port: number;
  /** Settings of server.properties beyond those of a single broker. */
  settings?: Readonly<Record<string, string>>;
  onFetch?: () => void;
}

export interface Broker {
  /** For `KAFKA_BROKERS`. */
  address: string;
  pid: number;
  /** Resolves when the process is gone, with its last words where it went by itself. */
  exited: Promise<string>;
  kill9: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Runs Apache Kafka as one broker that is its own controller (KRaft), and resolves when it takes connections. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const jars = await kafkaJars(options.onFetch);
  const folder = dataFolder(resolve(options.folder));
  const properties = join(folder, 'server.properties');
  writeFileSync(properties, propertiesOf(options, join(folder, 'data')));
  const java = [
    ...heap,
    `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.properties')}`,
    '-cp',
    join(jars, '*'),
  ];
  if (!existsSync(join(folder, 'data', 'meta.properties'))) {
    // Any cluster id of 22 characters will do: the log's own identity is kept in the log.
    const format = ['format', '--standalone', '-t', 'hailmark-local-kafka-0', '-c', properties];
    await run('java', [...java, 'kafka.tools.StorageTool', ...format]);
  }
  // A group of its own: an interrupt at the keyboard reaches the caller, which stops the broker after its clients.
  const child = spawn('java', [...java, 'kafka.Kafka', properties], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-4_000)));
  const exited = new Promise<string>((done) => child.once('close', () => done(words)));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  await listening(options.port, exited).catch(async (error: unknown) => {
    await end('SIGKILL');
    throw error;
  });
  return {
    address: `${host}:${options.port}`,
    pid: child.pid ?? 0,
    exited,
    kill9: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** One node: everything that would be kept three times is kept once. */
function propertiesOf({ port, controller_port, settings }: BrokerOptions, data: string): string {
  const all: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.bootstrap.servers': `${host}:${controller_port}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://${host}:${port},CONTROLLER://${host}:${controller_port}`,
    'advertised.listeners': `PLAINTEXT://${host}:${port}`,
    'log.dirs': data,
    'auto.create.topics.enable': 'false',
    'default.replication.factor': '1',
    'min.insync.replicas': '1',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '3',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '3',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

async function listening(port: number, exited: Promise<string>): Promise<void> {
  const gone = new AbortController();
  let words: string | undefined;
  void exited.then((last) => {
    words = last;
    gone.abort();
  });
  const until = performance.now() + start_ms;
  while (!(await accepts(port))) {
    if (words !== undefined || performance.now() > until) {
      throw new HailmarkError(
        'HAIL_NOT_STARTED',
        `Apache Kafka did not start${words === undefined ? ` within ${start_ms / 1_000} seconds` : `: ${lastWords(words)}`}.`,
      );
    }
    await pause(50, gone.signal);
  }
}

/** The broker's own reason: the last line that is an error's, without the lines of its stack. */
function lastWords(words: string): string {
  const lines = words.trim().split('\n');
  return (lines.findLast((line) => / (ERROR|FATAL) /.test(line)) ?? lines.at(-1) ?? 'it said nothing').trim();
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = createConnection({ host, port });
    const settle = (open: boolean): void => {
      socket.destroy();
      done(open);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
