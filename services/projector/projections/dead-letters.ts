import type { DeadLetterFact } from '../../log/facts.ts';
import { isInstant } from '../../hail/validate-observation.ts';
import { topics } from '../../log/topics.ts';
import { deadLetterColumns, deadLetterValues, type DeadLetterRow } from '../../store/dead_letters/row.ts';
import { tableName } from '../../store/projections.ts';
import type { Projection, TableRows } from '../projection.ts';

/** A letter may carry a message of some megabytes, of which a row keeps only the size. */
const batch_bytes = 32 * 1024 * 1024;

/** What stands in a broken message of these topics, key and error text included, might be a partner's secret. */
const silent_topics: readonly string[] = [topics.api_key.name, topics.api_request.name];

/**
 * `hail.dead-letter.v1` → `dead_letters`, a row a letter, for operators and analysts: the projector itself, which must know a letter before it
 * reads on, keeps its own book of the topic.
 */
export function deadLettersProjection(version: number): Projection<DeadLetterRow, TableRows> {
  return {
    name: 'dead-letters',
    version,
    topics: [topics.dead_letter.name],
    largest_batch_bytes: { [topics.dead_letter.name]: batch_bytes },
    schema_files: ['0020_dead_letters'],
    compared: [{ table: 'dead_letters', place: "concat(topic, '/', toString(log_partition))" }],
    project: (_topic, fact, _key, { offset }) => {
      const letter = fact as DeadLetterFact;
      if (!isPlace(letter)) return { outcome: 'drop', reason: 'no-place' };
      const is_silent = silent_topics.includes(letter.topic);
      return {
        outcome: 'ok',
        change: {
          topic: letter.topic,
          log_partition: letter.partition,
          log_offset: letter.offset,
          revision: offset,
          state: letter.state,
          message_key: is_silent ? '' : letter.key,
          reason: letter.reason,
          error: is_silent ? '' : letter.error,
          said_by: letter.at,
          said_at: letter.failed_at,
          message_bytes: letter.value?.length ?? null,
        },
      };
    },
    batch: (changes) => ({
      cells: null,
      rows: {
        table: tableName('dead_letters', version),
        columns: deadLetterColumns,
        rows: changes.map(deadLetterValues),
      },
      others: [],
    }),
  };
}

/** A letter about no message is none, and never gets a letter itself: it would carry the first one's bytes past what a message may hold. */
function isPlace({ topic, partition, offset, failed_at }: DeadLetterFact): boolean {
  return (
    topic !== '' &&
    Number.isInteger(partition) &&
    partition >= 0 &&
    partition < 65_536 &&
    Number.isSafeInteger(offset) &&
    offset >= 0 &&
    isInstant(failed_at)
  );
}
