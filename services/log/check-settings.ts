import { refusalsOf, type SettingsCheck } from '../runtime/check-config.ts';
import { pem, saslOf, tlsOf } from './kafka/connection.ts';

const files = ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'] as const;

/** What the log refuses of its settings: those of Kafka, which count where there are brokers. */
export const logSettings: SettingsCheck = (config) => {
  const { KAFKA_BROKERS, ...others } = config;
  if (KAFKA_BROKERS === undefined) return [];
  const settings = { ...others, KAFKA_BROKERS };
  const tls = config.KAFKA_TLS === 'true';
  return refusalsOf([
    () => saslOf(settings),
    ...(tls ? [() => tlsOf(settings)] : []),
    ...(tls ? files.map((file) => () => pem(file, config[file])) : []),
  ]);
};
