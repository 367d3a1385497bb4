import { day_ms, hour_ms, minute_ms } from '../../hail/time.ts';
import type { Config } from '../../runtime/config.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { Feed, HistoryPart, Period } from '../feed.ts';
import { parseHistory } from '../history-setting.ts';
import { points } from '../kinds/points.ts';
import type { Mode, PollRun, Settled } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import type { IfModified } from '../publisher-access.ts';
import type { ReadSlice } from '../publish.ts';
import { byMonthName, namedFile, reportDay, reportDays, type ReportDay } from './days.ts';
import { contentOf, isAhead, observeReports } from './observe.ts';
import { parseReports, type ReportRow } from './parse.ts';

const folder = '/climo/reports/';
/** The busiest day has some hundred reports of about 75 bytes. */
const max_file_bytes = 16 * 1024 * 1024;
/** The archive of daily files begins here; before it a missing file says nothing. */
const archive_begins = Date.parse('2004-03-01T12:00:00Z');
/** So long after 12Z the file of the day that ended may not be there yet, and today's may still be yesterday's. */
const turning_ms = 6 * hour_ms;
/** So long before 12Z today's file may be tomorrow's already: clocks differ, and an empty new file would take a day's reports back. */
const closing_ms = 10 * minute_ms;

/** What the days of one poll share. */
interface Asking {
  mode: Mode;
  /** Asked at the beginning of the poll: which day is today must not change within it. */
  today: ReportDay;
  /** The first day that a live reading keeps free of gaps, up to which the feed is called fresh; null for history. */
  unbroken_from: ReportDay | null;
  /** Days older than those that are read again, whose file the publisher does not have: they will never come. */
  missing: Set<string>;
  /** Through which instant each day was read by this poll, by name. */
  read_until: Map<string, number>;
}

/** Storm reports of the SPC, preliminary and never cited: a daily file, rewritten all day and after. A convective day is a slice. */
export function stormReports(
  config: Pick<Config, 'SPC_URL' | 'SPC_SCHEDULE' | 'SPC_REREAD_DAYS' | 'SPC_HISTORY'>,
): Feed {
  const history = parseHistory('SPC_HISTORY', config.SPC_HISTORY);
  const urlOf = (day: ReportDay, { today }: Pick<Asking, 'today'>): string =>
    joinUrl(config.SPC_URL, folder + (day.name === today.name ? 'today_hail.csv' : namedFile(day)));

  const rereadFrom = (today: ReportDay): number => today.from - config.SPC_REREAD_DAYS * day_ms;

  /** Days of the configured history that the publisher has no file of: asked once a process, not with every poll. */
  const gone = new Set<string>();

  const readDay = async (run: PollRun, day: ReportDay, asking: Asking): Promise<Settled> => {
    const url = urlOf(day, asking);
    const asked_at = run.clock();
    const is_today = day.name === asking.today.name;
    if (is_today && asked_at > day.until - closing_ms) {
      return nothingRead(
        'The file of today is about to be turned over, and the day has a file of its own then.',
      );
    }
    const asked = run.index.isSettled(day.name)
      ? run.getIfModified(url, max_file_bytes)
      : run.get(url, max_file_bytes).then((body): IfModified => ({ modified: true, body }));
    const answer = await asked.catch((error: unknown) => {
      if (!(error instanceof PollFailed) || error.status !== 404) throw error;
      if (!is_today && asked_at < day.until + turning_ms) return null;
      if (day.from < rereadFrom(asking.today)) asking.missing.add(day.name);
      if (asking.mode === 'backfill') gone.add(day.name);
      throw error;
    });
    if (answer === null) return nothingRead('The file of the day that has just ended is not there yet.');
    const until = Math.min(asked_at, day.until);
    if (!answer.modified) {
      asking.read_until.set(day.name, until);
      return { outcome: 'not_modified', read_through: readThrough(run, asking) };
    }
    const { body } = answer;
    const rows = parseReports(body.bytes);
    if (is_today && (await isOfAnotherDay(run, rows, day, asked_at))) {
      const detail = 'The file of today holds the reports of another day.';
      if (asked_at >= day.from + turning_ms) throw new PollFailed('not-the-format', detail);
      return nothingRead(detail);
    }
    const provenance = run.provenance(url, body, null);
    const slice: ReadSlice = {
      ...{ slice: day.name, from: day.from, until, box: null, publisher_version: null },
      // The newest file of a day is the whole truth of the day, also while it is filling: what is gone from it was taken back.
      complete: true,
    };
    const published = await run.publish(observeReports(rows, day, provenance), () => [slice], provenance);
    const { readings, refused } = published;
    if (readings.length > 0) asking.read_until.set(day.name, until);
    return {
      outcome: 'read',
      readings,
      refused,
      sha256: body.sha256,
      read_through: readThrough(run, asking),
    };
  };

  const askAll = async (run: PollRun, days: readonly ReportDay[], asking: Asking): Promise<void> => {
    for (const day of days) {
      if (run.signal.aborted) return;
      await run.settle(asking.mode, urlOf(day, asking), () => readDay(run, day, asking));
    }
  };

  /** Days that are over and in the archive, of a stretch of time; what is still going on is the live poll's. */
  const pastDays = (run: PollRun, from: number, until: number): ReportDay[] =>
    reportDays(Math.max(from, archive_begins), Math.min(until, reportDay(run.clock()).from));

  const readPast = async (run: PollRun, days: readonly ReportDay[]): Promise<void> => {
    await run.index.catchUp();
    const unread = days.filter((day) => !isDone(run, day));
    await askAll(run, unread, newAsking('backfill', reportDay(run.clock()), null));
  };

  return {
    feed: 'local_storm_reports',
    publisher: 'SPC_LSR',
    kind: points,
    schedule: config.SPC_SCHEDULE,
    poll: async (run) => {
      await run.index.catchUp();
      const today = reportDay(run.clock());
      const reread_from = rereadFrom(today);
      // From the cursor on where an outage was longer than what is read again anyway; of that only what was never read.
      const unbroken_from = Math.min(reread_from, run.index.cursor() ?? reread_from);
      const days = reportDays(unbroken_from, today.until).filter(
        (day) => day.from >= reread_from || !wasRead(run, day),
      );
      await askAll(run, days, newAsking('live', today, reportDay(unbroken_from)));
    },
    history: async (run) => {
      // The setting's days are names of convective days, each from its own 12Z on.
      const half_day = 12 * hour_ms;
      const days = history.flatMap(({ from, until }) => pastDays(run, from + half_day, until + half_day));
      const unmissed = days.filter(({ name }) => !gone.has(name));
      if (unmissed.length > 0) await readPast(run, unmissed);
    },
    /** Months of the days that the period touches. The files are national, so the period's box narrows nothing. */
    plan: async (run, { from, until }: Period) => {
      await run.index.catchUp();
      return [...byMonthName(pastDays(run, from, until))].map(([name, days]): HistoryPart => ({
        name,
        requests: days.filter((day) => !isDone(run, day)).length,
        bytes: null,
        isRead: () => days.every((day) => isDone(run, day)),
        read: (part_run) => readPast(part_run, days),
      }));
    },
  };
}

function newAsking(mode: Mode, today: ReportDay, unbroken_from: ReportDay | null): Asking {
  return { mode, today, unbroken_from, missing: new Set(), read_until: new Map() };
}

/** A day counts as read once it was read after its end: while it lasts its file is only the truth so far. */
function wasRead({ index }: PollRun, day: ReportDay): boolean {
  return (index.slice(day.name)?.read_at ?? -Infinity) >= day.until;
}

/** History is done with a day once it was read and left nothing to mend: no dead message stands in its way. */
function isDone(run: PollRun, day: ReportDay): boolean {
  return wasRead(run, day) && run.index.isSettled(day.name);
}

/** The instant up to which no day of the live stretch is missing; null where not even the first was read. */
function readThrough(run: PollRun, { unbroken_from, read_until, missing, today }: Asking): number | null {
  if (unbroken_from === null) return null;
  let reached: number | null = null;
  for (const day of reportDays(unbroken_from.from, today.until)) {
    const read = read_until.get(day.name) ?? (wasRead(run, day) ? day.until : null);
    if (read === null && !missing.has(day.name)) break;
    reached = read ?? reached;
    if (read !== null && read < day.until) break;
  }
  return reached;
}

/**
 * The file of today is turned over at some time after 12Z, and until then holds the reports of the day before. They name no date: taken for
 * today's they would stand a day late. So a file of which most rows lie in the future, or stand as reports of the day before, is not
 * today's. A single row in the future is a slip of the pen and costs only itself.
 */
async function isOfAnotherDay(
  { index }: PollRun,
  rows: readonly ReportRow[],
  day: ReportDay,
  asked_at: number,
): Promise<boolean> {
  if (rows.length === 0) return false;
  // What this poll has published of the day before counts too.
  await index.catchUp();
  const before = reportDay(day.from - 1);
  const isElsewhere = (row: ReportRow): boolean =>
    isAhead(row, day, asked_at) || (index.record(`${contentOf(row, before)}#1`)?.slice ?? '') === before.name;
  return rows.filter(isElsewhere).length * 2 > rows.length;
}

function nothingRead(detail: string): Settled {
  return { outcome: 'read', readings: [], sha256: null, read_through: null, detail };
}
