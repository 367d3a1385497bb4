import type { Provenance } from '../../hail/observation.ts';
import { day_ms } from '../../hail/time.ts';
import type { Draft } from '../kinds/points.ts';
import type { Mode, PollRun, Settled } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import type { ReadSlice } from '../publish.ts';
import type { YearFile } from './listing.ts';
import { beginOf, isHail, observeDetails } from './observe.ts';
import { parseDetails, type ParseCounts } from './parse.ts';

const max_file_bytes = 128 * 1024 * 1024;

/** Newest events reach the database 75 to 120 days after they happened: a file made later than that after a year's end holds the year. */
const complete_after_ms = 120 * day_ms;

export interface YearCounts extends ParseCounts {
  /** The latest begin of an event of any kind, epoch milliseconds UTC. */
  newest_event: number | null;
}

export interface YearReading {
  url: string;
  mode: Mode;
  /** True where the year's newest event is the feed's cursor: the newest year, read live. */
  proves_freshness: boolean;
}

/**
 * Fetches a year's file, publishes what changed in it and settles the question as one poll fact. Live polls and backfill both read so; only
 * what the reading proves differs.
 */
export function readYear(
  run: PollRun,
  file: YearFile,
  { url, mode, proves_freshness }: YearReading,
): Promise<Settled | null> {
  return run.settle(mode, url, async () => {
    await run.index.catchUp();
    const newest = run.index.newestVersion(String(file.year));
    if (newest !== null && file.stamp < newest) {
      const detail = `Version ${newest} was published before; an older one could only take corrections back.`;
      return { outcome: 'not_modified', read_through: null, detail };
    }
    return publishYear(run, file, url, proves_freshness);
  });
}

async function publishYear(
  run: PollRun,
  { year, stamp }: YearFile,
  url: string,
  proves_freshness: boolean,
): Promise<Settled> {
  const body = await run.get(url, max_file_bytes);
  const provenance = run.provenance(url, body, stamp);
  const slice = String(year);
  const counts: YearCounts = { rows: 0, cp1252_bytes: 0, newest_event: null };
  const hail = hailOf(body.bytes, slice, provenance, counts);
  const slicesOf = (): ReadSlice[] => [
    {
      slice,
      ...periodOf(year, stamp, counts.newest_event),
      box: null,
      publisher_version: stamp,
      complete: true,
    },
  ];
  const { readings, refused, doubled } = await run.publish(hail, slicesOf, provenance);
  const remarks = [
    ...(doubled === 0
      ? []
      : [`${doubled} rows came again under an event id with other content, the largest size counts`]),
    ...(counts.cp1252_bytes === 0 ? [] : [`${counts.cp1252_bytes} bytes were read as cp1252`]),
  ];
  return {
    outcome: 'read',
    readings,
    refused,
    sha256: body.sha256,
    read_through: proves_freshness ? counts.newest_event : null,
    detail: remarks.length === 0 ? null : `${remarks.join('; ')}.`,
  };
}

/**
 * The hail of a details file, row by row, and in `counts` what the whole file holds. Fails as `PollFailed` where the bytes are no whole
 * details file, which is known only after the last row.
 */
export async function* hailOf(
  bytes: Buffer,
  slice: string,
  provenance: Provenance,
  counts: YearCounts,
): AsyncGenerator<Draft> {
  for await (const row of parseDetails(bytes, counts)) {
    const began_at = beginOf(row);
    // An event later than its file was fetched is a slip of the pen; as a cursor it would never be passed again.
    const is_possible = began_at !== null && began_at <= provenance.retrieved_at;
    if (is_possible && (counts.newest_event === null || began_at > counts.newest_event)) {
      counts.newest_event = began_at;
    }
    if (!isHail(row)) continue;
    if (!/^\d{1,18}$/.test(row.EVENT_ID))
      throw new PollFailed('not-the-format', 'A hail row has no event id.');
    yield observeDetails(row, slice, provenance);
  }
}

/**
 * A stamp newer than the newest complete reading of the year, or that reading left something to mend. An older one than was ever published
 * is never read: it could only take corrections back.
 */
export function isNews({ index }: PollRun, { year, stamp }: YearFile): boolean {
  const slice = String(year);
  if (stamp < (index.newestVersion(slice) ?? '')) return false;
  const read = index.slice(slice)?.publisher_version ?? null;
  return read === null || stamp > read || !index.isSettled(slice);
}

/**
 * The period a year's file speaks for: the year, or as far as its newest event where the file is younger than the year's last reports. A
 * file without any event speaks for nothing: no year has been without one, so it is not the proof that no hail fell.
 */
export function periodOf(
  year: number,
  stamp: string,
  newest_event: number | null,
): { from: number; until: number } {
  const from = Date.UTC(year, 0, 1);
  if (newest_event === null) return { from, until: from };
  const end = Date.UTC(year + 1, 0, 1);
  const made = Date.UTC(Number(stamp.slice(0, 4)), Number(stamp.slice(4, 6)) - 1, Number(stamp.slice(6)));
  return {
    from,
    until: made >= end + complete_after_ms ? end : Math.max(from, Math.min(end, newest_event)),
  };
}
