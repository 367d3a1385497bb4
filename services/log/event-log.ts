/**
 * The port of the log, the one truth of the service. It has twins (SQLite for one machine, Kafka for many), and one contract suite runs
 * against all of them. Offsets count from 0 in each partition and are safe integers; order holds within a partition, and one key always
 * lies in one partition.
 */
export interface EventLog {
  /** Identifies this log's contents: a log made anew has another id, so positions of an old one cannot be mistaken for its own. */
  readonly id: string;

  /** Creates what is missing. A topic that exists with other settings is left as it is and reported by the operator's tools. */
  ensureTopics: (topics: readonly TopicSpec[]) => Promise<void>;

  /** The settings that a topic has in the log, whatever was declared; null where there is no such topic. */
  describeTopic: (topic: string) => Promise<TopicSpec | null>;

  /**
   * Appends in the order given and resolves when all of it is durable; results stand in the order of the messages of one call of at most
   * `max_append_messages`. With `owner` it is all or nothing, and refused (`HAIL_OWNERSHIP_LOST`) once another process has claimed the same
   * resource. `HAIL_MESSAGE_TOO_LARGE` and `HAIL_UNKNOWN_TOPIC` fail before anything is written.
   */
  append: (topic: string, messages: readonly NewMessage[], owner?: Ownership) => Promise<Appended[]>;

  /** The offset that the next message of each partition will get, indexed by partition. */
  endOffsets: (topic: string) => Promise<number[]>;

  /**
   * Reads without a group, in bounded pages, partition by partition: from `from` (by partition, default 0) up to `until` (exclusive, by
   * partition, default the end at the time of the call), or for ever with `follow`, waiting for more until `signal` aborts. Compacted
   * topics yield at least the newest message of each key.
   */
  scan: (topic: string, options?: ScanOptions) => AsyncIterable<StoredMessage[]>;

  /** Joins a group: its members share the partitions of the topics and hand them over when one comes or goes. */
  join: (options: GroupOptions) => Promise<GroupMember>;

  /** Names of all groups that have joined or committed, ascending. */
  groups: () => Promise<string[]>;

  /** The group's committed offsets of a topic by partition, null where it has committed none. For showing lag, not for resuming. */
  committed: (group: string, topic: string) => Promise<(number | null)[]>;

  /**
   * Makes this process the owner of a resource such as `feed/storm_events`. Throws `HAIL_OWNED_ELSEWHERE` while another living process
   * owns it; a dead one's is taken over as soon as the log knows that it is dead, and its late appends are refused.
   */
  claim: (resource: string) => Promise<Ownership>;

  close: () => Promise<void>;
}

export interface TopicSpec {
  name: string;
  partitions: number;
  /** Keeps the newest message of each key only. */
  compacted: boolean;
  /** Null keeps messages without limit. */
  retention_ms: number | null;
  /** Key and value together; a larger message fails loudly. */
  max_message_bytes: number;
}

export interface NewMessage {
  key: string;
  value: Buffer | null;
  headers?: Readonly<Record<string, string>>;
}

export interface StoredMessage {
  topic: string;
  partition: number;
  offset: number;
  key: string;
  value: Buffer | null;
  headers: Readonly<Record<string, string>>;
  /** The log's own time of the append, epoch milliseconds; for measuring delay, never for meaning. */
  appended_at: number;
}

export interface Appended {
  partition: number;
  offset: number;
}

export interface ScanOptions {
  from?: readonly number[];
  until?: readonly number[];
  follow?: boolean;
  page_messages?: number;
  signal?: AbortSignal;
}

/** Proof of ownership; `epoch` grows with each claim and fences the appends of an owner that was replaced. */
export interface Ownership {
  readonly resource: string;
  readonly epoch: number;
  release: () => Promise<void>;
}

export interface GroupOptions {
  group: string;
  topics: readonly string[];
  /** At most so many messages in a batch. */
  batch_messages: number;
  /** At most so many batches in hand at once, each of another partition; 1 where it is not said. */
  batches_in_hand?: number;
  /**
   * Where to begin a partition that was just assigned: the consumer's own record of what is done, asked at every assignment, and again while
   * it fails with a transient error.
   */
  startAt: (topic: string, partition: number) => Promise<number>;
  /**
   * Handles one batch of one partition. Batches of a partition come one after another, never two at once; those of several partitions may
   * be under way side by side. When it resolves, the group's
   * commit moves to the batch's end; when it rejects, the member stops and `done` rejects with the error.
   */
  onBatch: (batch: MessageBatch) => Promise<void>;
  /** Told each time the log does not answer; the member goes on trying by itself. */
  onAway?: (error: unknown) => void;
  /** Told each time the member has gone round, about once a second where nothing comes: the log has answered, and its batches are done. */
  onTurn?: () => void;
  signal?: AbortSignal;
}

export interface MessageBatch {
  topic: string;
  partition: number;
  /** Ascending by offset, with holes where a topic is compacted or a twin keeps marks of its own; empty where there are only such marks. */
  messages: readonly StoredMessage[];
  /** Where the batch before ended: everything from here up to `end_offset` is in this batch. */
  first_offset: number;
  /** Where the next batch begins: beyond the last message. */
  end_offset: number;
  /** The partition's end when the batch was read: `high_watermark - end_offset` messages are still to come. */
  high_watermark: number;
  /** True once the partition may belong to another member: nothing must be written any more. */
  isStale: () => boolean;
}

export interface GroupMember {
  /**
   * Settles when the member has left: resolves after `leave` or the signal, rejects with the error of `onBatch`, or that of `startAt`
   * which no waiting mends. What fails after the member was told to leave is no error of its: that batch is not committed and comes again.
   */
  readonly done: Promise<void>;
  /** Finishes and commits the batch in hand, then leaves. */
  leave: () => Promise<void>;
}

/** The largest append that is one transaction. */
export const max_append_messages = 2_000;
