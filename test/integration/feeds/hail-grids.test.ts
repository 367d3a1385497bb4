import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { encodeGranule } from '../../../infra/sandbox/mrms/encode-granule.ts';
import { mrmsMesh } from '../../../services/feeds/mrms/feed.ts';
import { granuleKey } from '../../../services/feeds/mrms/keys.ts';
import { mesh_products } from '../../../services/feeds/mrms/products.ts';
import { deltaDecoded, type GridFact } from '../../../services/hail/grid.ts';
import type { Feed } from '../../../services/feeds/feed.ts';
import type { FeedPollFact } from '../../../services/log/facts.ts';
import { topics } from '../../../services/log/topics.ts';
import { serveBucket, type ServedBucket } from '../../support/bucket-stub.ts';
import { made_hour, recordedHail, recordedMesh, small_grid } from '../../support/granules.ts';
import { startFeedBench, type FeedBench } from './bench.ts';
import { planOf, withPlan } from './planned.ts';

// All granules here but the recorded one are NOT REAL.
const at = (text: string): number => Date.parse(`2026-06-${text}Z`);
const iso = (stamp: number): string => new Date(stamp).toISOString();
const hour_ms = 3_600_000;

let bench: FeedBench;
let bucket: ServedBucket;

beforeEach(async () => {
  bench = await startFeedBench();
  bench.clock.now = at('11T00:10:00');
  bucket = { objects: new Map(), page_keys: 1_000, bend: (xml) => xml };
  serveBucket(bench.stub, bucket);
});
afterEach(() => bench.stop());

const feedOf = (
  settings: { product?: 'MESH' | 'MESH_Max_60min'; hours?: number; history?: string } = {},
): Feed =>
  mrmsMesh({
    MRMS_URL: bench.stub.url,
    MRMS_SCHEDULE: '0 0 1 1 *',
    MRMS_PRODUCT: settings.product ?? 'MESH_Max_60min',
    MRMS_REREAD_HOURS: settings.hours ?? 24,
    MRMS_HISTORY: settings.history ?? '',
  });

type Product = keyof typeof mesh_products;

/** Puts a granule with these cells of 25.4 mm into the bucket, three minutes after its stamp unless told. */
function put(
  stamp: number,
  cells: number[],
  issued = stamp + 180_000,
  product: Product = 'MESH_Max_60min',
): void {
  const body = encodeGranule({
    ...made_hour,
    parameter_number: mesh_products[product].number,
    reference_ms: stamp,
    cells: cells.map((index) => ({ index, size_tenths_mm: 254 })),
  });
  bucket.objects.set(granuleKey(mesh_products[product], stamp), { body, last_modified: iso(issued) });
}

const putBroken = (stamp: number, issued = stamp + 180_000): void => {
  const key = granuleKey(mesh_products.MESH_Max_60min, stamp);
  bucket.objects.set(key, { body: Buffer.from('damaged'), last_modified: iso(issued) });
};

async function grids(): Promise<GridFact[]> {
  const found: GridFact[] = [];
  for await (const page of bench.log.scan(topics.grid.name)) {
    for (const { value, key } of page) {
      const decoded = await bench.codec.decode(topics.grid.name, value);
      assert.ok(decoded.outcome === 'ok');
      assert.equal(key, `${decoded.fact.product}/${iso(decoded.fact.stamp).replace('.000', '')}`);
      found.push(decoded.fact);
    }
  }
  return found.sort((a, b) => a.stamp - b.stamp);
}

const lastPoll = async (): Promise<FeedPollFact> => {
  const poll = (await bench.polls()).at(-1);
  assert.ok(poll !== undefined);
  return poll;
};

const objectsAsked = (): string[] =>
  bench.stub.requests.filter((path) => path.startsWith('/CONUS/')).map((path) => path.slice(-24, -9));

describe('a first poll of hail grids', () => {
  it('reads every granule of the hours that are read again, the oldest first, each with its poll fact', async () => {
    for (const stamp of [at('10T22:00:00'), at('10T23:00:00'), at('11T00:00:00')]) put(stamp, [5, 6]);
    // Between the hours the publisher issues thirty more; they say the same hail again.
    put(at('10T22:58:00'), [5, 6]);
    assert.deepEqual(await bench.poll(feedOf()), []);
    assert.deepEqual(objectsAsked(), ['20260610-220000', '20260610-230000', '20260611-000000']);
    const [first, ...others] = await grids();
    assert.deepEqual([first?.product, first?.stamp], ['MESH_Max_60min', at('10T22:00:00')]);
    assert.deepEqual([first?.began_at, first?.ended_at], [at('10T21:00:00'), at('10T22:00:00')]);
    assert.deepEqual([{ ...first?.geometry }, first?.sizes, first?.dropped], [small_grid, [254, 254], []]);
    assert.deepEqual(deltaDecoded(first?.cells ?? []), [5, 6]);
    assert.deepEqual([first?.covered, first?.uncovered], [108, 0]);
    assert.equal(first?.provenance.publisher_version, '2026-06-10T22:03:00.000Z');
    assert.equal(others.length, 2);

    const [listing, ...read] = await bench.polls();
    assert.deepEqual([listing?.outcome, listing?.read_through, listing?.readings], ['read', null, []]);
    assert.deepEqual(
      read.map(({ outcome, mode, read_through }) => [outcome, mode, read_through]),
      [at('10T22:00:00'), at('10T23:00:00'), at('11T00:00:00')].map((stamp) => ['read', 'live', stamp]),
    );
    const [{ slice, from, until, box, complete, publisher_version } = assert.fail()] =
      read[0]?.readings ?? [];
    assert.deepEqual(
      [slice, from, until, complete, publisher_version],
      [
        'MESH_Max_60min/2026-06-10T22:00:00Z',
        at('10T21:00:00'),
        at('10T22:00:00'),
        true,
        '2026-06-10T22:03:00.000Z',
      ],
    );
    assert.deepEqual({ ...box }, { west: -99, south: 29.88, east: -98.91, north: 30 });
    // The fact of a granule stands in the log before freshness is claimed of it.
    const ends = read[0]?.offsets.filter(({ topic }) => topic === topics.grid.name) ?? [];
    assert.equal(
      ends.reduce((sum, { end_offset }) => sum + end_offset, 0),
      1,
    );
  });

  it('finds hail in the recorded granule where another program finds it', async () => {
    const stamp = at('10T21:30:40');
    bench.clock.now = stamp + 600_000;
    const key = granuleKey(mesh_products.MESH, stamp);
    bucket.objects.set(key, { body: recordedMesh(), last_modified: '2026-06-10T21:32:07.000Z' });
    assert.deepEqual(await bench.poll(feedOf({ product: 'MESH' })), []);
    const [fact] = await grids();
    assert.deepEqual(
      deltaDecoded(fact?.cells ?? []).map((cell, index) => ({ cell, size: fact?.sizes[index] })),
      recordedHail(),
    );
    assert.deepEqual([fact?.began_at, fact?.ended_at], [stamp - 120_000, stamp]);
    const reading = (await lastPoll()).readings[0];
    assert.deepEqual({ ...reading?.box }, { west: -130, south: 20, east: -60, north: 55 });
    assert.equal((await lastPoll()).read_through, stamp);
  });

  it('takes granules without hail as facts, so that a calm night stays fresh', async () => {
    put(at('11T00:00:00'), []);
    assert.deepEqual(await bench.poll(feedOf()), []);
    const [fact] = await grids();
    assert.deepEqual([fact?.cells, fact?.covered], [[], 108]);
    assert.equal((await lastPoll()).read_through, at('11T00:00:00'));
  });

  it('says which objects it passes over', async () => {
    put(at('11T00:00:00'), [1]);
    const key = granuleKey(mesh_products.MESH_Max_60min, at('11T00:00:00'));
    const body = Buffer.from('index of the granule');
    bucket.objects.set(`${key}.idx`, { body, last_modified: iso(at('11T00:05:00')) });
    assert.deepEqual(await bench.poll(feedOf()), []);
    const [listing] = await bench.polls();
    assert.equal(listing?.detail, 'objects listed that are no granules of the product: 1');
  });

  it('reads listings of any number of pages, and of two days', async () => {
    bucket.page_keys = 2;
    for (let hour = 0; hour < 7; hour += 1) put(at('10T18:00:00') + hour * hour_ms, [hour]);
    assert.deepEqual(await bench.poll(feedOf()), []);
    assert.equal((await grids()).length, 7);
    const pages = bench.stub.requests.filter((path) => path.startsWith('/?'));
    assert.equal(pages.filter((path) => path.includes('20260610')).length, 3);
    assert.ok(pages.some((path) => path.includes('continuation-token')));
    assert.ok(
      pages[0]?.includes(
        'start-after=CONUS%2FMESH_Max_60min_00.50%2F20260610%2FMRMS_MESH_Max_60min_00.50_20260610-000600',
      ),
    );
  });

  it('of a product with drifting stamps leaves no gap of seconds, and none over a real one', async () => {
    const stamps = ['20:00:38', '20:02:39', '20:04:37', '20:20:01'].map((text) => at(`10T${text}`));
    for (const stamp of stamps) put(stamp, [1], stamp + 60_000, 'MESH');
    assert.deepEqual(await bench.poll(feedOf({ product: 'MESH' })), []);
    const periods = (await bench.polls()).flatMap(({ readings }) =>
      readings.map(({ from, until }) => [from, until]),
    );
    assert.deepEqual(periods, [
      [at('10T19:58:38'), stamps[0]],
      [stamps[0], stamps[1]],
      [stamps[1], stamps[2]],
      [at('10T20:18:01'), stamps[3]],
    ]);
    assert.ok((await grids()).every(({ began_at, stamp }) => began_at === stamp - 120_000));
  });
});

describe('a further poll', () => {
  it('without news fetches no granule and says how far all is read', async () => {
    put(at('10T23:00:00'), [1]);
    put(at('11T00:00:00'), [2]);
    await bench.poll(feedOf());
    bench.stub.requests.length = 0;
    assert.deepEqual(await bench.poll(feedOf()), []);
    assert.deepEqual(objectsAsked(), []);
    const { outcome, read_through, readings } = await lastPoll();
    assert.deepEqual([outcome, read_through, readings], ['not_modified', at('11T00:00:00'), []]);
  });

  it('reads an issue anew when it is later, and drops the cells that are gone', async () => {
    put(at('10T23:00:00'), [3, 4, 5]);
    put(at('11T00:00:00'), [9]);
    await bench.poll(feedOf());
    put(at('10T23:00:00'), [4, 7], at('11T00:09:00'));
    assert.deepEqual(await bench.poll(feedOf()), []);
    const again = (await grids()).filter(({ stamp }) => stamp === at('10T23:00:00')).at(-1);
    assert.deepEqual(
      [deltaDecoded(again?.cells ?? []), deltaDecoded(again?.dropped ?? [])],
      [
        [4, 7],
        [3, 5],
      ],
    );
    assert.equal((await lastPoll()).read_through, at('11T00:00:00'));
    assert.equal((await grids()).length, 3);
  });

  it('never takes an earlier issue for news', async () => {
    put(at('11T00:00:00'), [9]);
    await bench.poll(feedOf());
    put(at('11T00:00:00'), [8], at('11T00:00:30'));
    assert.deepEqual(await bench.poll(feedOf()), []);
    assert.equal((await grids()).length, 1);
    assert.equal((await lastPoll()).outcome, 'not_modified');
  });

  it('publishes nothing twice where the index was lost', async () => {
    put(at('10T23:00:00'), [1]);
    put(at('11T00:00:00'), []);
    await bench.poll(feedOf());
    bench.loseIndex();
    assert.deepEqual(await bench.poll(feedOf()), []);
    assert.equal((await grids()).length, 2);
    assert.equal((await lastPoll()).outcome, 'not_modified');
  });

  it('after an outage begins at the cursor', async () => {
    put(at('11T00:00:00'), [1]);
    await bench.poll(feedOf({ hours: 2 }));
    for (let hour = 1; hour <= 10; hour += 1) put(at('11T00:00:00') + hour * hour_ms, [hour]);
    bench.clock.now = at('11T10:10:00');
    assert.deepEqual(await bench.poll(feedOf({ hours: 2 })), []);
    assert.equal((await grids()).length, 11);
    assert.equal((await lastPoll()).read_through, at('11T10:00:00'));
  });

  it('leaves a stamp of the future for its time', async () => {
    put(at('11T00:00:00'), [1]);
    put(at('11T01:00:00'), [2], at('11T00:05:00'));
    assert.deepEqual(await bench.poll(feedOf()), []);
    assert.equal((await grids()).length, 1);
    assert.equal((await lastPoll()).read_through, at('11T00:00:00'));
  });
});

describe('a granule that is refused', () => {
  it('holds the cursor before it and costs the others nothing', async () => {
    put(at('10T22:00:00'), [1]);
    putBroken(at('10T23:00:00'));
    put(at('11T00:00:00'), [2]);
    const feed = feedOf();
    assert.deepEqual(await bench.poll(feed), ['granule-refused']);
    assert.deepEqual(
      (await grids()).map(({ stamp }) => stamp),
      [at('10T22:00:00'), at('11T00:00:00')],
    );
    const polls = await bench.polls();
    assert.deepEqual(
      polls.map(({ outcome, reason, read_through }) => [outcome, reason, read_through]),
      [
        ['read', null, null],
        ['read', null, at('10T22:00:00')],
        ['failed', 'granule-refused', null],
        ['read', null, at('10T22:00:00')],
      ],
    );
    assert.match(polls[2]?.detail ?? '', /^not-grib: /);

    // The same bytes are not fetched again by the same process; once they were issued anew they are.
    bench.stub.requests.length = 0;
    assert.deepEqual(await bench.poll(feed), []);
    assert.deepEqual(objectsAsked(), []);
    const { outcome, read_through, detail } = await lastPoll();
    assert.deepEqual([outcome, read_through], ['not_modified', at('10T22:00:00')]);
    assert.equal(detail, 'granules refused before and not fetched again: 1');
    put(at('10T23:00:00'), [7], at('11T00:09:30'));
    assert.deepEqual(await bench.poll(feed), []);
    assert.equal((await grids()).length, 3);
    assert.equal((await lastPoll()).read_through, at('11T00:00:00'));
  });

  it('lets the cursor pass when it is no longer read again', async () => {
    putBroken(at('10T22:00:00'));
    put(at('10T23:00:00'), [1]);
    const feed = feedOf({ hours: 3 });
    assert.deepEqual(await bench.poll(feed), ['granule-refused']);
    assert.equal((await lastPoll()).read_through, null);
    put(at('11T02:00:00'), [2]);
    bench.clock.now = at('11T02:10:00');
    assert.deepEqual(await bench.poll(feed), []);
    assert.equal((await lastPoll()).read_through, at('11T02:00:00'));
  });

  it('may be of another hour than its key', async () => {
    put(at('10T23:00:00'), [1]);
    const wrong = bucket.objects.get(granuleKey(mesh_products.MESH_Max_60min, at('10T23:00:00')));
    assert.ok(wrong !== undefined);
    bucket.objects.set(granuleKey(mesh_products.MESH_Max_60min, at('11T00:00:00')), wrong);
    assert.deepEqual(await bench.poll(feedOf()), ['granule-refused']);
    assert.match((await lastPoll()).detail ?? '', /^other-time: /);
    assert.equal((await grids()).length, 1);
  });

  it('is another matter than one that cannot be fetched, which is asked for again', async () => {
    put(at('11T00:00:00'), [1]);
    let is_away = true;
    bench.stub.on('/CONUS/', () => (is_away ? { status: 503, body: 'SlowDown' } : null));
    const feed = feedOf();
    assert.deepEqual(await bench.poll(feed), ['http-status']);
    is_away = false;
    assert.deepEqual(await bench.poll(feed), []);
    assert.equal((await grids()).length, 1);
  });
});

describe('a listing that is of no use', () => {
  const bends: readonly [string, (xml: string) => string][] = [
    ['error-body', () => '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'],
    ['not-the-format', () => '<html></html>'],
    ['truncated', (xml) => xml.slice(0, -20)],
    ['count-mismatch', (xml) => xml.replace('<KeyCount>1<', '<KeyCount>2<')],
  ];
  for (const [reason, bend] of bends) {
    it(`is a failed poll: ${reason}`, async () => {
      put(at('10T22:00:00'), [1]);
      bucket.bend = bend;
      assert.deepEqual(await bench.poll(feedOf()), [reason]);
      assert.deepEqual([(await lastPoll()).outcome, (await lastPoll()).reason], ['failed', reason]);
      assert.equal((await grids()).length, 0);
    });
  }

  it('is one without a granule in all the hours that are read again', async () => {
    assert.deepEqual(await bench.poll(feedOf()), ['empty-listing']);
    // Just after midnight the day has none yet, and that is nothing strange.
    bench.clock.now = at('11T00:00:30');
    put(at('10T23:00:00'), [1]);
    assert.deepEqual(await bench.poll(feedOf()), []);
  });

  it('is none where the granules of the hour are there, and only that of the full hour is late', async () => {
    bench.clock.now = at('10T23:02:00');
    put(at('10T22:58:00'), [1]);
    assert.deepEqual(await bench.poll(feedOf({ hours: 1 })), []);
    assert.deepEqual([(await lastPoll()).outcome, (await lastPoll()).read_through], ['not_modified', null]);
    assert.equal((await grids()).length, 0);
  });
});

describe('history', () => {
  const days = { from: at('08T00:00:00'), until: at('10T00:00:00'), box: null };
  const fill = (): void => {
    for (let hour = 0; hour <= 60; hour += 1) put(at('08T00:00:00') + hour * hour_ms, [hour]);
  };

  it('is planned by days, each from after its midnight through the next one', async () => {
    fill();
    await withPlan(bench, feedOf(), days, async (parts, run) => {
      assert.deepEqual(
        parts.map(({ name, requests, bytes, isRead }) => [name, requests, bytes, isRead()]),
        [
          ['2026-06-08', 26, 24 * 244_000, false],
          ['2026-06-09', 26, 24 * 244_000, false],
        ],
      );
      await parts[0]?.read(run);
      assert.deepEqual(
        parts.map(({ isRead }) => isRead()),
        [true, false],
      );
    });
    const stamps = (await grids()).map(({ stamp }) => stamp);
    assert.deepEqual([stamps.length, stamps[0], stamps.at(-1)], [24, at('08T01:00:00'), at('09T00:00:00')]);
    assert.ok(
      (await bench.polls()).every(({ mode, read_through }) => mode === 'backfill' && read_through === null),
    );
  });

  it('goes past what was read, and asks for the rest', async () => {
    fill();
    const read = (): Promise<void> =>
      withPlan(bench, feedOf(), days, async ([part], run) => {
        await part?.read(run);
      });
    await read();
    bench.stub.requests.length = 0;
    bucket.objects.delete(granuleKey(mesh_products.MESH_Max_60min, at('08T05:00:00')));
    put(at('08T07:00:00'), [70], at('10T00:00:00'));
    await read();
    assert.deepEqual(objectsAsked().length, 1);
    const plan = await planOf(bench, feedOf(), days);
    assert.deepEqual(
      plan.map(({ requests }) => requests),
      [2, 26],
    );
  });

  it('of drifting stamps is known to be read once it was listed', async () => {
    const stamps = ['08T00:00:38', '08T12:00:39', '09T00:00:37'].map(at);
    for (const stamp of stamps) put(stamp, [1], stamp + 60_000, 'MESH');
    await withPlan(bench, feedOf({ product: 'MESH' }), days, async ([part], run) => {
      assert.deepEqual([part?.requests, part?.isRead()], [722, false]);
      await part?.read(run);
      assert.equal(part?.isRead(), true);
    });
    // The stamp after the next midnight is of the next day.
    assert.deepEqual(
      (await grids()).map(({ stamp }) => stamp),
      stamps.slice(0, 2),
    );
  });

  it('tells of a day without granules and of a refused one, each time', async () => {
    put(at('09T05:00:00'), [1]);
    putBroken(at('09T06:00:00'));
    const feed = feedOf();
    for (let time = 0; time < 2; time += 1) {
      await withPlan(bench, feed, days, async (parts, run) => {
        for (const part of parts) await part.read(run);
        assert.deepEqual(run.failures, ['empty-listing', 'granule-refused']);
        assert.ok(parts.every(({ isRead }) => !isRead()));
      });
    }
  });

  it('that is configured is read once, and what cannot be had is not asked for at every poll', async () => {
    fill();
    putBroken(at('08T06:00:00'));
    const feed = feedOf({ hours: 1, history: '2026-06-08/2026-06-09' });
    bench.clock.now = at('10T12:10:00');
    assert.deepEqual(await bench.poll(feed), ['granule-refused']);
    assert.equal((await grids()).filter(({ stamp }) => stamp <= at('09T00:00:00')).length, 23);
    bench.stub.requests.length = 0;
    assert.deepEqual(await bench.poll(feed), []);
    assert.ok(bench.stub.requests.every((path) => !path.includes('20260608')));
    // Live freshness is not the history's.
    const cursors = (await bench.polls()).flatMap(({ read_through }) => read_through ?? []);
    assert.ok(cursors.every((cursor) => cursor === at('10T12:00:00')));
  });
});
