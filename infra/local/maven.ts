import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Not told otherwise, Maven waits half an hour for a repository that stalls, does not ask it again, and remembers for a day that it failed
 * (`-U` asks all the same). What a try has fetched, the next one has.
 */
const silence_ms = 60_000;
const try_ms = 300_000;
const tries = 3;

export async function hasMaven(): Promise<boolean> {
  return run('mvn', ['--version']).then(
    () => true,
    () => false,
  );
}

/** Where the jars of a POM are kept: beside it, under its hash, so that a changed POM finds none. */
export function jarsFolder(pom: string): string {
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  return join(dirname(pom), 'target', `jars-${version}`);
}

/**
 * The folder of a POM's jars, fetched by Maven at the first call. Several processes may ask at once: each fetches into a folder of its own,
 * and the first to finish gives its folder the name.
 */
export async function jarsOf(pom: string): Promise<string> {
  const jars = jarsFolder(pom);
  if (existsSync(jars)) return jars;
  const fetched = `${jars}.${randomUUID()}`;
  mkdirSync(fetched, { recursive: true });
  try {
    await fetchInto(fetched, pom, tries);
    if (!existsSync(jars)) renameSync(fetched, jars);
    return jars;
  } catch (error) {
    if (existsSync(jars)) return jars;
    throw error;
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
}

async function fetchInto(folder: string, pom: string, tries_left: number): Promise<void> {
  const words = ['-q', '-B', '-U', '-f', pom, `-Dmaven.wagon.rto=${silence_ms}`];
  try {
    await run('mvn', [...words, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`], {
      maxBuffer: 64 * 1024 * 1024,
      timeout: try_ms,
    });
  } catch (error) {
    if (tries_left <= 1) throw error;
    await fetchInto(folder, pom, tries_left - 1);
  }
}
