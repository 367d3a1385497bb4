import type { Publisher } from '../hail/publisher.ts';
import type { PollRun } from './poll.ts';

/** One feed as a value; adding one is a folder that exports such a function's result, and a line in `main.ts`. */
export interface Feed {
  /** Its name in health. */
  feed: string;
  publisher: Publisher;
  /** Cron expression of its schedule, UTC. */
  schedule: string;
  /** Asks the publisher for what is new; each question ends as a poll fact. */
  poll: (run: PollRun) => Promise<void>;
  /** Reads configured history that has not been read yet. */
  history: (run: PollRun) => Promise<void>;
}
