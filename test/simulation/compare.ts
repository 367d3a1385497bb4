import type { RecordFact } from '../../services/log/facts.ts';
import { partitionOf } from '../../services/log/partition.ts';
import type { MemoryLog } from '../support/memory-log.ts';
import type { MemoryCodec } from './codec.ts';
import type { LetterBook } from './letters.ts';
import type { Side, Stream } from './side.ts';
import { textOf as columnText, type Row, type Tables } from './tables.ts';

/** How records stand, as texts that compare: live rows, or one set aside with its reason; more where there are ghosts. */
export type Standings = Map<string, string[]>;

/** What a version's tables show of each record of a side, with which message it is from. */
export function shown(tables: Tables, { publisher, rowText }: Side, version: number): Standings {
  const found: Standings = new Map();
  const put = (record_key: unknown, text: string): void => {
    const before = found.get(String(record_key)) ?? [];
    found.set(String(record_key), [...before, text].sort());
  };
  const own = (table: string): Row[] => tables.final(table).filter((row) => row['publisher'] === publisher);
  for (const row of own(`observations_v${version}`))
    put(row['record_key'], `${rowText(row)} @${Number(row['revision'])}`);
  for (const { record_key, reason, revision } of own(`set_aside_v${version}`))
    put(record_key, `set aside, ${columnText(reason)} @${Number(revision)}`);
  return found;
}

export interface Compared {
  /** What does not agree, as sentences. */
  differences: string[];
  /** Records with a newer message that is dead and waited for: the tables rightly show the one before. */
  excepted: string[];
  /**
   * Of those, the ones that a version shows as a dead message says: it was repaired, and projected by one process, while another that had
   * found it dead was about to write its letter. The versions differ until an operator decides about the letter.
   */
  raced: string[];
}

interface Parts {
  tables: Tables;
  log: MemoryLog;
  codec: MemoryCodec;
  letters: LetterBook;
}

/** Holds the tables of some versions against one another, against the log and against the publishers. */
export function compare(parts: Parts & { sides: readonly Side[] }, versions: readonly number[]): Compared {
  const compared: Compared = { differences: [], excepted: [], raced: [] };
  for (const side of parts.sides) compareSide(parts, side, versions, compared);
  return compared;
}

function compareSide(parts: Parts, side: Side, versions: readonly number[], compared: Compared): void {
  const truth = side.truth();
  const tables_shown = versions.map((version) => ({ version, of: shown(parts.tables, side, version) }));
  const keys = new Set([...side.record_keys, ...tables_shown.flatMap(({ of }) => [...of.keys()])]);
  for (const record_key of keys) {
    const { newest, is_waited_for } = newestValid(parts, side, record_key);
    const of_log =
      newest === null ? [] : side.factTexts(newest.fact).map((text) => `${text} @${newest.offset}`);
    for (const { version, of } of tables_shown) {
      const row = of.get(record_key) ?? [];
      if (row.join() === of_log.join()) continue;
      if (is_waited_for && isOfDeadMessage(parts.letters, side, record_key, row))
        compared.raced.push(record_key);
      else
        compared.differences.push(
          `record ${record_key}: the log says ${list(of_log)}, version ${version} shows ${list(row)}`,
        );
    }
    if (is_waited_for) {
      compared.excepted.push(record_key);
      continue;
    }
    const of_truth = truth.get(record_key) ?? [];
    const without_revision = of_log.map((text) => text.replace(/ @\d+$/, ''));
    if (of_truth.join() !== without_revision.join())
      compared.differences.push(
        `record ${record_key}: the publisher says ${list(of_truth)}, the log says ${list(of_log)}`,
      );
  }
}

/** True where the rows are of a message that has a letter by now, or where it has taken away what stood. */
function isOfDeadMessage(
  letters: LetterBook,
  side: Side,
  record_key: string,
  rows: readonly string[],
): boolean {
  const { topic, partition } = streamOf(side, record_key);
  return rows.every((row) => letters.stateOf(topic, partition, Number(row.split('@')[1])) !== null);
}

interface Found {
  fact: RecordFact;
  offset: number;
}

/** The newest message that counts, decodable and without a letter, and whether a newer one is dead and nobody has given it up. */
function newestValid(
  { log, codec, letters }: Parts,
  side: Side,
  record_key: string,
): { newest: Found | null; is_waited_for: boolean } {
  const { topic, partition } = streamOf(side, record_key);
  const own_key = side.kind.prefix(side.publisher) + record_key;
  let is_waited_for = false;
  for (const { key, offset, value } of log.messages(topic, partition).toReversed()) {
    if (key !== own_key) continue;
    const state = letters.stateOf(topic, partition, offset);
    is_waited_for ||= state === 'dead' || state === 'retry';
    const fact = codec.meant(topic, value);
    if (state === null && fact !== null && codec.conditionOf(value) === 'whole')
      return { newest: { fact, offset }, is_waited_for };
  }
  return { newest: null, is_waited_for };
}

function streamOf({ kind, publisher }: Side, record_key: string): Stream {
  const { name: topic, partitions } = kind.topic;
  return { topic, partition: partitionOf(kind.prefix(publisher) + record_key, partitions) };
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? 'nothing' : texts.map((text) => `"${text}"`).join(' and ');
}
