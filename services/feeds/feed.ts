import type { Publisher } from '../hail/publisher.ts';
import type { Box } from '../log/facts.ts';
import type { FactKind } from './kinds/kind.ts';
import type { PollRun } from './poll.ts';

/** A stretch of the past, epoch milliseconds UTC, end exclusive, and the region it is asked for; null is everywhere. */
export interface Period {
  from: number;
  until: number;
  box: Box | null;
}

/** One piece of history that is read at once: a year's file, a month of a box, a day of granules. */
export interface HistoryPart {
  /** For people: `2017`, `2011-05`, `2026-06-10`. */
  name: string;
  /** How many requests it takes, and about how many bytes come; null where nobody can know. */
  requests: number;
  bytes: number | null;
  /** True when everything in it has been read completely, so that a resumed backfill goes past it. */
  isRead: () => boolean;
  /** Asks, publishes and settles as backfill: the live cursor does not move. */
  read: (run: PollRun) => Promise<void>;
}

/** One feed as a value; adding one is a folder that exports such a function's result, and a line in `all-feeds.ts`. */
export interface Feed {
  /** Its name in health. */
  feed: string;
  publisher: Publisher;
  /** What kind of facts it publishes. */
  kind: FactKind;
  /** Cron expression of its schedule, UTC. */
  schedule: string;
  /** Asks the publisher for what is new; each question ends as a poll fact. */
  poll: (run: PollRun) => Promise<void>;
  /** Reads configured history that has not been read yet. */
  history: (run: PollRun) => Promise<void>;
  /** What there is to read of a period, in order of time. May ask the publisher for a listing; publishes nothing. */
  plan?: (run: PollRun, period: Period) => Promise<HistoryPart[]>;
}
