import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { Kafka, logLevel, type KafkaConfig, type SASLOptions } from 'kafkajs';
import type { Config } from '../../runtime/config.ts';
import { HailmarkError, systemCode } from '../../runtime/errors.ts';
import { waitForFirstAnswers } from './inner.ts';

export type KafkaSettings = Pick<
  Config,
  | 'KAFKA_SASL_MECHANISM'
  | 'KAFKA_SASL_USERNAME'
  | 'KAFKA_SASL_PASSWORD'
  | 'KAFKA_TLS'
  | 'KAFKA_TLS_CA_FILE'
  | 'KAFKA_TLS_CERT_FILE'
  | 'KAFKA_TLS_KEY_FILE'
  | 'KAFKA_REPLICATION'
  | 'KAFKA_SESSION_MS'
> & { KAFKA_BROKERS: string };

/** A few tries in a few seconds: whoever waits longer is the caller, who says so and can be told to stop. */
const retry = { retries: 4, initialRetryTime: 100, maxRetryTime: 1_000 } as const;

/** The client of one process, by configuration. Nothing is connected yet. */
export function createKafkaClient(settings: KafkaSettings): Kafka {
  const sasl = saslOf(settings);
  const options: KafkaConfig = {
    brokers: settings.KAFKA_BROKERS.split(','),
    clientId: `hailmark-${hostname()}-${process.pid}`,
    connectionTimeout: 3_000,
    authenticationTimeout: 10_000,
    retry,
    // Errors are thrown, and whoever catches them decides what is worth a line.
    logLevel: logLevel.NOTHING,
    ...(settings.KAFKA_TLS === 'true' ? { ssl: tlsOf(settings) } : {}),
    ...(sasl === null ? {} : { sasl }),
  };
  return waitForFirstAnswers(new Kafka(options));
}

/** How the brokers are to know this client; null where nothing is said. Throws `HAIL_CONFIG`. */
export function saslOf(settings: KafkaSettings): SASLOptions | null {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = settings;
  if (mechanism === undefined && username === undefined && password === undefined) return null;
  if (mechanism === undefined || username === undefined || password === undefined) {
    throw new HailmarkError(
      'HAIL_CONFIG',
      'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD belong together: set all three or none.',
    );
  }
  switch (mechanism) {
    case 'plain':
      return { mechanism, username, password };
    case 'scram-sha-256':
      return { mechanism, username, password };
    case 'scram-sha-512':
      return { mechanism, username, password };
  }
}

/** The files of an encrypted connection, read. Throws `HAIL_CONFIG`. */
export function tlsOf(settings: KafkaSettings): ConnectionOptions {
  const { KAFKA_TLS_CA_FILE: ca, KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key } = settings;
  if ((cert === undefined) !== (key === undefined)) {
    throw new HailmarkError(
      'HAIL_CONFIG',
      'KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE belong together: set both or none.',
    );
  }
  return {
    ca: pem('KAFKA_TLS_CA_FILE', ca),
    cert: pem('KAFKA_TLS_CERT_FILE', cert),
    key: pem('KAFKA_TLS_KEY_FILE', key),
  };
}

export function pem(setting: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new HailmarkError(
      'HAIL_CONFIG',
      `${setting}: the file cannot be read (${systemCode(error) ?? 'unknown cause'}).`,
      {
        cause: error,
      },
    );
  }
}
