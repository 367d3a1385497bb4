import { day_ms, formatDay } from '../../hail/time.ts';
import type { Config } from '../../runtime/config.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { SliceReading } from '../../log/facts.ts';
import { daysOf, wholeDays } from '../days.ts';
import type { Feed, HistoryPart } from '../feed.ts';
import { parseHistory } from '../history-setting.ts';
import { points } from '../kinds/points.ts';
import type { PollRun } from '../poll.ts';
import { createAsker, dataset } from './ask.ts';
import { parseCatalogue, type DatasetPeriod } from './catalogue.ts';
import { outsidePart, planDays } from './history.ts';
import { parseBox, sliceName } from './slices.ts';

const max_catalogue_bytes = 4 * 1024 * 1024;

type SwdiConfig = Pick<
  Config,
  'SWDI_URL' | 'SWDI_SCHEDULE' | 'SWDI_BBOX' | 'SWDI_REREAD_DAYS' | 'SWDI_HISTORY'
>;

interface Catalogue {
  period: DatasetPeriod;
  sha256: string;
  /** What is odd about it, without full stops. */
  remarks: string[];
}

/** Radar hail signatures: queries by box and days, revised for weeks. A day in the configured box is a slice. */
export function radarHail(config: SwdiConfig): Feed {
  const configured = parseBox(config.SWDI_BBOX);
  const history = parseHistory('SWDI_HISTORY', config.SWDI_HISTORY);
  const catalogue_url = joinUrl(config.SWDI_URL, '/swdiws/xml');
  const asker = createAsker(config.SWDI_URL);
  const wasRead = ({ index }: PollRun, day: number): boolean =>
    index.slice(sliceName(day, configured)) !== null;

  const readCatalogue = async (run: PollRun): Promise<Catalogue> => {
    const body = await run.get(catalogue_url, max_catalogue_bytes);
    await run.index.catchUp();
    const period = parseCatalogue(body.bytes.toString('utf8'), dataset);
    const { sha256 } = body;
    const today = Math.floor(run.clock() / day_ms) * day_ms;
    if (period.ends_ms <= today) return { period, sha256, remarks: [] };
    // A day to come would be answered with no hail, and a cursor beyond today would never be passed again.
    const remark = `The catalogue ends on ${formatDay(period.ends_ms)}, which is yet to come; it is read until today`;
    return { period: { ...period, ends_ms: today }, sha256, remarks: [remark] };
  };

  /** The end of the newest whole day before which every day from the given one on has been read; null where not even that one was. */
  const readThrough = (
    run: PollRun,
    { from, whole_until }: { from: number; whole_until: number },
    just_read: readonly SliceReading[],
  ): number | null => {
    const now = new Set(just_read.filter(({ complete }) => complete).map(({ slice }) => slice));
    let reached = from;
    while (reached < whole_until && (now.has(sliceName(reached, configured)) || wasRead(run, reached))) {
      reached += day_ms;
    }
    return reached > from ? reached : null;
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
        const { sha256, remarks } = catalogue;
        found.period = catalogue.period;
        return { outcome: 'read', readings: [], sha256, read_through: null, detail: sentences(remarks) };
      });
      if (found.period === null) return;
      const { begins_ms, ends_ms: whole_until } = found.period;
      const reread_from = Math.max(begins_ms, whole_until - config.SWDI_REREAD_DAYS * day_ms);
      const cursor_day = Math.floor((run.index.cursor() ?? reread_from) / day_ms) * day_ms;
      // From the cursor on where an outage was longer than what is read again anyway; of that only what is not read yet.
      const from = Math.max(begins_ms, Math.min(reread_from, cursor_day));
      const days = daysOf({ from, until: whole_until + day_ms }).filter(
        (day) => day >= reread_from || !run.index.isSettled(sliceName(day, configured)),
      );
      await asker.askAll(run, days, {
        mode: 'live',
        box: configured,
        whole_until,
        readThrough: (readings) => readThrough(run, { from, whole_until }, readings),
      });
    },
    history: async (run) => {
      await run.index.catchUp();
      // Configured periods may overlap; a day is asked for once.
      const days = [...new Set(history.flatMap(daysOf))].sort((a, b) => a - b);
      const unread = days.filter((day) => !run.index.isSettled(sliceName(day, configured)));
      if (unread.length === 0) return;
      let parts: HistoryPart[] = [];
      await run.settle('backfill', catalogue_url, async () => {
        const { period, sha256, remarks } = await readCatalogue(run);
        const planned = planDays(run, unread, period, { box: configured, configured, ...asker });
        parts = planned.parts;
        const count = planned.outside.length;
        if (count > 0) remarks.push(`${count} days of the configured history lie outside of the inventory`);
        return { outcome: 'read', readings: [], sha256, read_through: null, detail: sentences(remarks) };
      });
      for (const part of parts) if (!run.signal.aborted) await part.read(run);
    },
    /**
     * The months of the period in its box, or in the configured one: a part asks only for the days that have not been read. Days that the
     * inventory does not hold are one part more, which says so. Fails like a poll where there is no catalogue.
     */
    plan: async (run, asked) => {
      const { period } = await readCatalogue(run);
      const { parts, outside } = planDays(run, daysOf(wholeDays(asked)), period, {
        box: asked.box ?? configured,
        configured,
        ...asker,
      });
      return outside.length === 0 ? parts : [...parts, outsidePart(outside, catalogue_url)];
    },
  };
}

function sentences(remarks: readonly string[]): string | null {
  return remarks.length === 0 ? null : `${remarks.join('. ')}.`;
}
