import { granuleId } from '../../hail/grid.ts';
import { day_ms, formatDay } from '../../hail/time.ts';
import type { HistoryPart, Period } from '../feed.ts';
import type { PollRun } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import type { GranuleDecoder } from './granule-decoder.ts';
import { dayPrefix } from './keys.ts';
import type { KnownGranules } from './known-granules.ts';
import { listGranules, listingUrl, type ListedGranule } from './list-granules.ts';
import type { MeshProduct } from './products.ts';
import type { GranuleReader } from './read-granule.ts';

interface HistoryDeps {
  reader: GranuleReader;
  decoder: GranuleDecoder;
  knownIn: (run: PollRun) => KnownGranules;
}

interface HistoryOptions {
  base: string;
  product: MeshProduct;
  reread_ms: number;
}

/** A day of history. */
export interface DayPart extends HistoryPart {
  /** All that could be read was, in this process; what is missing (no granule listed, or refused) will not come by asking again soon. */
  isGivenUp: () => boolean;
}

/**
 * History by days. The part of a day is the granules whose time lies in it: those stamped after its midnight up to the next midnight, which is
 * one listing of the day and the first key of the next.
 */
export function createHistoryPlan(
  { reader, decoder, knownIn }: HistoryDeps,
  { base, product, reread_ms }: HistoryOptions,
): (run: PollRun, period: Period) => DayPart[] {
  // Days of which this process has listed all and found all read. Drifting stamps cannot be known without a listing, and neither can an hour
  // that the publisher never issued.
  const whole = new Set<number>();
  const given_up = new Set<number>();
  /** Late granules and new issues still come until then. */
  const isOver = (run: PollRun, day: number): boolean => day + day_ms < run.clock() - reread_ms;

  const readDay = async (run: PollRun, day: number): Promise<void> => {
    const known = knownIn(run);
    let granules: ListedGranule[] = [];
    const unread = (): ListedGranule[] => granules.filter((granule) => !known.isRead(granule));
    const listed = await run.settle('backfill', listingUrl(base, dayPrefix(product, day)), async () => {
      await run.index.catchUp();
      const through = Math.min(day + day_ms, run.clock());
      const listing = await listGranules(run, base, product, { from: day + 1, through });
      ({ granules } = listing);
      if (granules.length === 0) {
        if (isOver(run, day)) given_up.add(day);
        throw new PollFailed('empty-listing', `The bucket lists no granule of ${formatDay(day)}.`);
      }
      return unread().length > 0
        ? { outcome: 'read', readings: [], sha256: listing.sha256, read_through: null }
        : { outcome: 'not_modified', read_through: null };
    });
    if (listed === null) return;
    try {
      // Granules that were refused before are asked for once more: who reads history on purpose is told what is wrong each time.
      for (const granule of unread()) {
        if (run.signal.aborted) return;
        known.ended(granule, await reader.read(run, granule, 'backfill', () => null));
      }
    } finally {
      await decoder.rest();
    }
    if (!isOver(run, day)) return;
    if (unread().length === 0) whole.add(day);
    if (unread().every(known.isRefused)) given_up.add(day);
  };

  return (run, { from, until }) => {
    const first = Math.floor(from / day_ms) * day_ms;
    const end = Math.min(until, run.clock());
    const count = Math.max(0, Math.ceil((end - first) / day_ms));
    return Array.from({ length: count }, (_, at): DayPart => {
      const day = first + at * day_ms;
      const missing = (): number =>
        expectedStamps(product, day).filter((stamp) => !isSettled(run, stamp)).length;
      return {
        name: formatDay(day),
        requests: missing() + 2,
        bytes: missing() * product.typical_bytes,
        isRead: () => whole.has(day) || (product.every_ms !== null && missing() === 0),
        isGivenUp: () => given_up.has(day),
        read: (reading_run) => readDay(reading_run, day),
      };
    });
  };

  function isSettled({ index }: PollRun, stamp: number): boolean {
    return index.isSettled(granuleId({ product: product.name, stamp }));
  }
}

/** The stamps of a day if the publisher keeps to its plan: exact for hourly granules, a number of them for drifting ones. */
function expectedStamps({ every_ms, span_ms }: MeshProduct, day: number): number[] {
  const step = every_ms ?? span_ms;
  return Array.from({ length: day_ms / step }, (_, at) => day + (at + 1) * step);
}
