import { pause } from '../../runtime/clock.ts';
import { HailmarkError, isHailmarkError } from '../../runtime/errors.ts';

/** Kafka's error names (https://kafka.apache.org/protocol#protocol_error_codes) that no waiting mends. */
const refused = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'POLICY_VIOLATION',
  'INVALID_REPLICATION_FACTOR',
  'INVALID_CONFIG',
]);
const fenced = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'TRANSACTION_COORDINATOR_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
]);
const too_large = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** Kafka's failures as errors of the catalogue; what is no failure of Kafka's is returned as it is. */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error) || isHailmarkError(error)) return error;
  const type = typeOf(error);
  if (fenced.has(type)) {
    return new HailmarkError(
      'HAIL_OWNERSHIP_LOST',
      'Another process owns what this one appended for, so Kafka refused the append.',
      { cause: error },
    );
  }
  if (too_large.has(type)) {
    return new HailmarkError('HAIL_MESSAGE_TOO_LARGE', "A message is over Kafka's limit for its topic.", {
      cause: error,
    });
  }
  if (refused.has(type) || hasName(error, 'KafkaJSSASLAuthenticationError')) {
    return new HailmarkError(
      'HAIL_CONFIG',
      `Kafka refuses this client (${type === '' ? 'authentication' : type}): check KAFKA_SASL_*, KAFKA_TLS_*, KAFKA_REPLICATION and what ` +
        'the broker allows this user.',
      { cause: error },
    );
  }
  if (!error.name.startsWith('KafkaJS')) return error;
  return new HailmarkError(
    'HAIL_LOG_UNAVAILABLE',
    `Apache Kafka does not answer, or not yet (${type === '' ? connectionProblem(error) : type}).`,
    { cause: error },
  );
}

/** Runs work against Kafka with its failures as the catalogue's. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

/** Errors of a broker that has just started, or has just taken a partition or a group over. */
const starting = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'NOT_COORDINATOR',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
]);
const starting_ms = 10_000;

/** The same for a question that may be repeated: a broker that is still starting is waited for, briefly. */
export async function guardedQuestion<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + starting_ms;
  for (;;) {
    try {
      return await guarded(work);
    } catch (error) {
      if (!starting.has(typeOf(error)) || performance.now() > until) throw error;
      await pause(100);
    }
  }
}

/** Kafka's name of a protocol error, also where the client wrapped it; empty for any other failure. */
export function typeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('type' in at && typeof at.type === 'string') return at.type;
  }
  return '';
}

/** What a person can act on: a refused connection, a certificate that is not trusted. */
function connectionProblem(error: Error): string {
  let at = error;
  while (at.cause instanceof Error) at = at.cause;
  return at.message;
}

function hasName(error: unknown, name: string): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at.name === name) return true;
  return false;
}
