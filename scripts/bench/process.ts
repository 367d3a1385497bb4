import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { HailmarkError } from '../../services/runtime/errors.ts';

const project = resolve(import.meta.dirname, '../..');
/** As `npm start` gives most of them. */
const usual_heap = { young_mb: 4, old_mb: 256 };

export interface BenchProcess {
  pid: number;
  /** The line that says that it is ready. */
  ready: Promise<Record<string, unknown>>;
  /** Rejects with its last words when it ends before it is told to. */
  failure: Promise<never>;
  stop: () => Promise<void>;
}

/** One process of the service, as `npm start` would start it. */
export function startProcess(
  main: string,
  env: Readonly<Record<string, string>>,
  heap = usual_heap,
): BenchProcess {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      `--max-semi-space-size=${heap.young_mb}`,
      `--max-old-space-size=${heap.old_mb}`,
      join(project, main),
    ],
    { env: { ...env, HAILMARK_STOP_WITH_PARENT: '1' }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const ready = Promise.withResolvers<Record<string, unknown>>();
  const failing = Promise.withResolvers<never>();
  failing.promise.catch(() => undefined);
  let words = '';
  let stopping = false;
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (text) => {
      words = text;
      if (!text.startsWith('{')) return;
      const line = JSON.parse(text) as Record<string, unknown>;
      if (line['msg'] === 'ready') ready.resolve(line);
    });
  }
  const exited = new Promise<void>((done) => child.once('close', () => done()));
  void exited.then(() => {
    if (!stopping) failing.reject(new HailmarkError('HAIL_NOT_STARTED', `${main} ended: ${words}`));
  });
  return {
    pid: child.pid ?? 0,
    ready: Promise.race([ready.promise, failing.promise]),
    failure: failing.promise,
    stop: async () => {
      stopping = true;
      child.kill('SIGTERM');
      await exited;
    },
  };
}
