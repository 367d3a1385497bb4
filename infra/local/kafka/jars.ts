import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { hasMaven, jarsFolder, jarsOf } from '../maven.ts';

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
  if (existsSync(jarsFolder(pom)) || (await hasMaven())) return null;
  return 'Maven (the command mvn), which fetches the jars of Apache Kafka';
}

/** The folder of Apache Kafka's jars, fetched at the first call (54 MB) and kept beside the POM. */
export async function kafkaJars(onFetch: () => void = () => undefined): Promise<string> {
  if (existsSync(jarsFolder(pom))) return jarsFolder(pom);
  const missing = await missingForKafka();
  if (missing !== null)
    throw new HailmarkError(
      'HAIL_NOT_STARTED',
      `Apache Kafka needs ${missing}: install it, then start again.`,
    );
  onFetch();
  return jarsOf(pom).catch((error: unknown) => {
    throw new HailmarkError('HAIL_NOT_STARTED', 'Maven could not fetch the jars of Apache Kafka.', {
      cause: error,
    });
  });
}
