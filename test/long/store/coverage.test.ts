import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { feedOf, type CitingPublisher } from '../../../services/hail/publisher.ts';
import { day_ms } from '../../../services/hail/time.ts';
import { prepareStore } from '../../../services/projector/prepare.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { anythingRead, readCoverage } from '../../../services/store/coverage/query.ts';
import { coverageColumns, coverageValues } from '../../../services/store/coverage/row.ts';
import { createQueryablePolls, newestQueryable } from '../../../services/store/feed_status/query.ts';
import { feedStatusColumns, feedStatusValues } from '../../../services/store/feed_status/row.ts';
import { writePosition } from '../../../services/store/positions.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startLocalServices } from '../../support/local-services.ts';

const versions = { feeds: 1, observations: 1 };
const topic = 'hail.observation.v1';
const mrms_product = 'MESH_Max_60min';
const first_day = Date.parse('2016-01-01T00:00:00Z');
const polls_at = { topic: 'hail.feed-poll.v1', partition: 0, log_id: 'log' };
const place = { west: -98.5, south: 29.5, east: -98, north: 30 };

/** One poll, what it says stands in the topic, and the slice that it read. */
interface Poll {
  publisher: CitingPublisher;
  revision: number;
  end_offset: number;
  slice: string;
  from_ms: number;
  until_ms: number;
}

describe('coverage and freshness among many polls (NOT REAL)', { timeout: 400_000 }, () => {
  const made = createCleanup();
  let open: (database: string) => Promise<Store>;

  before(async () => {
    const local = made.keep(await startLocalServices());
    open = async (database) => {
      const config = readConfig({ CLICKHOUSE_URL: local.clickhouse_url, CLICKHOUSE_DATABASE: database });
      const store = createStore(config, { timeout_ms: 20_000 });
      made.keep({ stop: () => store.close() });
      await prepareStore(config, store, systemClock);
      return store;
    };
  });
  after(() => made.stop());

  const reach = (store: Store, next_offset: number): Promise<void> =>
    writePosition(store, 'observations', 1, { topic, partition: 0, log_id: 'log', next_offset }, 0);
  const coverageOf = (
    store: Store,
    from_ms: number,
    until_ms: number,
    queryablePolls = createQueryablePolls(),
  ): ReturnType<typeof readCoverage> =>
    readCoverage(store, queryablePolls, { versions, ...place, from_ms, until_ms, mrms_product });

  it('are told by the newest poll that can be queried, however many stand ahead of it', async () => {
    const store = await open('far_behind');
    // One for all questions, as in the API.
    const queryablePolls = createQueryablePolls();
    const polls = Array.from({ length: 300 }, (_, at): Poll => ({
      ...{ publisher: 'NEXRAD_SWDI', revision: at, end_offset: at + 1, slice: `day ${at}` },
      ...{ from_ms: first_day + at * day_ms, until_ms: first_day + (at + 1) * day_ms },
    }));
    await insertPolls(store, polls);
    const state = async (): Promise<unknown[]> => {
      const [newest] = await newestQueryable(store, versions);
      const coverage = [1, 7, 230, 300].map((days) =>
        coverageOf(store, first_day, first_day + days * day_ms, queryablePolls).then(
          (of) => of.get('NEXRAD_SWDI') ?? 'none',
        ),
      );
      const read = await anythingRead(store, queryablePolls, versions, ['NEXRAD_SWDI']);
      return [read, newest?.read_through_ms ?? null, ...(await Promise.all(coverage))];
    };
    assert.deepEqual(await state(), [false, null, 'none', 'none', 'none', 'none']);
    await reach(store, 7);
    const week = first_day + 7 * day_ms;
    assert.deepEqual(await state(), [true, week, 'complete', 'complete', 'partial', 'partial']);
    await reach(store, 230);
    const later = first_day + 230 * day_ms;
    assert.deepEqual(await state(), [true, later, 'complete', 'complete', 'complete', 'partial']);
    await reach(store, 300);
    const all = first_day + 300 * day_ms;
    assert.deepEqual(await state(), [true, all, 'complete', 'complete', 'complete', 'complete']);
    // What was remembered does not let in a poll that came since and is ahead: here one that read the first day's slice as another day.
    const [first] = polls;
    assert.ok(first !== undefined);
    const moved = { ...first, revision: 300, end_offset: 301, from_ms: all, until_ms: all + day_ms };
    await insertPolls(store, [moved]);
    assert.deepEqual((await state()).slice(2), ['complete', 'complete', 'complete', 'complete']);
    await writePosition(store, 'feeds', 1, { ...polls_at, next_offset: 301 }, 0);
    assert.deepEqual((await state()).slice(2), ['complete', 'complete', 'complete', 'complete']);
    await reach(store, 301);
    assert.deepEqual((await state()).slice(2), ['none', 'partial', 'partial', 'partial']);
  });

  it('counts no slice of which no poll is known', async () => {
    const store = await open('unknown');
    await insertPolls(store, [
      {
        ...{ publisher: 'COCORAHS', revision: 3, end_offset: 0, slice: 'day' },
        ...{ from_ms: first_day, until_ms: first_day + day_ms },
      },
    ]);
    await store.command('TRUNCATE TABLE feed_status_v1');
    assert.equal((await coverageOf(store, first_day, first_day + day_ms)).size, 0);
    assert.equal(await anythingRead(store, createQueryablePolls(), versions, ['COCORAHS']), false);
  });

  it('is what laying the newest queryable readings end to end gives, for windows short and long', async () => {
    const store = await open('random');
    const drawn = fc.record({
      publisher: fc.constantFrom<CitingPublisher>('NOAA_SED', 'NEXRAD_SWDI', 'COCORAHS'),
      slice: fc.integer({ min: 0, max: 11 }),
      from: fc.integer({ min: 0, max: 40 }),
      days: fc.integer({ min: 0, max: 25 }),
      grown: fc.integer({ min: 0, max: 2 }),
    });
    const asked = fc.record({
      reached: fc.integer({ min: 0, max: 80 }),
      windows: fc.array(
        fc.tuple(
          fc.integer({ min: -2, max: 60 }),
          fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(900)),
        ),
        { minLength: 6, maxLength: 6 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { minLength: 1, maxLength: 60 }),
        asked,
        async (readings, questions) => {
          for (const table of ['feed_status_v1', 'coverage_v1', 'projector_positions'])
            await store.command(`TRUNCATE TABLE ${table}`);
          let end_offset = 0;
          const polls = readings.map(({ publisher, slice, from, days, grown }, revision): Poll => ({
            ...{ publisher, revision, slice: `slice ${slice}` },
            ...{ end_offset: (end_offset += grown) },
            ...{ from_ms: first_day + from * day_ms, until_ms: first_day + (from + days) * day_ms },
          }));
          await insertPolls(store, polls);
          // As after a kill between rows and position: all of it stands there twice.
          await insertPolls(store, polls);
          await reach(store, questions.reached);
          for (const [from, days] of questions.windows) {
            const from_ms = first_day + from * day_ms;
            const until_ms = from_ms + days * day_ms;
            assert.deepEqual(
              [...(await coverageOf(store, from_ms, until_ms))].sort(),
              laidEndToEnd(polls, questions.reached, from_ms, until_ms).sort(),
            );
          }
        },
      ),
      { numRuns: 8 },
    );
  });
});

async function insertPolls(store: Store, polls: readonly Poll[]): Promise<void> {
  const status = polls.map(({ publisher, revision, end_offset, until_ms }) =>
    feedStatusValues({
      ...{ feed: feedOf[publisher], publisher, log_partition: 0, revision, mode: 'live', asked: '' },
      ...{ began_at: first_day, ended_at: first_day, outcome: 'read', reason: '', detail: '' },
      ...{ read_through: until_ms, records: 0, published: 0, withdrawn: 0, held: 0 },
      end_offsets: [{ topic, partition: 0, end_offset }],
    }),
  );
  const slices = polls.map(({ publisher, revision, slice, from_ms, until_ms }) =>
    coverageValues({
      ...{
        feed: feedOf[publisher],
        publisher,
        slice,
        covers_from: from_ms,
        covers_until: until_ms,
        revision,
      },
      ...{ west: null, south: null, east: null, north: null, records: 0, publisher_version: '' },
      read_at: first_day,
    }),
  );
  await store.insert('feed_status_v1', feedStatusColumns, status);
  await store.insert('coverage_v1', coverageColumns, slices);
}

/** The same by days and sets: none of the statement's arithmetic. */
function laidEndToEnd(
  polls: readonly Poll[],
  reached: number,
  from_ms: number,
  until_ms: number,
): [string, string][] {
  const newest = new Map<string, Poll>();
  for (const poll of polls)
    if (poll.end_offset <= reached) newest.set(`${poll.publisher} ${poll.slice}`, poll);
  const covered = new Map<string, Set<number>>();
  for (const { publisher, from_ms: begin, until_ms: end } of newest.values()) {
    if (begin >= until_ms || end <= from_ms) continue;
    const days = covered.get(publisher) ?? new Set();
    for (let day = begin; day < end; day += day_ms) if (day >= from_ms && day < until_ms) days.add(day);
    covered.set(publisher, days);
  }
  const all = (until_ms - from_ms) / day_ms;
  return [...covered].map(([publisher, days]) => [publisher, days.size === all ? 'complete' : 'partial']);
}
