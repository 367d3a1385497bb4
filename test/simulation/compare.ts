import { latToMicro, lonToMicro } from '../../services/hail/geo/place.ts';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { roundToHundredths } from '../../services/hail/size.ts';
import type { StoredMessage } from '../../services/log/event-log.ts';
import { partitionOf } from '../../services/log/partition.ts';
import { topics } from '../../services/log/topics.ts';
import { storedInstant } from '../../services/store/projections.ts';
import type { MemoryLog } from '../support/memory-log.ts';
import type { MemoryCodec } from './codec.ts';
import type { LetterBook } from './letters.ts';
import { publisher, record_keys, type PublisherWorld, type Said } from './publisher.ts';
import { textOf as columnText, type Tables } from './tables.ts';

/** How a record stands, as text that compares: a live row, a row set aside with its reason, or several where there are ghosts. */
export type Standings = Map<string, string[]>;

/** What a version's tables show of each record; with `revision`, which message it is from. */
export function shown(tables: Tables, version: number): Standings {
  const found: Standings = new Map();
  const put = (record_key: unknown, text: string): void => {
    const before = found.get(String(record_key)) ?? [];
    found.set(String(record_key), [...before, text].sort());
  };
  for (const row of tables.final(`observations_v${version}`)) {
    const { occurred_at, lat, lon, size_in, status, revision } = row;
    put(
      row['record_key'],
      `live ${columnText(occurred_at)} ${Number(lat)} ${Number(lon)} ${Number(size_in)} ${columnText(status)} @${Number(revision)}`,
    );
  }
  for (const { record_key, reason, revision } of tables.final(`set_aside_v${version}`))
    put(record_key, `set aside, ${columnText(reason)} @${Number(revision)}`);
  return found;
}

/** Written apart from the services' own code, from the contract: what a table must show of what was said. */
export function textOf(said: Said): string {
  const { began_at, lat, lon, size_in, status } = said;
  if (began_at === null) return 'set aside, no_time';
  if (lat === null || lon === null) return 'set aside, no_place';
  if (size_in === null) return 'set aside, no_size';
  return `live ${storedInstant(began_at)} ${latToMicro(lat)} ${lonToMicro(lon)} ${roundToHundredths(size_in)} ${status}`;
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

/** Holds the tables of some versions against one another, against the log and against the publisher. */
export function compare(
  parts: { tables: Tables; log: MemoryLog; codec: MemoryCodec; letters: LetterBook; world: PublisherWorld },
  versions: readonly number[],
): Compared {
  const { tables, world } = parts;
  const compared: Compared = { differences: [], excepted: [], raced: [] };
  const truth = world.truth();
  const tables_shown = versions.map((version) => ({ version, of: shown(tables, version) }));
  const keys = new Set([...record_keys, ...tables_shown.flatMap(({ of }) => [...of.keys()])]);
  for (const record_key of keys) {
    const messages = messagesOf(parts.log, record_key);
    const { newest, is_waited_for } = newestValid(parts, messages);
    const of_log = newest === null ? [] : saidBy(newest);
    for (const { version, of } of tables_shown) {
      const row = of.get(record_key) ?? [];
      if (row.join() === of_log.join()) continue;
      if (is_waited_for && isOfDeadMessage(parts.letters, record_key, row)) compared.raced.push(record_key);
      else
        compared.differences.push(
          `record ${record_key}: the log says ${list(of_log)}, version ${version} shows ${list(row)}`,
        );
    }
    if (is_waited_for) {
      compared.excepted.push(record_key);
      continue;
    }
    const said = truth.get(record_key);
    const of_truth = said === undefined ? [] : [textOf(said)];
    const without_revision = of_log.map((text) => text.replace(/ @\d+$/, ''));
    if (of_truth.join() !== without_revision.join())
      compared.differences.push(
        `record ${record_key}: the publisher says ${list(of_truth)}, the log says ${list(of_log)}`,
      );
  }
  return compared;
}

/** True where the rows are of a message that has a letter by now, or where it has taken away what stood. */
function isOfDeadMessage(letters: LetterBook, record_key: string, rows: readonly string[]): boolean {
  const topic = topics.observation.name;
  const partition = partitionOf(`${publisher}/${record_key}`, topics.observation.partitions);
  return rows.every((row) => letters.stateOf(topic, partition, Number(row.split('@')[1])) !== null);
}

interface Found {
  fact: ObservationFact;
  offset: number;
}

/** The newest message that counts, decodable and without a letter, and whether a newer one is dead and nobody has given it up. */
function newestValid(
  { codec, letters }: { codec: MemoryCodec; letters: LetterBook },
  messages: readonly StoredMessage[],
): { newest: Found | null; is_waited_for: boolean } {
  let is_waited_for = false;
  for (const { topic, partition, offset, value } of messages.toReversed()) {
    const state = letters.stateOf(topic, partition, offset);
    is_waited_for ||= state === 'dead' || state === 'retry';
    const fact = codec.meant(topics.observation.name, value);
    if (state === null && fact !== null && codec.conditionOf(value) === 'whole')
      return { newest: { fact, offset }, is_waited_for };
  }
  return { newest: null, is_waited_for };
}

function messagesOf(log: MemoryLog, record_key: string): StoredMessage[] {
  return Array.from({ length: topics.observation.partitions }, (_, partition) =>
    log.messages(topics.observation.name, partition),
  )
    .flat()
    .filter(({ key }) => key === `${publisher}/${record_key}`);
}

function saidBy({ fact, offset }: Found): string[] {
  if (fact.status === 'withdrawn') return [];
  return [`${textOf({ ...fact, status: fact.status })} @${offset}`];
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? 'nothing' : texts.map((text) => `"${text}"`).join(' and ');
}
