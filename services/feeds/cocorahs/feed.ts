import { day_ms } from '../../hail/time.ts';
import type { Config } from '../../runtime/config.ts';
import type { FetchedBody } from '../../runtime/http-client.ts';
import type { PollFailure, SliceReading } from '../../log/facts.ts';
import { byMonth, daysOf, stretches, type Days } from '../days.ts';
import type { Feed, HistoryPart, Period } from '../feed.ts';
import { parseHistory } from '../history-setting.ts';
import { points, type Draft } from '../kinds/points.ts';
import type { Mode, PollRun, Settled } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import { observeExport } from './observe.ts';
import { dayEnd, dayOfEnd, exportUrl, isPast, listOf } from './question.ts';
import { slicesOfStates } from './slices.ts';
import { allStates, parseStates } from './states.ts';

/** A month of hail reports of a state takes some ten kilobytes. */
const max_answer_bytes = 16 * 1024 * 1024;
/** The network began in 1998: before that no report is no observer. */
const network_begins = Date.UTC(1998, 0, 1);
/** What one state's answer may fail of while the publisher is well; anything else would fail for the next state too. */
const costs_its_state: ReadonlySet<PollFailure> = new Set([
  'http-status',
  'not-the-format',
  'truncated',
  'too-large',
]);
/** After so many states that could not be read the others are left for the next poll. */
const most_failures = 3;

interface Asking {
  mode: Mode;
  /** Where the stretch begins that a live reading keeps free of gaps; null for history, which proves no freshness. */
  unbroken_from: number | null;
}

/** What has come of a question to all states so far. */
interface Answered {
  answers: StateAnswer[];
  /** Why states could not be read. */
  failed: Map<string, PollFailed>;
}

interface StateAnswer {
  state: string;
  url: string;
  body: FetchedBody;
  drafts: Draft[];
}

type CocorahsConfig = Pick<
  Config,
  'COCORAHS_URL' | 'COCORAHS_SCHEDULE' | 'COCORAHS_STATES' | 'COCORAHS_REREAD_DAYS' | 'COCORAHS_HISTORY'
>;

/**
 * Reports of volunteers, entered and corrected for days after the hail. They are asked for by state, one after another, and by days of
 * observation; the answers of all states together are one reading.
 */
export function cocorahsHail(config: CocorahsConfig): Feed {
  const states = parseStates(config.COCORAHS_STATES);
  const history = parseHistory('COCORAHS_HISTORY', config.COCORAHS_HISTORY);
  const slices = slicesOfStates(states);
  const urlOf = (state: string, days: Days): string => exportUrl(config.COCORAHS_URL, state, days);
  /** What a question about all of the states is called: their codes stand where each request has one. */
  const nameOf = (days: Days): string =>
    urlOf(states.length === allStates.length ? '*' : states.join(), days);
  const wasRead = ({ index }: PollRun, day: number): boolean =>
    slices.names(day).every((slice) => index.slice(slice) !== null);

  /** History is done with a day once it was read and left nothing to mend: no dead message stands in its way. */
  const isDone = ({ index }: PollRun, day: number): boolean =>
    slices.names(day).every((slice) => index.isSettled(slice));

  const readState = async (run: PollRun, state: string, days: Days): Promise<StateAnswer> => {
    const url = urlOf(state, days);
    const body = await run.get(url, max_answer_bytes);
    const provenance = run.provenance(url, body, null);
    const sliceOf = (day: number): string => slices.nameOf(state, day);
    const drafts = observeExport(body.bytes, { state, days }, sliceOf, provenance);
    return { state, url, body, drafts };
  };

  /** What fails costs its state only, as long as the publisher seems well otherwise. */
  const readStates = async (run: PollRun, days: Days, { answers, failed }: Answered): Promise<void> => {
    for (const state of states) {
      try {
        answers.push(await readState(run, state, days));
      } catch (error) {
        if (!(error instanceof PollFailed)) throw error;
        failed.set(state, error);
        if (!costs_its_state.has(error.reason) || failed.size >= most_failures) return;
      }
    }
  };

  /** The end of the newest day before which every day of the live stretch has been read; null where not even the first was. */
  const readThrough = (
    run: PollRun,
    { unbroken_from }: Asking,
    just_read: readonly SliceReading[],
  ): number | null => {
    if (unbroken_from === null) return null;
    const now = new Set(just_read.filter(({ complete }) => complete).map(({ slice }) => slice));
    const isRead = (day: number): boolean =>
      slices.names(day).every((slice) => now.has(slice) || run.index.slice(slice) !== null);
    let reached = unbroken_from;
    while (isPast(reached, run.clock()) && isRead(reached)) reached += day_ms;
    return reached > unbroken_from ? dayEnd(reached - day_ms) : null;
  };

  const readDays = async (run: PollRun, days: Days, asking: Asking, answered: Answered): Promise<Settled> => {
    const now = run.clock();
    await readStates(run, days, answered);
    const { answers, failed } = answered;
    const [first_failure] = failed.values();
    if (answers.length === 0 && first_failure !== undefined) throw first_failure;
    const document = (answers.length === 1 ? answers[0]?.body : undefined) ?? listOf(answers);
    const provenance = run.provenance(nameOf(days), document, null);
    const drafts = answers.flatMap((answer) => answer.drafts);
    const read = new Set(answers.map(({ state }) => state));
    const slicesRead = (): ReturnType<typeof slices.of> =>
      slices.of(days, { read, now, wasRead: (slice) => run.index.slice(slice) !== null });
    const { readings, refused } = await run.publish(drafts, slicesRead, provenance);
    const unread = states.filter((state) => !read.has(state));
    return {
      outcome: 'read',
      readings,
      refused,
      sha256: document.sha256,
      read_through: readThrough(run, asking, readings),
      detail: unread.length === 0 ? null : `Not read: ${unread.join(', ')}.`,
    };
  };

  const askAll = async (run: PollRun, days: readonly number[], asking: Asking): Promise<void> => {
    for (const chunk of stretches(days).flatMap(notTooLong)) {
      if (run.signal.aborted) return;
      const answered: Answered = { answers: [], failed: new Map() };
      await run.settle(asking.mode, nameOf(chunk), () => readDays(run, chunk, asking, answered));
      // Nothing was read: its poll fact says why already, and the next days would fail of the same.
      if (answered.answers.length === 0) return;
      for (const [state, error] of answered.failed) {
        await run.settle(asking.mode, urlOf(state, chunk), () => Promise.reject(error));
      }
    }
  };

  const pastDays = (run: PollRun, { from, until }: Days): number[] =>
    daysOf({ from: Math.max(from, network_begins), until }).filter((day) => isPast(day, run.clock()));

  const readPast = async (run: PollRun, days: readonly number[]): Promise<void> => {
    await run.index.catchUp();
    const unread = days.filter((day) => !isDone(run, day));
    await askAll(run, unread, { mode: 'backfill', unbroken_from: null });
  };

  return {
    feed: 'cocorahs_hail',
    publisher: 'COCORAHS',
    kind: points,
    schedule: config.COCORAHS_SCHEDULE,
    poll: async (run) => {
      await run.index.catchUp();
      // No clock of the states is ahead of UTC, so that no observer writes a later date than this.
      const today = Math.floor(run.clock() / day_ms) * day_ms;
      const reread_from = today - config.COCORAHS_REREAD_DAYS * day_ms;
      const cursor = run.index.cursor();
      // From the cursor on where an outage was longer than what is read again anyway; of that only what was never read.
      const unbroken_from = Math.min(reread_from, cursor === null ? reread_from : dayOfEnd(cursor));
      const days = daysOf({ from: unbroken_from, until: today + day_ms });
      const asked = days.filter((day) => day >= reread_from || !wasRead(run, day));
      await askAll(run, asked, { mode: 'live', unbroken_from });
    },
    history: async (run) => {
      const days = new Set(history.flatMap((period) => pastDays(run, period)));
      if (days.size > 0)
        await readPast(
          run,
          [...days].sort((a, b) => a - b),
        );
    },
    /** Months of the observers' days that the period touches, of all states that are configured, whatever the period's box. */
    plan: async (run, { from, until }: Period) => {
      await run.index.catchUp();
      const touched = { from: dayBefore(from), until: Math.ceil(until / day_ms) * day_ms };
      return stretches(pastDays(run, touched))
        .flatMap(byMonth)
        .map((month): HistoryPart => {
          const days = daysOf(month);
          const unread = days.filter((day) => !isDone(run, day));
          return {
            name: new Date(month.from).toISOString().slice(0, 7),
            requests: stretches(unread).length * states.length,
            bytes: null,
            isRead: () => days.every((day) => isDone(run, day)),
            read: (part_run) => readPast(part_run, days),
          };
        });
    },
  };
}

/** The evening of an observer's day lies on the next day UTC. */
function dayBefore(at_ms: number): number {
  return Math.floor(at_ms / day_ms) * day_ms - day_ms;
}

/** The last days are asked for at once even across a month's end, or every state would be asked twice. */
function notTooLong(days: Days): Days[] {
  return days.until - days.from <= 31 * day_ms ? [days] : byMonth(days);
}
