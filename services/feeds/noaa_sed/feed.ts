import { day_ms } from '../../hail/time.ts';
import type { Config } from '../../runtime/config.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { Feed } from '../feed.ts';
import { points, type Draft } from '../kinds/points.ts';
import type { PollRun, Settled } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import type { ReadSlice } from '../publish.ts';
import { parseListing, type YearFile } from './listing.ts';
import { beginOf, isHail, observeDetails } from './observe.ts';
import { parseDetails, type ParseCounts } from './parse.ts';

const folder = '/pub/data/swdi/stormevents/csvfiles/';
const max_listing_bytes = 16 * 1024 * 1024;
const max_file_bytes = 128 * 1024 * 1024;

/** Newest events reach the database 75 to 120 days after they happened: a file made later than that after a year's end holds the year. */
const complete_after_ms = 120 * day_ms;

/** Storm Events: yearly files, rewritten at any time under a new creation stamp. A data year is a slice. */
export function stormEvents(
  config: Pick<Config, 'NOAA_SED_URL' | 'NOAA_SED_SCHEDULE' | 'NOAA_SED_FIRST_YEAR'>,
): Feed {
  const listing_url = joinUrl(config.NOAA_SED_URL, folder);

  const readYear = async (
    run: PollRun,
    { year, stamp, file }: YearFile,
    is_newest_year: boolean,
  ): Promise<Settled> => {
    const url = listing_url + file;
    const body = await run.get(url, max_file_bytes);
    const provenance = run.provenance(url, body, stamp);
    const slice = String(year);
    const counts: ParseCounts = { rows: 0, cp1252_bytes: 0 };
    let newest_event: number | null = null;
    async function* hail(): AsyncGenerator<Draft> {
      for await (const row of parseDetails(body.bytes, counts)) {
        const began_at = beginOf(row);
        // An event later than its file was fetched is a slip of the pen; as a cursor it would never be passed again.
        const is_possible = began_at !== null && began_at <= provenance.retrieved_at;
        if (is_possible && (newest_event === null || began_at > newest_event)) newest_event = began_at;
        if (!isHail(row)) continue;
        if (!/^\d+$/.test(row.EVENT_ID))
          throw new PollFailed('not-the-format', 'A hail row has no event id.');
        yield observeDetails(row, slice, provenance);
      }
    }
    const slicesOf = (): ReadSlice[] => [
      { slice, ...periodOf(year, stamp, newest_event), box: null, publisher_version: stamp, complete: true },
    ];
    const { readings, refused, doubled } = await run.publish(hail(), slicesOf, provenance);
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
      read_through: is_newest_year ? newest_event : null,
      detail: remarks.length === 0 ? null : `${remarks.join('; ')}.`,
    };
  };

  return {
    feed: 'storm_events',
    publisher: 'NOAA_SED',
    kind: points,
    schedule: config.NOAA_SED_SCHEDULE,
    history: () => Promise.resolve(),
    poll: async (run) => {
      let files: YearFile[] = [];
      const listed = await run.settle('live', listing_url, async () => {
        const listing = await run.get(listing_url, max_listing_bytes);
        files = parseListing(listing.bytes.toString('utf8')).filter(
          ({ year }) => year >= config.NOAA_SED_FIRST_YEAR,
        );
        if (files.length === 0) {
          throw new PollFailed(
            'empty-listing',
            'The listing names no details file of a year that is asked for.',
          );
        }
        await run.index.catchUp();
        const newest = files.at(-1);
        const changed = files.filter((file) => isNews(run, file));
        // Nothing changed: what was read before still holds. Otherwise the files themselves will say how far they reach.
        const held = newest !== undefined && !isNews(run, newest) ? run.index.cursor() : null;
        return changed.length === 0
          ? { outcome: 'not_modified', read_through: held }
          : { outcome: 'read', readings: [], sha256: listing.sha256, read_through: held };
      });
      if (listed === null) return;
      // The newest year first: what an owner asks about today is worth the most.
      for (const file of files.toReversed()) {
        if (run.signal.aborted) return;
        if (isNews(run, file)) {
          await run.settle('live', listing_url + file.file, () => readYear(run, file, file === files.at(-1)));
        }
      }
    },
  };
}

/**
 * A stamp newer than the newest complete reading of the year, or that reading left something to mend. An older one than was ever published
 * is never read: it could only take corrections back.
 */
function isNews({ index }: PollRun, { year, stamp }: YearFile): boolean {
  const slice = String(year);
  if (stamp < (index.newestVersion(slice) ?? '')) return false;
  const read = index.slice(slice)?.publisher_version ?? null;
  return read === null || stamp > read || !index.isSettled(slice);
}

/** The period a year's file speaks for: the year, or as far as its newest event where the file is younger than the year's last reports. */
function periodOf(year: number, stamp: string, newest_event: number | null): { from: number; until: number } {
  const from = Date.UTC(year, 0, 1);
  const end = Date.UTC(year + 1, 0, 1);
  const made = Date.UTC(Number(stamp.slice(0, 4)), Number(stamp.slice(4, 6)) - 1, Number(stamp.slice(6)));
  return {
    from,
    until: made >= end + complete_after_ms ? end : Math.max(from, Math.min(end, newest_event ?? from)),
  };
}
