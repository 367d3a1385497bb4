import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { any_ops_ports } from './free-ports.ts';
import { within } from './within.ts';

export interface Ended {
  exit_code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  /** The whole lines of stdout. */
  lines: string[];
  stderr: string;
}

/** Starts a script of scripts/ as a process of its own. */
export function startScript(
  name: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): { child: ChildProcessWithoutNullStreams; ended: Promise<Ended> } {
  const child = spawn(
    process.execPath,
    [
      // As npm runs it.
      '--import',
      join(import.meta.dirname, '../../scripts/require-node.mjs'),
      join(import.meta.dirname, `../../scripts/${name}.ts`),
      ...words,
    ],
    { env: { ...process.env, ...any_ops_ports, ...environment } },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((done) =>
    child.once('close', (exit_code, signal) =>
      done({ exit_code, signal, stdout, lines: stdout.split('\n').slice(0, -1), stderr }),
    ),
  );
  return { child, ended };
}

/** Runs a script to its end. */
export function runScript(
  name: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const { child, ended } = startScript(name, words, environment);
  return within(`${name} ${words.join(' ')} ends`, ended).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
}

export function temporaryDataFolder(): { folder: string; stop: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'hailmark-script-'));
  return { folder, stop: () => rmSync(folder, { recursive: true, force: true }) };
}
