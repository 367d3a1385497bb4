import type { StoredMessage } from '../log/event-log.ts';
import type { Projection } from './projection.ts';

/** A version that runs here. */
export interface RunningVersion {
  projection: Projection;
  /** True for the one that answers are read from; another is being built or kept. */
  is_serving: boolean;
}

/** A batch whose position is written: its messages can be queried. */
export interface StoredBatch {
  /** The version's name. */
  projection: string;
  topic: string;
  messages: readonly StoredMessage[];
  /** From the first look at it, all waiting for the store included. */
  span_ms: number;
}

/** What the projector tells of its work, for the operations pages. Called often and in the middle of the work: it must be quick and never throw. */
export interface ProjectorObserver {
  /** The list of versions is looked at. */
  looking: () => void;
  /** What runs after such a look. */
  runs: (versions: readonly RunningVersion[]) => void;
  /** A version's loop goes on: it has gone round, finished a step, or tries again. */
  ticked: (projection: string) => void;
  /** A version's loop has gone round, which takes a log that answers. */
  turned: (projection: string) => void;
  /** The log did not answer a version's loop, which tries again. */
  logAway: (projection: string, error: unknown) => void;
  stored: (batch: StoredBatch) => void;
  /** A dead letter was written by this process. */
  letter: (topic: string, reason: string) => void;
}
