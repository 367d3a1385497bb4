import { day_ms, formatDay, formatSecond, hour_ms } from '../../hail/time.ts';
import type { Config } from '../../runtime/config.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { Days } from '../days.ts';
import type { Feed, HistoryPart } from '../feed.ts';
import { parseHistory } from '../history-setting.ts';
import { alert_slice, alerts } from '../kinds/alerts.ts';
import type { PollRun } from '../poll.ts';
import { readAlerts } from './read.ts';
import { isWhole, settledBy } from './settle.ts';

/** How far back the publisher lists messages; before that there is nothing to ask for. */
const listed_days = 7;
/** A day counts as over when its last messages have had the time to be listed. */
const listing_lag_ms = hour_ms;

/**
 * Warnings that speak of hail: one question for all alerts of the country. It is not filtered by event, because a filter's spelling that the
 * publisher does not know would be answered like a country without warnings; and it has no `limit`, which this question refuses.
 */
export function nwsAlerts(config: Pick<Config, 'NWS_URL' | 'NWS_SCHEDULE' | 'NWS_HISTORY'>): Feed {
  const base = config.NWS_URL;
  const active = { base, path: '/alerts/active', query: '?status=actual' };
  const history = parseHistory('NWS_HISTORY', config.NWS_HISTORY);

  const readDay = async (run: PollRun, day: number): Promise<void> => {
    const until = Math.min(day + day_ms, run.clock());
    const query = `?start=${formatSecond(day)}&end=${formatSecond(until)}&status=actual&limit=500`;
    const asked = { base, path: '/alerts', query };
    await run.settle('backfill', joinUrl(base, asked.path + query), async () => {
      const read = await readAlerts(run, asked);
      const is_over = run.clock() >= day + day_ms + listing_lag_ms;
      const of_day = { slice: formatDay(day), from: day, until, box: null, publisher_version: null };
      return settledBy(run, read, { ...of_day, complete: is_over && isWhole(read) }, null);
    });
  };

  const plan = (run: PollRun, { from, until }: Days): HistoryPart[] => {
    const now = run.clock();
    const first = Math.max(
      Math.floor(from / day_ms) * day_ms,
      // The first whole day that is still listed.
      Math.ceil((now - listed_days * day_ms) / day_ms) * day_ms,
    );
    const parts: HistoryPart[] = [];
    for (let day = first; day < Math.min(until, now); day += day_ms) {
      parts.push({
        name: formatDay(day),
        // The first page; a stormy day has more.
        requests: 1,
        bytes: null,
        isRead: () => run.index.isSettled(formatDay(day)),
        read: (reading) => readDay(reading, day),
      });
    }
    return parts;
  };

  return {
    feed: 'nws_alerts',
    publisher: 'NWS_ALERT',
    kind: alerts,
    schedule: config.NWS_SCHEDULE,
    poll: async (run) => {
      await run.settle('live', joinUrl(base, active.path + active.query), async () => {
        const read = await readAlerts(run, active);
        const at = read.provenance.retrieved_at;
        const now = { slice: alert_slice, from: at, until: at, box: null, publisher_version: null };
        return settledBy(run, read, { ...now, complete: false }, isWhole(read) ? at : null);
      });
    },
    history: async (run) => {
      await run.index.catchUp();
      for (const days of history) {
        for (const part of plan(run, days)) {
          if (run.signal.aborted) return;
          if (!part.isRead()) await part.read(run);
        }
      }
    },
    /** The last seven days, whatever the box: an event is asked for as a whole. Nothing before them can be read any more. */
    plan: (run, period) => Promise.resolve(plan(run, period)),
  };
}
