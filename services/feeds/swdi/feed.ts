import { day_ms, formatDay } from '../../hail/time.ts';
import type { Config } from '../../runtime/config.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { Feed } from '../feed.ts';
import type { Draft } from '../index/standing.ts';
import type { Mode, PollRun, Settled } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import { parseCatalogue } from './catalogue.ts';
import { observeSignature } from './observe.ts';
import { parseSignatures } from './parse.ts';
import { byMonth, daySlices, halves, parseBox, parseHistory, sliceName, type Days } from './slices.ts';

/** Filtered signatures (probability 100 %, a size); the unfiltered data set is another matter. */
const dataset = 'nx3hail';
const max_catalogue_bytes = 4 * 1024 * 1024;
const max_answer_bytes = 256 * 1024 * 1024;

type SwdiConfig = Pick<
  Config,
  'SWDI_URL' | 'SWDI_SCHEDULE' | 'SWDI_BBOX' | 'SWDI_REREAD_DAYS' | 'SWDI_HISTORY'
>;

/** Radar hail signatures: queries by box and days, revised for weeks. A day in the configured box is a slice. */
export function radarHail(config: SwdiConfig): Feed {
  const box = parseBox(config.SWDI_BBOX);
  const history = parseHistory(config.SWDI_HISTORY);
  const catalogue_url = joinUrl(config.SWDI_URL, '/swdiws/xml');

  const urlOf = ({ from, until }: Days): string => {
    const [first, last] = [formatDay(from), formatDay(until)].map((day) => day.replaceAll('-', ''));
    const sides = [box.west, box.south, box.east, box.north].join(',');
    return joinUrl(config.SWDI_URL, `/swdiws/csv/${dataset}/${first}:${last}?bbox=${sides}`);
  };

  const readDays = async (run: PollRun, days: Days, read_through: number | null): Promise<Settled> => {
    const url = urlOf(days);
    const body = await run.get(url, max_answer_bytes);
    const provenance = run.provenance(url, body, null);
    const rows = parseSignatures(body.bytes.toString('utf8'));
    const drafts = rows.map((row) => observeSignature(row, (at) => sliceName(at, box), provenance));
    for (const draft of drafts) requireInside(draft, days);
    const { readings, doubled } = await run.publish(drafts, () => daySlices(days, box), provenance);
    const detail =
      doubled === 0 ? null : `${doubled} rows came more than once under one station, time and cell.`;
    return { outcome: 'read', readings, sha256: body.sha256, read_through, detail };
  };

  /** Asks for a stretch; where the count does not agree, for its halves, down to a day. True when all of it was read. */
  const ask = async (run: PollRun, mode: Mode, days: Days, read_through: number | null): Promise<boolean> => {
    const found: { halves: [Days, Days] | null } = { halves: null };
    const settled = await run.settle(mode, urlOf(days), async () => {
      try {
        return await readDays(run, days, read_through);
      } catch (error) {
        if (error instanceof PollFailed && error.reason === 'count-mismatch') found.halves = halves(days);
        throw error;
      }
    });
    if (found.halves === null) return settled !== null;
    const [first, second] = found.halves;
    const first_read = await ask(run, mode, first, null);
    return (await ask(run, mode, second, first_read ? read_through : null)) && first_read;
  };

  return {
    feed: 'radar_hail',
    publisher: 'NEXRAD_SWDI',
    schedule: config.SWDI_SCHEDULE,
    poll: async (run) => {
      const found: { live: Days | null; through: number } = { live: null, through: 0 };
      await run.settle('live', catalogue_url, async () => {
        const body = await run.get(catalogue_url, max_catalogue_bytes);
        const period = parseCatalogue(body.bytes.toString('utf8'), dataset);
        await run.index.catchUp();
        const reread_from = period.ends_ms - config.SWDI_REREAD_DAYS * day_ms;
        const cursor = run.index.cursor() ?? reread_from;
        // From the cursor where an outage was longer than what is read again anyway.
        const from = Math.max(period.begins_ms, Math.min(reread_from, Math.floor(cursor / day_ms) * day_ms));
        found.live = { from, until: period.ends_ms + day_ms };
        found.through = period.ends_ms;
        return { outcome: 'read', readings: [], sha256: body.sha256, read_through: null };
      });
      if (found.live === null) return;
      let unbroken = true;
      for (const days of byMonth(found.live)) {
        if (run.signal.aborted) return;
        const read = await ask(run, 'live', days, unbroken ? Math.min(days.until, found.through) : null);
        unbroken &&= read;
      }
    },
    history: async (run) => {
      await run.index.catchUp();
      for (const days of history.flatMap(byMonth)) {
        if (run.signal.aborted) return;
        const missing = daySlices(days, box).some(({ slice }) => run.index.slice(slice) === null);
        if (missing) await ask(run, 'backfill', days, null);
      }
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
