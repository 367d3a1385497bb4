import { join } from 'node:path';
import { convectiveDay, day_ms } from '../../../services/hail/time.ts';
import { notReal, textResponse, type Handler, type SandboxResponse } from '../handler.ts';
import { validated } from '../validators.ts';
import { dayName, parseDayName, readRecordedDays } from './recorded-days.ts';

const path = '/climo/reports/';

/** A day without reports: what the real service gives for it, 52 bytes or so. */
const empty_day = 'Time,Size,Location,County,State,Lat,Lon,Comments\n';

/**
 * How many days before today have a file although nothing is recorded of them. A service that runs at any time reads the last days again
 * and again, and a missing file is a failure there; days further back are simply not recorded.
 */
const quiet_days = 7;

/**
 * The daily files of hail reports: `today_hail.csv` and `yesterday_hail.csv` by the request's time (a convective day runs from 12Z to 12Z),
 * and the days by name. A recorded day is shown as it stood at that time; before its first recording it is a day without reports.
 */
export function stormPredictionCenter(recordings: string): Handler {
  const recorded = readRecordedDays(join(recordings, 'spc'));

  return ({ url, headers, now_ms }) => {
    if (!url.pathname.startsWith(path)) return null;
    const today = convectiveDay(now_ms) * day_ms;
    const day = dayOf(url.pathname.slice(path.length), today);
    if (day === null || day > today) return missing();
    const snapshots = recorded.get(dayName(day));
    const snapshot = snapshots?.findLast(({ taken_ms }) => taken_ms <= now_ms);
    if (snapshot !== undefined) {
      return validated({ headers }, csv(snapshot.bytes), { modified_ms: snapshot.taken_ms });
    }
    if (snapshots === undefined && day < today - quiet_days * day_ms) return missing();
    return notReal(validated({ headers }, csv(Buffer.from(empty_day))), 'empty-day');
  };
}

/** The midnight that names the convective day of a file; null for what is no daily hail file. */
function dayOf(name: string, today: number): number | null {
  if (name === 'today_hail.csv') return today;
  if (name === 'yesterday_hail.csv') return today - day_ms;
  const [, day] = /^(\d{6})_rpts_hail\.csv$/.exec(name) ?? [];
  return day === undefined ? null : parseDayName(day);
}

function csv(body: Buffer): SandboxResponse {
  return { status: 200, headers: { 'Content-Type': 'text/csv', 'Cache-Control': 'max-age=300' }, body };
}

function missing(): SandboxResponse {
  return textResponse(404, 'text/html', '<h1>Not Found</h1>');
}
