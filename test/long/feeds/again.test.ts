import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { cocorahsHail } from '../../../services/feeds/cocorahs/feed.ts';
import type { Feed, Period } from '../../../services/feeds/feed.ts';
import { mrmsMesh } from '../../../services/feeds/mrms/feed.ts';
import { stormEvents } from '../../../services/feeds/noaa_sed/feed.ts';
import { nwsAlerts } from '../../../services/feeds/nws/feed.ts';
import { stormReports } from '../../../services/feeds/spc/feed.ts';
import { radarHail } from '../../../services/feeds/swdi/feed.ts';
import type { FeedPollFact } from '../../../services/log/facts.ts';
import { topics } from '../../../services/log/topics.ts';
import type { Faults } from '../../../infra/sandbox/faults.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { startFeedBench, type FeedBench } from '../../integration/feeds/bench.ts';
import { withPlan } from '../../integration/feeds/planned.ts';

const at = (text: string): number => Date.parse(text);
const never = '0 0 1 1 *';

/** A feed at a time when the sandbox has something for it. */
interface Case {
  at: string;
  feedOf: (url: string) => Feed;
  /** What the recordings hold of it, counted by their README: records, each once in the log. */
  records: number;
  /** Through when the publisher has been read after the first poll. */
  read_through: string;
  /** True where the cursor is the time of the newest poll, and goes on with the clock. */
  follows_clock?: true;
  /** What was polled, as a backfill asks for it. */
  polled: readonly [from: string, until: string];
  /** Parts of that backfill. */
  parts: number;
  /** False where polls do not prove that a part was read as a whole, and a backfill reads it again. */
  are_read: boolean;
  /** What differs where the backfill comes first: less, since it is the same feed. */
  backfill_first: Partial<Case>;
}

const mrmsOf =
  (hours: number): Case['feedOf'] =>
  (url) =>
    mrmsMesh({
      MRMS_URL: url,
      MRMS_SCHEDULE: never,
      MRMS_PRODUCT: 'MESH_Max_60min',
      MRMS_REREAD_HOURS: hours,
      MRMS_HISTORY: '',
    });

const cases: Readonly<Record<string, Case>> = {
  storm_events: {
    at: '2026-06-10T22:05:00Z',
    feedOf: (url) => stormEvents({ NOAA_SED_URL: url, NOAA_SED_SCHEDULE: never, NOAA_SED_FIRST_YEAR: 1993 }),
    // Hail of 1993, 1995 and 2017.
    records: 4_215 + 8_370 + 1_184,
    // The latest begin in the file of 2017, of event 688747: 31 March, 22:55 in CST-6.
    read_through: '2017-04-01T04:55:00Z',
    // Of these the year with two revisions.
    polled: ['1993-01-01T00:00:00Z', '1994-01-01T00:00:00Z'],
    parts: 1,
    are_read: true,
    backfill_first: {
      feedOf: (url) =>
        stormEvents({ NOAA_SED_URL: url, NOAA_SED_SCHEDULE: never, NOAA_SED_FIRST_YEAR: 2017 }),
      records: 1_184,
      polled: ['2017-01-01T00:00:00Z', '2018-01-01T00:00:00Z'],
    },
  },
  radar_hail: {
    at: '2026-08-29T03:00:00Z',
    feedOf: (url) =>
      radarHail({
        SWDI_URL: url,
        SWDI_SCHEDULE: never,
        SWDI_BBOX: '-125,24,-66.5,50',
        SWDI_REREAD_DAYS: 40,
        SWDI_HISTORY: '',
      }),
    records: 79,
    // The day that goes on is not read fully.
    read_through: '2026-08-29T00:00:00Z',
    polled: ['2026-07-25T00:00:00Z', '2026-08-29T00:00:00Z'],
    // July and August.
    parts: 2,
    are_read: true,
    backfill_first: {},
  },
  mrms_mesh: {
    at: '2026-06-10T22:05:00Z',
    feedOf: mrmsOf(23),
    // Every full hour of the day until 22:00, and its midnight.
    records: 23,
    read_through: '2026-06-10T22:00:00Z',
    polled: ['2026-06-10T00:00:00Z', '2026-06-11T00:00:00Z'],
    parts: 1,
    // The day goes on.
    are_read: false,
    // Three calm hours.
    backfill_first: {
      at: '2026-06-10T02:05:00Z',
      records: 3,
      read_through: '2026-06-10T02:00:00Z',
      feedOf: mrmsOf(3),
    },
  },
  local_storm_reports: {
    at: '2013-05-20T17:00:00Z',
    feedOf: (url) => stormReports({ SPC_URL: url, SPC_SCHEDULE: never, SPC_REREAD_DAYS: 3, SPC_HISTORY: '' }),
    // The closed day of the 19th; the file of the 20th was first recorded later.
    records: 196,
    read_through: '2013-05-20T17:00:00Z',
    follows_clock: true,
    polled: ['2013-05-17T12:00:00Z', '2013-05-20T12:00:00Z'],
    parts: 1,
    are_read: true,
    backfill_first: {},
  },
  cocorahs_hail: {
    at: '2026-06-02T15:00:00Z',
    feedOf: (url) =>
      cocorahsHail({
        COCORAHS_URL: url,
        COCORAHS_SCHEDULE: never,
        COCORAHS_STATES: 'CO',
        COCORAHS_REREAD_DAYS: 7,
        COCORAHS_HISTORY: '',
      }),
    records: 2,
    // The day of the reports is over on every clock, the next one begins at 04:00Z in the east.
    read_through: '2026-06-02T04:00:00Z',
    polled: ['2026-05-27T12:00:00Z', '2026-06-02T00:00:00Z'],
    // May and June.
    parts: 2,
    are_read: true,
    backfill_first: {},
  },
  nws_alerts: {
    at: '2026-07-15T20:05:00Z',
    feedOf: (url) => nwsAlerts({ NWS_URL: url, NWS_SCHEDULE: never, NWS_HISTORY: '' }),
    records: 8,
    read_through: '2026-07-15T20:05:00Z',
    follows_clock: true,
    polled: ['2026-07-13T00:00:00Z', '2026-07-16T00:00:00Z'],
    parts: 3,
    // What lives now is polled, not what was sent on a day.
    are_read: false,
    backfill_first: {},
  },
};

/** Every message of the topics of records, by place and key, its bytes as a hash. */
async function recordMessages({ log }: FeedBench): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of [topics.observation, topics.grid, topics.alert]) {
    for await (const page of log.scan(name)) {
      for (const { key, partition, offset, value } of page) {
        const hash = createHash('sha256')
          .update(value ?? '')
          .digest('hex');
        found.push([name, partition, offset, key, hash].join(' '));
      }
    }
  }
  return found.sort();
}

const keysOf = (messages: readonly string[]): string[] => messages.map((text) => text.split(' ')[3] ?? '');

/** The newest complete reading of each slice, as the table of coverage has it but for when it was read. */
function coverage(polls: readonly FeedPollFact[]): Map<string, unknown[]> {
  const complete = polls.flatMap(({ readings }) => readings.filter((reading) => reading.complete));
  return new Map(
    complete.map(({ slice, from, box, records, publisher_version, held }) => [
      slice,
      [from, box, records, publisher_version, held],
    ]),
  );
}

/** What health makes of the polls: the newest live one that proves a reading. It must never have been a later instant. */
function cursorOf(polls: readonly FeedPollFact[]): number {
  let cursor = -Infinity;
  for (const { mode, read_through, asked } of polls) {
    if (read_through === null) continue;
    assert.equal(mode, 'live', `${asked}: a backfill proves no freshness`);
    assert.ok(read_through >= cursor, `${asked}: the cursor went back`);
    cursor = read_through;
  }
  return cursor;
}

const periodOf = ([from, until]: Case['polled']): Period => ({ from: at(from), until: at(until), box: null });

async function withBench(
  of: Case,
  test: (parts: { bench: FeedBench; feedOf: () => Feed; faults: Faults }) => Promise<void>,
): Promise<void> {
  const faults: Faults = new Map();
  const sandbox = await startTestSandbox(of.at, { faults });
  const bench = await startFeedBench();
  bench.clock.now = at(of.at);
  try {
    await test({ bench, faults, feedOf: () => of.feedOf(sandbox.url) });
  } finally {
    await bench.stop();
    await sandbox.stop();
  }
}

/** Reads a period whether or not its parts say that they are read; how many parts there were. */
async function backfill(bench: FeedBench, feed: Feed, period: Period, are_read: boolean): Promise<number> {
  return withPlan(bench, feed, period, async (parts, run) => {
    for (const part of parts) {
      if (are_read) assert.ok(part.isRead(), `${part.name} was polled`);
      await part.read(run);
    }
    assert.deepEqual(run.failures, []);
    return parts.length;
  });
}

for (const [name, of] of Object.entries(cases)) {
  describe(`${name}, read again`, { timeout: 500_000 }, () => {
    it('publishes nothing more and leaves the cursor where it is', async () => {
      await withBench(of, async ({ bench, feedOf, faults }) => {
        const first = feedOf();
        const runner = await bench.runner(first);
        assert.deepEqual(await runner.pollOnce(), []);
        const published = await recordMessages(bench);
        const covered = coverage(await bench.polls());
        assert.equal(new Set(keysOf(published)).size, of.records);
        assert.equal(published.length, of.records, 'each record once');
        assert.equal(cursorOf(await bench.polls()), at(of.read_through));

        const unchanged = async (after: string): Promise<void> => {
          const polls = await bench.polls();
          assert.deepEqual(await recordMessages(bench), published, after);
          const cursor = cursorOf(polls);
          if (of.follows_clock === true)
            assert.ok(cursor >= at(of.read_through) && cursor <= bench.clock.now);
          else assert.equal(cursor, at(of.read_through), after);
          const now = coverage(polls);
          for (const [slice, reading] of covered) assert.deepEqual(now.get(slice), reading, after);
          assert.deepEqual(
            polls.filter(({ outcome }) => outcome === 'failed'),
            [],
          );
        };

        bench.clock.now += 1_000;
        assert.deepEqual(await runner.pollOnce(), []);
        await runner.close();
        await unchanged('a second poll of the same process');

        await bench.poll(feedOf());
        await unchanged('a poll after a restart');

        bench.loseIndex();
        await bench.poll(feedOf());
        await unchanged('a poll without the index');

        assert.equal(await backfill(bench, feedOf(), periodOf(of.polled), of.are_read), of.parts);
        await unchanged('a backfill across what was polled');

        // Of a listing without its newest file, where the publisher has one: Storm Events of 1993 by their older creation stamp alone.
        if (name === 'storm_events') faults.set('storm_events', 'stale-listing');
        bench.loseIndex();
        assert.equal(await backfill(bench, feedOf(), periodOf(of.polled), of.are_read), of.parts);
        await unchanged('a backfill without the index, of older files');
        await bench.poll(feedOf());
        await unchanged('a poll of older files');
        const older = (await bench.polls()).filter(({ asked }) => asked.endsWith('_d1993_c20160223.csv.gz'));
        assert.equal(older.length, name === 'storm_events' ? 1 : 0);

        faults.clear();
        await bench.poll(feedOf());
        await unchanged('a last poll');
      });
    });

    it('comes to the same where the backfill was first', async () => {
      const less = { ...of, ...of.backfill_first };
      await withBench(less, async ({ bench, feedOf }) => {
        await backfill(bench, feedOf(), periodOf(less.polled), false);
        assert.equal(cursorOf(await bench.polls()), -Infinity);
        const by_backfill = await recordMessages(bench);
        assert.ok(by_backfill.length > 0);

        await bench.poll(feedOf());
        bench.loseIndex();
        await bench.poll(feedOf());
        const published = await recordMessages(bench);
        const was = new Set(by_backfill);
        assert.equal(published.filter((message) => was.has(message)).length, was.size);
        assert.equal(published.length, less.records, 'each record once');
        assert.equal(new Set(keysOf(published)).size, less.records);
        const cursor = cursorOf(await bench.polls());
        assert.ok(
          less.follows_clock === true ? cursor >= at(less.read_through) : cursor === at(less.read_through),
        );
      });
    });
  });
}
