import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HailmarkError } from '../../../services/runtime/errors.ts';

const run = promisify(execFile);
const pom = join(import.meta.dirname, 'pom.xml');

/** The oldest Java that this Kafka runs on. */
const java_version = 17;

/** What is missing on this machine for running Apache Kafka, in words; null where nothing is. */
export async function missingForKafka(): Promise<string | null> {
  const java = await run('java', ['-version']).then(
    ({ stderr }) => Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0),
    () => 0,
  );
  if (java < java_version) return `Java ${java_version} or newer (the command java)`;
  if (existsSync(folder())) return null;
  const maven = await run('mvn', ['--version']).then(
    () => true,
    () => false,
  );
  return maven ? null : 'Maven (the command mvn), which fetches the jars of Apache Kafka';
}

/**
 * The folder of Apache Kafka's jars, fetched at the first call (54 MB) and kept beside the POM, under the POM's hash. Several processes may
 * ask at once: each fetches into a folder of its own, and the first to finish gives its folder the name.
 */
export async function kafkaJars(onFetch: () => void = () => undefined): Promise<string> {
  const jars = folder();
  if (existsSync(jars)) return jars;
  const missing = await missingForKafka();
  if (missing !== null)
    throw new HailmarkError(
      'HAIL_NOT_STARTED',
      `Apache Kafka needs ${missing}: install it, then start again.`,
    );
  onFetch();
  const fetched = `${jars}.${randomUUID()}`;
  mkdirSync(fetched, { recursive: true });
  try {
    await run(
      'mvn',
      ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${fetched}`],
      {
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    if (!existsSync(jars)) renameSync(fetched, jars);
    return jars;
  } catch (error) {
    if (existsSync(jars)) return jars;
    throw new HailmarkError('HAIL_NOT_STARTED', 'Maven could not fetch the jars of Apache Kafka.', {
      cause: error,
    });
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
}

function folder(): string {
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  return join(import.meta.dirname, 'target', `jars-${version}`);
}
