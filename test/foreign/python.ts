import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What each kind of foreign client needs, pinned: those of topics and the API, and those of an analyst's data frames. */
export const requirement_files = ['requirements.txt', 'requirements-analysts.txt'] as const;

/** A registry that does not answer must not hold up what asks for it for ever. */
const fetch_ms = 600_000;

/** Why Python cannot be used here, in words; false where it can. */
export async function pythonIsMissing(): Promise<string | false> {
  return run('python3', ['-m', 'venv', '--help']).then(
    () => false,
    () => 'needs Python 3 with venv (the command python3)',
  );
}

/** The interpreter of an environment with the pinned packages, made at the first call and kept under their hash. */
export async function pythonWithPackages(
  file: (typeof requirement_files)[number] = 'requirements.txt',
): Promise<string> {
  const requirements = join(import.meta.dirname, file);
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const home = join(import.meta.dirname, 'target', `venv-${hash}`);
  const python = join(home, 'bin', 'python');
  if (existsSync(python)) return python;
  const made = `${home}.${randomUUID()}`;
  await run('python3', ['-m', 'venv', made], { timeout: fetch_ms });
  await run(join(made, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '-r', requirements], {
    maxBuffer: 64 * 1024 * 1024,
    timeout: fetch_ms,
  });
  if (existsSync(python)) rmSync(made, { recursive: true, force: true });
  else renameSync(made, home);
  return python;
}
