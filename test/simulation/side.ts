import type { FactKind } from '../../services/feeds/kinds/kind.ts';
import type { PollRun } from '../../services/feeds/poll.ts';
import type { Publisher } from '../../services/hail/publisher.ts';
import type { RecordFact } from '../../services/log/facts.ts';
import { partitionOf } from '../../services/log/partition.ts';
import type { Clock } from '../../services/runtime/clock.ts';
import type { Row } from './tables.ts';

/** What a question has at hand when its time has come. */
export interface Asking {
  run: PollRun;
  /** The process that asks. */
  name: string;
  clock: Clock;
  note: (text: () => string) => void;
}

export type Ask = (asking: Asking) => Promise<void>;

/** One feed of the house with its publisher: what is offered, how it is asked for, and what tables must show of it. */
export interface Side {
  feed: string;
  publisher: Publisher;
  kind: FactKind;
  /** What its processes are called in notes. */
  process_name: string;
  /** Every record that there may be. */
  record_keys: readonly string[];
  /** One change of what the publisher says, by chance; returns what happened as words. */
  change: () => string;
  /** Ends what is under way: from now on the publisher offers what it means to say. */
  rest: () => void;
  /** What one poll asks, by chance: older documents and incomplete readings too. */
  poll: () => Ask[];
  /** What a poll asks that asks for all; `as_listed` reads only what is news, as feeds with a listing do. */
  pollAll: (as_listed: boolean) => Ask[];
  /** The following are written apart from the services' own code. A live row of the table of answers as text. */
  rowText: (row: Row) => string;
  /** The rows that a fact of the log must leave, and the reason where it is set aside, as texts. */
  factTexts: (fact: RecordFact) => string[];
  /** The same of what the publisher says now, by record. */
  truth: () => Map<string, string[]>;
}

/** One partition of one topic. */
export interface Stream {
  topic: Side['kind']['topic']['name'];
  partition: number;
}

/** Only these partitions hold any record of the side. */
export function streamsOf({ kind, publisher, record_keys }: Side): Stream[] {
  const { name: topic, partitions } = kind.topic;
  const found = record_keys.map((key) => partitionOf(kind.prefix(publisher) + key, partitions));
  return [...new Set(found)].map((partition) => ({ topic, partition }));
}
