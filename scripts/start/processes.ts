import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pause } from '../../services/runtime/clock.ts';
import { isDiskFull } from '../../services/runtime/disk.ts';

export interface ProcessSpec {
  name: string;
  /** The process's main, relative to the project. */
  main: string;
  env: Readonly<Record<string, string>>;
  /** Sizes of its heap: V8 left alone on a large machine lets garbage stand until a process is twice what it needs. */
  heap: { young_mb: number; old_mb: number };
  /** How long it may take to stop; longer than the process allows itself. */
  grace_ms: number;
}

export interface Supervisor {
  start: (spec: ProcessSpec) => void;
  /** The process id of a running child. */
  pid: (name: string) => number | undefined;
  /** Stops everything in reverse order of its start, one after another: what a process still answers may need those that were started before it. */
  stop: () => Promise<void>;
}

interface Supervised {
  spec: ProcessSpec;
  child: ChildProcess;
  exited: Promise<void>;
}

/**
 * Runs the service's processes as children. Their log lines go to one file each; a child that was killed is started again, because every
 * process of the service may be killed at any time and go on from where it stood; a child that ends by itself with an error has said
 * why, and `onFailure` gets its words.
 */
export function createSupervisor(options: {
  project: string;
  log_folder: string;
  onLine: (name: string, line: Record<string, unknown>) => void;
  onFailure: (name: string, words: string) => void;
  onRestart: (name: string) => void;
}): Supervisor {
  const running: Supervised[] = [];
  let stopping = false;

  const launch = (spec: ProcessSpec): Supervised => {
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        // kafkajs arms timers that are due already; Node runs them and says so each time.
        '--disable-warning=TimeoutNegativeWarning',
        `--max-semi-space-size=${spec.heap.young_mb}`,
        `--max-old-space-size=${spec.heap.old_mb}`,
        join(options.project, spec.main),
      ],
      {
        cwd: options.project,
        env: { ...process.env, ...spec.env, HAILMARK_STOP_WITH_PARENT: '1' },
        // Its own process group: an interrupt at the keyboard reaches this process only, which stops the others in order.
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    const file = openLineFile(join(options.log_folder, `${spec.name}.log`));
    const last_words = follow(child, file, (line) => options.onLine(spec.name, line));
    const supervised: Supervised = { spec, child, exited: exitOf(child) };
    void supervised.exited.then(() => {
      file.close();
      running.splice(running.indexOf(supervised), 1);
      if (stopping) return;
      if (child.signalCode !== null) {
        options.onRestart(spec.name);
        running.push(launch(spec));
      } else {
        options.onFailure(spec.name, last_words());
      }
    });
    return supervised;
  };

  return {
    start: (spec) => void running.push(launch(spec)),
    pid: (name) => running.find(({ spec }) => spec.name === name)?.child.pid,
    async stop() {
      stopping = true;
      for (const { spec, child, exited } of running.toReversed()) {
        child.kill('SIGTERM');
        await Promise.race([exited, pause(spec.grace_ms)]);
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
        await exited;
      }
    },
  };
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('close', () => resolve()));
}

interface LineFile {
  write: (line: string) => void;
  close: () => void;
}

/**
 * A stream would end for good at the first line that a full disk refuses, and take this process with it. Lines that find no room are lost,
 * and how many is the first thing that is written once there is some.
 */
function openLineFile(path: string): LineFile {
  const file = openSync(path, 'a');
  let lost = 0;
  const put = (line: string): void => void writeSync(file, `${line}\n`);
  return {
    write: (line) => {
      try {
        if (lost > 0) put(JSON.stringify({ level: 40, lost, msg: 'lines found no room on the disk' }));
        lost = 0;
        put(line);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        lost += 1;
      }
    },
    close: () => closeSync(file),
  };
}

/** Copies both streams to the file, hands parsed log lines on, and remembers the last words on standard error. */
function follow(
  child: ChildProcess,
  file: LineFile,
  onLine: (line: Record<string, unknown>) => void,
): () => string {
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (text) => {
      file.write(text);
      const line = parsed(text);
      if (line !== null) onLine(line);
      else if (stream === child.stderr) words.splice(0, words.length - 4, text);
    });
  }
  return () => words.at(-1) ?? '';
}

function parsed(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
