import type { EventLog } from '../../services/log/event-log.ts';
import { createKafkaLog } from '../../services/log/kafka/kafka-log.ts';
import { readConfig } from '../../services/runtime/config.ts';

/** Opens the twin on Kafka from its brokers, in whatever process. Sessions are short, so that tests do not wait for dead members. */
export function openTwin(brokers: string): Promise<EventLog> {
  return createKafkaLog({ ...readConfig({ KAFKA_SESSION_MS: '3000' }), KAFKA_BROKERS: brokers });
}
