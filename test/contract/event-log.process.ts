import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ChildTask, ChildWord } from './event-log.child.ts';
import { eventually, type LogTwin } from './event-log.support.ts';

export interface LogProcess {
  words: ChildWord[];
  /** Resolves with the first word of this kind, from the beginning. */
  said: <K extends ChildWord['said']>(said: K) => Promise<Extract<ChildWord, { said: K }>>;
  /** Lets the child go on where it waits. */
  goOn: () => void;
  signal: (signal: NodeJS.Signals) => void;
  /** Kills it without warning and resolves when it is gone. */
  kill9: () => Promise<void>;
}

/** A second process on the same log. */
export function startLogProcess(twin: LogTwin, task: ChildTask): LogProcess {
  const { module, connection } = twin.elsewhere;
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=TimeoutNegativeWarning',
      join(import.meta.dirname, 'event-log.child.ts'),
      module,
      connection,
      JSON.stringify(task),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const words: ChildWord[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => words.push(JSON.parse(line) as ChildWord));
  // A child that was killed has closed its end; the last line to it is lost, which is what the test wants.
  child.stdin.on('error', () => undefined);
  const find = <K extends ChildWord['said']>(said: K): Extract<ChildWord, { said: K }> | undefined =>
    words.find((word): word is Extract<ChildWord, { said: K }> => word.said === said);
  return {
    words,
    said: async (said) => {
      await eventually(
        `the child says ${said}`,
        () => {
          if (find(said) === undefined && child.exitCode !== null && child.exitCode !== 0) {
            throw new Error(`the child ended with ${child.exitCode} before it said ${said}`);
          }
          return find(said) !== undefined;
        },
        60_000,
      );
      const word = find(said);
      if (word === undefined) throw new Error('unreachable: the condition found it');
      return word;
    },
    goOn: () => void child.stdin.write('\n'),
    signal: (signal) => void child.kill(signal),
    kill9: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
