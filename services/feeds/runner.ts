import { join, resolve } from 'node:path';
import cron from 'node-cron';
import { pause, type Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import { isTransient } from '../runtime/errors.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog } from '../log/event-log.ts';
import { createAcceptedWithdrawals } from './accepted-withdrawals.ts';
import type { Feed } from './feed.ts';
import { openIndexDatabase } from './index/database.ts';
import { createFeedIndex } from './index/feed-index.ts';
import { createPollRun, type PollDeps } from './poll.ts';

const request_timeout_ms = 120_000;
/** Polls of one schedule are spread over this, so that a publisher does not meet all its readers in one second. */
const jitter_ms = 30_000;
const retry_ms = 5_000;

export interface FeedRunner {
  /** One poll, after history that has not been read. Never two at once. */
  pollOnce: () => Promise<void>;
  /** Polls now and then by schedule, until the signal. */
  run: () => Promise<void>;
  close: () => Promise<void>;
}

/** Owns a feed: its claim in the log, its index, its schedule. Feeds know nothing of one another; one that fails costs only itself. */
export async function createFeedRunner(
  deps: { log: EventLog; codec: Codec; clock: Clock; output: LogOutput },
  feed: Feed,
  options: { config: Pick<Config, 'HAILMARK_DATA_DIR' | 'HAILMARK_CONTACT'>; signal: AbortSignal },
): Promise<FeedRunner> {
  const data_dir = resolve(options.config.HAILMARK_DATA_DIR);
  const owner = await deps.log.claim(`feed/${feed.feed}`);
  const database = openIndexDatabase(join(data_dir, 'index', `${feed.feed}.sqlite`), deps.log.id);
  const index = createFeedIndex({ ...deps, database }, feed);
  const poll_deps: PollDeps = {
    ...deps,
    feed: feed.feed,
    publisher: feed.publisher,
    index,
    owner,
    accepted: createAcceptedWithdrawals(data_dir),
    user_agent: `Hailmark/0.1 (+${options.config.HAILMARK_CONTACT})`,
    timeout_ms: request_timeout_ms,
  };
  let polling: Promise<void> | null = null;
  const stopped = (): boolean => options.signal.aborted;

  const pollOnce = (): Promise<void> => {
    polling ??= (async () => {
      const run = createPollRun(poll_deps, options.signal);
      await feed.history(run);
      await feed.poll(run);
      deps.output.info({ feed: feed.feed }, 'poll finished');
    })().finally(() => {
      polling = null;
    });
    return polling;
  };

  /** The log or the registry being away is waited for; a publisher's failures are facts already; anything else is ours and ends the process. */
  const pollPatiently = async (): Promise<void> => {
    while (!stopped()) {
      try {
        await pollOnce();
        return;
      } catch (error) {
        if (stopped()) return;
        if (!isTransient(error)) throw error;
        deps.output.warn({ err: error, feed: feed.feed }, 'waiting');
        await pause(retry_ms, options.signal);
      }
    }
  };

  return {
    pollOnce,
    run: async () => {
      await pollPatiently();
      if (stopped()) return;
      await new Promise<void>((done, fail) => {
        const task = cron.schedule(feed.schedule, () => pollPatiently().catch(fail), {
          name: feed.feed,
          timezone: 'UTC',
          noOverlap: true,
          maxRandomDelay: jitter_ms,
        });
        options.signal.addEventListener('abort', () => {
          void task.destroy();
          done();
        });
      });
    },
    close: async () => {
      await polling?.catch(() => undefined);
      index.close();
      await owner.release();
    },
  };
}
