import type { FactOfTopic } from '../log/facts.ts';
import type { TopicName } from '../log/topics.ts';
import type { StoredMessage } from '../log/event-log.ts';
import type { Block } from '../store/native.ts';
import type { Value } from '../store/store.ts';

/** Rows of one insert. */
export interface TableRows {
  table: string;
  columns: readonly string[];
  rows: Value[][];
}

/** The same as bytes that the store takes as they are. */
export interface TableBlock {
  table: string;
  block: Block;
}

/** What one batch writes, in the order in which it is written. */
export interface BatchRows<Rows extends TableRows | TableBlock = TableRows | TableBlock> {
  /** Cells the batch may change, ascending; null where the projection keeps no intents. */
  cells: number[] | null;
  /** The main table's rows: one insert of one block. */
  rows: Rows | null;
  /** The projection's other tables. */
  others: TableRows[];
}

/** Takes the changes of a batch one by one; the same rows as `batch`, without holding all changes at once. */
export interface Collector<T, Rows extends TableRows | TableBlock = TableRows | TableBlock> {
  add: (change: T) => void;
  finish: () => BatchRows<Rows>;
}

/** Where a fact came from. */
export type FactPlace = Pick<StoredMessage, 'topic' | 'partition' | 'offset'>;

/**
 * What a projection makes of a fact: something to write, nothing with a stated reason, or no valid fact at all. Only the loop acts on it.
 */
export type Outcome<T> =
  | { outcome: 'ok'; change: T }
  | { outcome: 'drop'; reason: string }
  | { outcome: 'dead'; reason: string; error: string };

/** A table that readers see, and how its rows fall into places that a person can look up: a rebuild compares two versions by them. */
export interface ComparedTable {
  table: string;
  /** An expression over columns that follow from the sort key; text or a number. */
  place: string;
  /** The place as people know it; as the expression has it where nothing is said. */
  placeName?: (place: string) => string;
}

/**
 * A projection is a value. A version owns all its tables (`<table>_v<version>`) and its positions, so that a next version can be built
 * beside it. `project` and `batch` are pure: the same facts give the same rows, whenever and in whatever batches they come.
 */
export interface Projection<T = unknown, Rows extends TableRows | TableBlock = TableRows | TableBlock> {
  name: string;
  version: number;
  topics: readonly TopicName[];
  /** Where a message makes many rows: a batch ends past so many bytes of values, so that its block stays small. */
  largest_batch_bytes?: Partial<Record<TopicName, number>>;
  /** Schema files of schemas/clickhouse that make its tables. */
  schema_files: readonly string[];
  /** What a rebuild compares before it moves the pointer: the tables that readers see, and no intents, which follow the cutting of batches. */
  compared: readonly ComparedTable[];
  project: (topic: TopicName, fact: FactOfTopic[TopicName], key: string, place: FactPlace) => Outcome<T>;
  batch: (changes: readonly T[]) => BatchRows<Rows>;
  /** For projections whose batches are large; the loop takes `batch` where there is none. */
  collect?: () => Collector<T, Rows>;
}

/** The projection's own collector, or one that gathers the changes for `batch`. */
export function collectorOf<T>(projection: Projection<T>): Collector<T> {
  if (projection.collect !== undefined) return projection.collect();
  const changes: T[] = [];
  return { add: (change) => void changes.push(change), finish: () => projection.batch(changes) };
}

/** A version's name for people and for its group: `observations.v2`. */
export function nameOf({ name, version }: Pick<Projection, 'name' | 'version'>): string {
  return `${name}.v${version}`;
}
