import { join, resolve } from 'node:path';
import cron from 'node-cron';
import { pause, systemClock, type Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import { isDiskFull } from '../runtime/disk.ts';
import { isHailmarkError, isTransient } from '../runtime/errors.ts';
import type { Slowness } from '../runtime/http-exchange.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { OnWait } from '../runtime/wait-metrics.ts';
import { userAgent } from '../runtime/user-agent.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog } from '../log/event-log.ts';
import type { PollFailure } from '../log/facts.ts';
import { createLetterAnswers } from './answer-letters.ts';
import { readBackfills } from './backfill/backfill.ts';
import { createBackfillShelf } from './backfill/shelf.ts';
import type { DocumentKeeper } from './documents/keeper.ts';
import type { Feed } from './feed.ts';
import type { HostQueue } from './host-queue.ts';
import { openIndexDatabase } from './index/database.ts';
import { createFeedIndex } from './index/feed-index.ts';
import { observedLog, type FeedObserver } from './observer.ts';
import { createPollRun, type PollDeps, type PollRun } from './poll.ts';
import { scheduleLogger } from './schedule-logger.ts';
import { createSuspectWithdrawals } from './suspect-withdrawals.ts';

const request_timeout_ms = 120_000;
/** Polls of one schedule are spread over this, so that a publisher does not meet all its readers in one second. */
const jitter_ms = 30_000;
/** Pause before the log or the registry is tried again. */
const wait_ms = 5_000;
/** How often the data folder is looked at for a backfill that was asked for, and a feed without work says that it is idle and not stuck. */
const usual_look_ms = 1_000;

export interface FeedRunner {
  /**
   * Dead letters that were asked to be retried, one poll, then history that has not been read. Never two at once. Resolves with the reasons
   * of the questions that failed.
   */
  pollOnce: () => Promise<readonly PollFailure[]>;
  /** Polls now and by schedule, answers retries of dead letters as they come, and reads history that is asked for, until the signal. */
  run: () => Promise<void>;
  /** Through when the publisher has been read, and how many records are held. */
  state: () => { read_through: number | null; records_held: number; withdrawals_refused: number };
  close: () => Promise<void>;
}

export interface RunnerDeps {
  log: EventLog;
  codec: Codec;
  clock: Clock;
  output: LogOutput;
  queue: HostQueue;
  /** Shared by the feeds of a data folder: it counts what is kept there. */
  documents: DocumentKeeper;
  observer?: FeedObserver;
  /** Told of each wait for the log or the registry. */
  onWait?: OnWait;
}

export interface RunnerOptions {
  config: Pick<Config, 'HAILMARK_DATA_DIR' | 'HAILMARK_CONTACT' | 'FEEDS_RETRY_MS'>;
  signal: AbortSignal;
  /** The deadline of one request; two minutes unless told. */
  timeout_ms?: number;
  /** Below which rate a body is given up; the client's own bound unless told. */
  slow?: Slowness;
  /** A second unless told. */
  look_ms?: number;
}

/** Owns a feed: its claim in the log, its index, its schedule. Feeds know nothing of one another; one that fails costs only itself. */
export async function createFeedRunner(
  of_process: RunnerDeps,
  feed: Feed,
  { config, signal, timeout_ms = request_timeout_ms, slow, look_ms = usual_look_ms }: RunnerOptions,
): Promise<FeedRunner> {
  const { observer, onWait } = of_process;
  const log = observer === undefined ? of_process.log : observedLog(of_process.log, feed.feed, observer);
  const deps: RunnerDeps = { ...of_process, log };
  const data_dir = resolve(config.HAILMARK_DATA_DIR);
  const owner = await deps.log.claim(`feed/${feed.feed}`);
  const database = openIndexDatabase(join(data_dir, 'index', `${feed.feed}.sqlite`), deps.log.id);
  const index = createFeedIndex({ ...deps, database }, feed);
  const suspects = createSuspectWithdrawals(data_dir);
  const poll_deps: PollDeps = {
    ...deps,
    feed: feed.feed,
    publisher: feed.publisher,
    kind: feed.kind,
    index,
    owner,
    suspects,
    user_agent: userAgent(config),
    timeout_ms,
    ...(slow === undefined ? {} : { slow }),
  };
  const letters = createLetterAnswers(poll_deps);
  let polling: Promise<readonly PollFailure[]> | null = null;
  let retry: NodeJS.Timeout | undefined;
  let answering: Promise<void> | undefined;
  let backfilling: Promise<void> | undefined;
  const closing = new AbortController();
  const ended = AbortSignal.any([signal, closing.signal]);
  const stopped = (): boolean => ended.aborted;

  // Polls and retries publish under one index, so they take turns.
  let last: Promise<unknown> = Promise.resolve();
  let turns = 0;
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    turns += 1;
    const turn = last.then(work, work).finally(() => (turns -= 1));
    last = turn.catch(() => undefined);
    return turn;
  };
  // While there is work the work itself ticks, or a poll that hangs would look like a feed that is idle.
  const idle = setInterval(() => {
    if (turns === 0) observer?.ticked(feed.feed);
  }, look_ms).unref();

  const pollOnce = (): Promise<readonly PollFailure[]> => {
    polling ??= inTurn(async () => {
      await letters.answer('all');
      const run = letters.betweenQuestions(createPollRun(poll_deps, signal));
      await feed.poll(run);
      await feed.history(run);
      deps.output.info({ feed: feed.feed, failures: run.failures }, 'poll finished');
      observer?.polled(feed.feed, run.failures);
      return run.failures;
    }).finally(() => {
      polling = null;
    });
    return polling;
  };

  /** The log or the registry being away, or a disk that is full, is waited for; a publisher's failures are facts already; anything else is ours and ends the process. */
  const patiently = async <T>(work: () => Promise<T>): Promise<T | null> => {
    let waited: (() => void) | undefined;
    try {
      while (!stopped()) {
        try {
          return await work();
        } catch (error) {
          if (stopped()) break;
          // Another process owns the feed now: going on here would only be refused for ever.
          // A disk without room is waited for as well: the index and the documents are written between facts, and what failed is done again.
          const passes = isTransient(error) || isDiskFull(error);
          if (!passes || isHailmarkError(error, 'HAIL_OWNERSHIP_LOST')) throw error;
          deps.output.warn({ err: error, feed: feed.feed }, 'waiting');
          waited ??= onWait?.(error);
          await pause(wait_ms, ended);
        }
      }
      return null;
    } finally {
      waited?.();
    }
  };

  /** A refused withdrawal waits for an operator; asking again before that would fetch the same file for nothing. */
  const isWorthRetrying = (failures: readonly PollFailure[]): boolean =>
    failures.some((reason) => reason !== 'suspicious-withdrawal') || suspects.anyAccepted(feed.feed);

  const planRetry = (failures: readonly PollFailure[], onError: (error: unknown) => void): void => {
    clearTimeout(retry);
    if (failures.length === 0 || stopped()) return;
    retry = setTimeout(() => {
      if (isWorthRetrying(failures)) void poll(onError);
      else planRetry(failures, onError);
    }, config.FEEDS_RETRY_MS);
  };

  const poll = async (onError: (error: unknown) => void): Promise<void> => {
    try {
      planRetry((await patiently(pollOnce)) ?? [], onError);
    } catch (error) {
      onError(error);
    }
  };

  const answerLetters = async (onError: (error: unknown) => void): Promise<void> => {
    let is_waiting = false;
    const answer = async (): Promise<void> => {
      if (is_waiting) return;
      is_waiting = true;
      await patiently(() =>
        inTurn(() => {
          is_waiting = false;
          return letters.answer();
        }),
      );
    };
    try {
      await patiently(() => letters.follow(() => void answer().catch(onError), ended));
    } catch (error) {
      onError(error);
    }
  };

  const backfill = async (onError: (error: unknown) => void): Promise<void> => {
    const shelf = createBackfillShelf(data_dir);
    const createRun = (until: AbortSignal): PollRun =>
      letters.betweenQuestions(createPollRun(poll_deps, until));
    try {
      await readBackfills(
        { feed, shelf, clock: systemClock, output: deps.output, inTurn, createRun, patiently },
        { signal: ended, look_ms, retry_ms: config.FEEDS_RETRY_MS },
      );
    } catch (error) {
      onError(error);
    }
  };

  return {
    pollOnce,
    run: () =>
      new Promise<void>((done, fail) => {
        const task = cron.schedule(feed.schedule, () => poll(fail), {
          name: feed.feed,
          timezone: 'UTC',
          noOverlap: true,
          maxRandomDelay: jitter_ms,
          // Its own words go to standard error as coloured text, which no reader of log lines can parse.
          logger: scheduleLogger(deps.output, feed.feed),
        });
        const stop = (): void => {
          clearTimeout(retry);
          void task.destroy();
          done();
        };
        if (stopped()) stop();
        ended.addEventListener('abort', stop, { once: true });
        void poll(fail);
        answering = answerLetters(fail);
        backfilling = backfill(fail);
      }),
    state: () => ({
      read_through: index.cursor(),
      records_held: index.allHeld().length,
      withdrawals_refused: suspects.refused().filter((suspect) => suspect.feed === feed.feed).length,
    }),
    close: async () => {
      clearTimeout(retry);
      clearInterval(idle);
      closing.abort();
      await answering;
      await backfilling;
      await last;
      index.close();
      await owner.release();
    },
  };
}
