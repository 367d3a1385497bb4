import type { Config } from '../../runtime/config.ts';
import { joinUrl, type FetchedBody } from '../../runtime/http-client.ts';
import type { Feed, HistoryPart, Period } from '../feed.ts';
import { points } from '../kinds/points.ts';
import type { PollRun } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import { parseListing, type YearFile } from './listing.ts';
import { isNews, readYear } from './year.ts';

const folder = '/pub/data/swdi/stormevents/csvfiles/';
const max_listing_bytes = 16 * 1024 * 1024;

/** The directory's page: its hash, and the newest file of each year on it. */
interface Listing {
  sha256: string;
  files: YearFile[];
}

/**
 * Storm Events: yearly files, rewritten at any time under a new creation stamp. A data year is a slice. Only the details files are read: for
 * hail, the locations files say nothing that details does not, and the export of the web search is cut at 500 rows without a word.
 */
export function stormEvents(
  config: Pick<Config, 'NOAA_SED_URL' | 'NOAA_SED_SCHEDULE' | 'NOAA_SED_FIRST_YEAR'>,
): Feed {
  const listing_url = joinUrl(config.NOAA_SED_URL, folder);
  const first_year = config.NOAA_SED_FIRST_YEAR;

  /** The directory's page and the newest file of each year on it; the index knows the whole log afterwards. */
  const list = async (run: PollRun): Promise<Listing> =>
    listingOf(run, await run.get(listing_url, max_listing_bytes));

  const listingOf = async (run: PollRun, { bytes, sha256 }: FetchedBody): Promise<Listing> => {
    const files = parseListing(bytes.toString('utf8'));
    await run.index.catchUp();
    return { sha256, files };
  };

  /** The page that this process read last, so that "not modified" has something to be about. */
  let last: Listing | null = null;

  /** As `list`, and asked conditionally while nothing that stands on the last page is left to read. */
  const listNews = async (run: PollRun, anyToRead: (files: YearFile[]) => boolean): Promise<Listing> => {
    await run.index.catchUp();
    if (last === null || anyToRead(last.files)) return (last = await list(run));
    const found = await run.getIfModified(listing_url, max_listing_bytes);
    if (found.modified) return (last = await listingOf(run, found.body));
    // The page whose poll fact stands may be another than the one in memory: a poll may have failed in between.
    return found.sha256 === last.sha256 ? last : (last = await list(run));
  };

  const partOf = (run: PollRun, file: YearFile): HistoryPart => ({
    name: String(file.year),
    requests: 1,
    bytes: file.bytes,
    isRead: () => !isNews(run, file),
    read: async (reading_run) => {
      const url = listing_url + file.file;
      await readYear(reading_run, file, { url, mode: 'backfill', proves_freshness: false });
    },
  });

  return {
    feed: 'storm_events',
    publisher: 'NOAA_SED',
    kind: points,
    schedule: config.NOAA_SED_SCHEDULE,
    // Every year from the first one on is read live, and no other is configured: older ones are an operator's wish, `plan`.
    history: () => Promise.resolve(),
    poll: async (run) => {
      let files: YearFile[] = [];
      // A newest year that only a backfill has read has proved nothing about freshness yet, so it is read once more.
      const isToRead = (file: YearFile): boolean =>
        isNews(run, file) || (file === files.at(-1) && run.index.cursor() === null);
      const listed = await run.settle('live', listing_url, async () => {
        const asked = (all: YearFile[]): YearFile[] => all.filter(({ year }) => year >= first_year);
        const listing = await listNews(run, (all) => {
          files = asked(all);
          return files.some(isToRead);
        });
        files = asked(listing.files);
        const newest = files.at(-1);
        if (newest === undefined) {
          throw new PollFailed(
            'empty-listing',
            'The listing names no details file of a year that is asked for.',
          );
        }
        // Nothing changed: what was read before still holds. Otherwise the files themselves will say how far they reach.
        const held = isToRead(newest) ? null : run.index.cursor();
        return files.some(isToRead)
          ? { outcome: 'read', readings: [], sha256: listing.sha256, read_through: held }
          : { outcome: 'not_modified', read_through: held };
      });
      if (listed === null) return;
      // The newest year first: what an owner asks about today is worth the most.
      for (const file of files.toReversed()) {
        if (run.signal.aborted) return;
        if (!isToRead(file)) continue;
        const url = listing_url + file.file;
        await readYear(run, file, { url, mode: 'live', proves_freshness: file === files.at(-1) });
      }
    },
    /**
     * The data years that the period touches and the listing has, also those before the feed's first year. A data year is a whole file of
     * the nation by local dates, so a part may hold more than was asked for; a box narrows nothing. Fails like a poll where there is no
     * listing.
     */
    plan: async (run, period) => {
      const { files } = await list(run);
      const newest = files.at(-1);
      return files
        .filter((file) => touches(file, period) && !(file === newest && isLeftToPolls(run, file)))
        .map((file) => partOf(run, file));
    },
  };

  /**
   * A new file of the newest year belongs to the live poll, which takes the cursor from it. Were it read as backfill, the next poll would find
   * nothing new and the cursor would stand still until the publisher's next file. Before the first poll there is no cursor to lose.
   */
  function isLeftToPolls(run: PollRun, file: YearFile): boolean {
    return file.year >= first_year && run.index.cursor() !== null && isNews(run, file);
  }
}

function touches({ year }: YearFile, { from, until }: Period): boolean {
  return Date.UTC(year, 0, 1) < until && Date.UTC(year + 1, 0, 1) > from;
}
