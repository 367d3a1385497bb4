import { pause, type Clock } from '../../runtime/clock.ts';
import { isDiskFull } from '../../runtime/disk.ts';
import { isHailmarkError, isTransient } from '../../runtime/errors.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { PollFailure } from '../../log/facts.ts';
import type { Feed, HistoryPart } from '../feed.ts';
import type { PollRun } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import { metered } from './meter.ts';
import type { BackfillProgress, BackfillRequest, BackfillShelf, BackfillState } from './shelf.ts';

/** How often a part, or the plan, is tried while its publisher fails. */
const tries = 3;
/** How many looks pass between two signs of life in the progress file. */
const looks_a_beat = 5;

export interface BackfillDeps {
  feed: Feed;
  shelf: BackfillShelf;
  /** The machine's: what is measured is how long reading takes. */
  clock: Clock;
  output: LogOutput;
  /** Runs work when nothing else of the feed does, first come first served: a live poll that is due goes before the next part. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  createRun: (signal: AbortSignal) => PollRun;
  /** Repeats work while the log or the registry is away; null when told to stop. */
  patiently: <T>(work: () => Promise<T>) => Promise<T | null>;
}

export interface BackfillOptions {
  signal: AbortSignal;
  /** How often the shelf is looked at, for requests and for the word to cancel. */
  look_ms: number;
  /** After how long a publisher that failed is asked again. */
  retry_ms: number;
}

/**
 * Reads the history that operators ask for, part by part, until the signal. The feed's owner does it, in turns with live polls, so revisions
 * of a record keep their order. A request that was cut short by the end of the process is taken up again by the next one, which passes
 * over the parts that stand in the log as read.
 */
export async function readBackfills(deps: BackfillDeps, options: BackfillOptions): Promise<void> {
  const { feed, shelf } = deps;
  while (!options.signal.aborted) {
    const request = shelf.asked(feed.feed);
    if (request === null) await pause(options.look_ms, options.signal);
    else await readBackfill(deps, options, request);
  }
}

async function readBackfill(
  deps: BackfillDeps,
  { signal, look_ms, retry_ms }: BackfillOptions,
  request: BackfillRequest,
): Promise<void> {
  const { feed, shelf, output } = deps;
  const progress = begun(shelf.progress(feed.feed), request);
  const cancelling = new AbortController();
  const ended = AbortSignal.any([signal, cancelling.signal]);
  const isEnded = (): boolean => ended.aborted;
  let reading_since = deps.clock();

  const report = (state: BackfillState = progress.state): void => {
    const now = deps.clock();
    progress.reading_ms += now - reading_since;
    reading_since = now;
    shelf.report(Object.assign(progress, { state, updated_at: now }));
  };
  const finish = (state: BackfillState, detail: string | null = null): void => {
    Object.assign(progress, { state, detail, part: null, updated_at: deps.clock() });
    shelf.finish(progress);
    output.info(
      { feed: feed.feed, state, parts: progress.parts, records: progress.records },
      'backfill over',
    );
  };

  let looks = 0;
  const watch = setInterval(() => {
    if (shelf.isCancelled(request)) cancelling.abort();
    if ((looks += 1) % looks_a_beat === 0) report();
  }, look_ms);

  /** Does the work in its turn; why its questions failed, or null when there is nothing more to do. */
  const attempt = (work: (run: PollRun) => Promise<void>): Promise<readonly PollFailure[] | null> =>
    deps.patiently(async () => {
      try {
        return await deps.inTurn(async () => {
          if (isEnded()) return null;
          const run = metered(deps.createRun(ended), progress, report);
          await work(run);
          return isEnded() ? null : run.failures;
        });
      } catch (error) {
        if (error instanceof PollFailed) {
          progress.detail = error.message;
          return [error.reason];
        }
        // The request was given up in the middle of a question, by an operator who cancelled it.
        if (isEnded() && isTransient(error)) return null;
        throw error;
      }
    });

  /** As `attempt`, with a few tries where its publisher fails; true when all of it worked. */
  const persist = async (work: (run: PollRun) => Promise<void>): Promise<boolean | null> => {
    const { state } = progress;
    for (let tried = 1; ; tried += 1) {
      progress.detail = null;
      const failures = await attempt(work);
      if (failures === null) return null;
      if (failures.length === 0) return true;
      progress.detail ??= `It failed: ${[...new Set(failures)].join(', ')}.`;
      // A refused withdrawal waits for an operator; asking again would fetch the same for nothing.
      const is_worth_it = failures.some((reason) => reason !== 'suspicious-withdrawal');
      if (tried === tries || !is_worth_it) return false;
      report('waiting');
      await pause(retry_ms, ended);
      report(state);
    }
  };

  try {
    report('planning');
    let parts: HistoryPart[] = [];
    const is_planned = await persist(async (run) => {
      await run.index.catchUp();
      parts = (await feed.plan?.(run, request)) ?? [];
    });
    if (is_planned === true && feed.plan !== undefined) {
      takePlan(progress, parts);
      if (request.dry_run) {
        progress.plan = parts.map(plannedPart);
        finish('planned');
        return;
      }
      report('reading');
      for (const part of parts) {
        if (isEnded()) break;
        if (part.isRead()) continue;
        progress.part = part.name;
        report();
        const is_read = await persist(part.read);
        if (is_read === null) break;
        if (!is_read) progress.parts_failed.push(part.name);
        passPart(progress, part);
        output.info({ feed: feed.feed, part: part.name, is_read }, 'backfill part');
        report();
      }
    }
    if (signal.aborted) report();
    else if (cancelling.signal.aborted) finish('cancelled');
    else if (feed.plan === undefined) finish('failed', 'This feed has no history that could be asked for.');
    else if (is_planned !== true) finish('failed', progress.detail ?? 'The plan could not be made.');
    else finish(progress.parts_failed.length === 0 ? 'done' : 'incomplete');
  } catch (error) {
    if (isOfTheProcess(error)) throw error;
    // Ours, and of this request: ending the process would take the live feeds with it, now and after each of its starts.
    output.error({ err: error, feed: feed.feed }, 'a backfill ended on an error it cannot handle');
    finish('failed', 'An error of the service itself ended it; the log of the feeds has it in full.');
  } finally {
    clearInterval(watch);
  }
}

/** Another owner, or a disk that is full: nothing of this process can go on. */
function isOfTheProcess(error: unknown): boolean {
  return isTransient(error) || isDiskFull(error) || (isHailmarkError(error) && error.kind === 'operator');
}

/** Where an earlier process left it, or at the beginning. */
function begun(known: BackfillProgress | null, { id, feed }: BackfillRequest): BackfillProgress {
  const counts = { requests: 0, bytes: 0, bytes_passed: 0, records: 0, published: 0, reading_ms: 0 };
  const left = { requests_left: 0, bytes_left: null, parts: 0, parts_done: 0 };
  const fresh: BackfillProgress = {
    ...{ id, feed, state: 'planning', detail: null, part: null, plan: [], updated_at: 0 },
    ...{ ...counts, ...left, parts_read_before: 0, parts_failed: [] },
  };
  // What failed is tried again: it is not among the parts that are read.
  return known?.id === id ? { ...fresh, ...known, parts_failed: [], detail: null } : fresh;
}

function takePlan(progress: BackfillProgress, parts: readonly HistoryPart[]): void {
  const left = parts.filter((part) => !part.isRead());
  // Taken up again, it has read some of them itself.
  if (progress.parts === 0) progress.parts_read_before = parts.length - left.length;
  progress.parts = parts.length;
  progress.parts_done = parts.length - left.length;
  progress.requests_left = left.reduce((sum, { requests }) => sum + requests, 0);
  progress.bytes_left = left.reduce<number | null>(
    (sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
    0,
  );
}

function passPart(progress: BackfillProgress, { requests, bytes }: HistoryPart): void {
  progress.parts_done += 1;
  progress.part = null;
  progress.requests_left -= requests;
  progress.bytes_passed += bytes ?? 0;
  if (progress.bytes_left !== null) progress.bytes_left -= bytes ?? 0;
}

function plannedPart({ name, requests, bytes, isRead }: HistoryPart): BackfillProgress['plan'][number] {
  return { name, requests, bytes, is_read: isRead() };
}
