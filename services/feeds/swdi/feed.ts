import { day_ms, formatDay } from '../../hail/time.ts';
import type { Config } from '../../runtime/config.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { SliceReading } from '../../log/facts.ts';
import type { Feed } from '../feed.ts';
import { points, type Draft } from '../kinds/points.ts';
import type { Mode, PollRun, Settled } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import { parseCatalogue, type DatasetPeriod } from './catalogue.ts';
import { observeSignature } from './observe.ts';
import { parseSignatures } from './parse.ts';
import {
  byMonth,
  daySlices,
  daysOf,
  halves,
  parseBox,
  parseHistory,
  sliceName,
  stretches,
  type Days,
} from './slices.ts';

/** Filtered signatures (probability 100 %, a size); the unfiltered data set is another matter. */
const dataset = 'nx3hail';
const max_catalogue_bytes = 4 * 1024 * 1024;
/** About a million rows; more is asked for in smaller pieces. */
const max_answer_bytes = 64 * 1024 * 1024;

type SwdiConfig = Pick<
  Config,
  'SWDI_URL' | 'SWDI_SCHEDULE' | 'SWDI_BBOX' | 'SWDI_REREAD_DAYS' | 'SWDI_HISTORY'
>;

/** What days are asked for, and how far the inventory and the cursor reach. */
interface Asking {
  mode: Mode;
  /** Midnight of the inventory's last day, which may still be filling: days before it are whole. */
  whole_until: number;
  /** Where the stretch begins that a live reading keeps free of gaps; null for history, which proves no freshness. */
  unbroken_from: number | null;
}

/** Radar hail signatures: queries by box and days, revised for weeks. A day in the configured box is a slice. */
export function radarHail(config: SwdiConfig): Feed {
  const box = parseBox(config.SWDI_BBOX);
  const history = parseHistory(config.SWDI_HISTORY);
  const catalogue_url = joinUrl(config.SWDI_URL, '/swdiws/xml');
  const wasRead = ({ index }: PollRun, day: number): boolean => index.slice(sliceName(day, box)) !== null;

  const urlOf = ({ from, until }: Days): string => {
    const [first, last] = [formatDay(from), formatDay(until)].map((day) => day.replaceAll('-', ''));
    const sides = [box.west, box.south, box.east, box.north].join(',');
    return joinUrl(config.SWDI_URL, `/swdiws/csv/${dataset}/${first}:${last}?bbox=${sides}`);
  };

  const readCatalogue = async (run: PollRun): Promise<{ period: DatasetPeriod; sha256: string }> => {
    const body = await run.get(catalogue_url, max_catalogue_bytes);
    await run.index.catchUp();
    return { period: parseCatalogue(body.bytes.toString('utf8'), dataset), sha256: body.sha256 };
  };

  /** The end of the newest whole day before which every day of the live stretch has been read; null where not even the first was. */
  const readThrough = (run: PollRun, asking: Asking, just_read: readonly SliceReading[]): number | null => {
    const { unbroken_from, whole_until } = asking;
    if (unbroken_from === null) return null;
    const now = new Set(just_read.filter(({ complete }) => complete).map(({ slice }) => slice));
    let reached = unbroken_from;
    while (reached < whole_until && (now.has(sliceName(reached, box)) || wasRead(run, reached))) {
      reached += day_ms;
    }
    return reached > unbroken_from ? reached : null;
  };

  const readDays = async (run: PollRun, days: Days, asking: Asking): Promise<Settled> => {
    const url = urlOf(days);
    const body = await run.get(url, max_answer_bytes);
    const provenance = run.provenance(url, body, null);
    function* drafts(): Generator<Draft> {
      for (const row of parseSignatures(body.bytes)) {
        const draft = observeSignature(row, (at) => sliceName(at, box), provenance);
        requireInside(draft, days);
        yield draft;
      }
    }
    const slicesOf = (): ReturnType<typeof daySlices> => daySlices(days, box, asking.whole_until);
    const { readings, refused, doubled } = await run.publish(drafts(), slicesOf, provenance);
    return {
      outcome: 'read',
      readings,
      refused,
      sha256: body.sha256,
      read_through: readThrough(run, asking, readings),
      detail:
        doubled === 0
          ? null
          : `${doubled} rows came again under a station, time and cell with other content, the largest size counts.`,
    };
  };

  /** Asks for a stretch; where the answer is not whole or too large, for its halves, down to a day. */
  const ask = async (run: PollRun, days: Days, asking: Asking): Promise<void> => {
    const smaller = halves(days);
    const settled = await run.settle(asking.mode, urlOf(days), async () => {
      try {
        return await readDays(run, days, asking);
      } catch (error) {
        const is_too_much =
          error instanceof PollFailed && (error.reason === 'count-mismatch' || error.reason === 'too-large');
        if (is_too_much && smaller !== null) return { outcome: 'asked_smaller' };
        throw error;
      }
    });
    if (settled?.outcome !== 'asked_smaller' || smaller === null) return;
    for (const half of smaller) await ask(run, half, asking);
  };

  const askAll = async (run: PollRun, days: readonly number[], asking: Asking): Promise<void> => {
    for (const chunk of stretches(days).flatMap(byMonth)) {
      if (run.signal.aborted) return;
      await ask(run, chunk, asking);
    }
  };

  return {
    feed: 'radar_hail',
    publisher: 'NEXRAD_SWDI',
    kind: points,
    schedule: config.SWDI_SCHEDULE,
    poll: async (run) => {
      const found: { period: DatasetPeriod | null } = { period: null };
      await run.settle('live', catalogue_url, async () => {
        const catalogue = await readCatalogue(run);
        found.period = catalogue.period;
        return { outcome: 'read', readings: [], sha256: catalogue.sha256, read_through: null };
      });
      if (found.period === null) return;
      const { begins_ms, ends_ms } = found.period;
      const reread_from = Math.max(begins_ms, ends_ms - config.SWDI_REREAD_DAYS * day_ms);
      const cursor_day = Math.floor((run.index.cursor() ?? reread_from) / day_ms) * day_ms;
      // From the cursor on where an outage was longer than what is read again anyway; of that only what was never read.
      const unbroken_from = Math.max(begins_ms, Math.min(reread_from, cursor_day));
      const days = daysOf({ from: unbroken_from, until: ends_ms + day_ms }).filter(
        (day) => day >= reread_from || !wasRead(run, day),
      );
      await askAll(run, days, { mode: 'live', whole_until: ends_ms, unbroken_from });
    },
    history: async (run) => {
      await run.index.catchUp();
      const unread = history.flatMap(daysOf).filter((day) => !wasRead(run, day));
      if (unread.length === 0) return;
      let asked: number[] = [];
      let whole_until = 0;
      await run.settle('backfill', catalogue_url, async () => {
        const { period, sha256 } = await readCatalogue(run);
        // A day that the inventory does not hold yet would be answered with no hail.
        asked = unread.filter((day) => day >= period.begins_ms && day < period.ends_ms);
        whole_until = period.ends_ms;
        const outside = unread.length - asked.length;
        return {
          outcome: 'read',
          readings: [],
          sha256,
          read_through: null,
          detail:
            outside === 0 ? null : `${outside} days of the configured history lie outside of the inventory.`,
        };
      });
      await askAll(run, asked, { mode: 'backfill', whole_until, unbroken_from: null });
    },
  };

  /** A row outside of what was asked for means another question was answered. The box's edges may be rounded by the service. */
  function requireInside({ began_at, lat, lon }: Draft, { from, until }: Days): void {
    const in_time = began_at !== null && began_at >= from && began_at < until;
    const slack = 0.01;
    const in_box =
      lat === null ||
      lon === null ||
      (lat >= box.south - slack &&
        lat <= box.north + slack &&
        lon >= box.west - slack &&
        lon <= box.east + slack);
    if (!in_time || !in_box)
      throw new PollFailed(
        'not-the-format',
        'The answer has rows outside of the days and the box asked for.',
      );
  }
}
