import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { Feed } from '../../../services/feeds/feed.ts';
import { mrmsMesh } from '../../../services/feeds/mrms/feed.ts';
import { stormEvents } from '../../../services/feeds/noaa_sed/feed.ts';
import { radarHail } from '../../../services/feeds/swdi/feed.ts';
import { sourceOf } from '../../../services/hail/citation.ts';
import { microToDegrees } from '../../../services/hail/geo/place.ts';
import type { Observation } from '../../../services/hail/observation.ts';
import { isCitingPublisher } from '../../../services/hail/publisher.ts';
import { topics } from '../../../services/log/topics.ts';
import { observationsProjection } from '../../../services/projector/projections/observations.ts';
import { rowsOfPage } from '../../support/event-page.ts';
import { readGranule } from '../../support/grib-picture.ts';
import { hundredths } from '../../support/oracle/records.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { startFeedBench, type FeedBench } from '../../integration/feeds/bench.ts';
import { withPlan } from '../../integration/feeds/planned.ts';

const never = '0 0 1 1 *';

/** Every live row of what a bench has published, as answers read it from the table. */
async function liveObservations({ log, codec }: FeedBench): Promise<Observation[]> {
  const projection = observationsProjection(1);
  const found: Observation[] = [];
  for (const topic of [topics.observation.name, topics.grid.name] as const) {
    for await (const page of log.scan(topic)) {
      for (const message of page) {
        const decoded = await codec.decode(topic, message.value);
        assert.ok(decoded.outcome === 'ok');
        const outcome = projection.project(topic, decoded.fact, message.key, message);
        assert.ok(outcome.outcome === 'ok');
        for (const row of outcome.change.rows) {
          const { publisher, record_key, record_id, size_in, size_tenths_mm, sevprob } = row;
          // Each record has been published once, so no row is taken away by another.
          assert.ok(isCitingPublisher(publisher) && row.is_deleted === 0);
          found.push({
            ...{ publisher, record_key, record_id, size_in, size_tenths_mm, sevprob },
            began_ms: row.occurred_at,
            ended_ms: row.ended_at,
            lat: microToDegrees(row.lat),
            lon: microToDegrees(row.lon),
          });
        }
      }
    }
  }
  return found;
}

/** So many of them, evenly over all. */
function sample<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count);
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

describe('the url of what the feeds have read, asked of the sandbox', { timeout: 500_000 }, () => {
  let sandbox: TestSandbox;
  let bench: FeedBench;

  const read = async (at: string, feedOf: (url: string) => Feed): Promise<Observation[]> => {
    sandbox = await startTestSandbox(at);
    bench = await startFeedBench();
    bench.clock.now = Date.parse(at);
    assert.deepEqual(await bench.poll(feedOf(sandbox.url)), []);
    return liveObservations(bench);
  };
  afterEach(async () => {
    await bench.stop();
    await sandbox.stop();
  });

  /** What an observation's link leads to at the sandbox, its host aside. */
  const follow = async (observation: Observation): Promise<Response> => {
    const url = new URL(sourceOf(observation).url ?? '');
    const response = await sandbox.get(url.pathname + url.search);
    assert.equal(response.status, 200, url.href);
    return response;
  };

  it('is a page with the event, its place and its size', async () => {
    const feedOf = (url: string): Feed =>
      stormEvents({ NOAA_SED_URL: url, NOAA_SED_SCHEDULE: never, NOAA_SED_FIRST_YEAR: 2017 });
    await read('2026-08-29T03:00:00Z', feedOf);
    const period = { from: Date.UTC(1974, 0, 1), until: Date.UTC(1975, 0, 1), box: null };
    await withPlan(bench, feedOf(sandbox.url), period, async (parts, run) => {
      for (const part of parts) await part.read(run);
    });
    const events = await liveObservations(bench);
    const years = new Set(events.map(({ began_ms }) => new Date(began_ms).getUTCFullYear()));
    assert.deepEqual([...years].sort(), [1974, 2017]);
    const some = sample(events, 300);
    assert.ok(some.length >= 300, String(some.length));
    for (const event of some) {
      const columns = new Map(rowsOfPage(await (await follow(event)).text()));
      const read_of = (column: string): string => columns.get(column) ?? '';
      assert.deepEqual([read_of('EVENT_ID'), read_of('EVENT_TYPE')], [event.record_id, 'Hail']);
      assert.deepEqual([Number(read_of('BEGIN_LAT')), Number(read_of('BEGIN_LON'))], [event.lat, event.lon]);
      assert.equal(hundredths(read_of('MAGNITUDE')), event.size_in, event.record_id);
    }
  });

  it('is an answer with the row of the signature, its place and its size', async () => {
    const signatures = await read('2026-08-29T03:00:00Z', (url) =>
      radarHail({
        SWDI_URL: url,
        SWDI_SCHEDULE: never,
        SWDI_BBOX: '-125,24,-66.5,50',
        SWDI_REREAD_DAYS: 5,
        SWDI_HISTORY: '2011-05-24/2011-05-25',
      }),
    );
    assert.equal(signatures.length, 83);
    for (const { record_id, ...signature } of signatures) {
      const text = await (await follow({ record_id, ...signature })).text();
      const [station, time, cell = ''] = record_id.split('/');
      const rows = text.split('\n').filter((line) => line.startsWith(`${time},${station},${cell},`));
      assert.equal(rows.length, 1, record_id);
      const [, , , , , size = '', lat, lon] = (rows[0] ?? '').split(',');
      assert.deepEqual(
        [Number(lat), Number(lon), hundredths(size)],
        [signature.lat, signature.lon, signature.size_in],
      );
    }
  });

  for (const { product, at, stamp, number } of [
    { product: 'MESH_Max_60min', at: '2026-06-10T22:05:00Z', stamp: [2026, 6, 10, 22, 0, 0], number: 30 },
    // The granule as it was recorded.
    { product: 'MESH', at: '2026-06-10T21:40:00Z', stamp: [2026, 6, 10, 21, 30, 40], number: 28 },
  ] as const) {
    it(`is the granule of ${product} with the cell and its size`, async () => {
      const cells = await read(at, (url) =>
        mrmsMesh({
          MRMS_URL: url,
          MRMS_SCHEDULE: never,
          MRMS_PRODUCT: product,
          MRMS_REREAD_HOURS: 1,
          MRMS_HISTORY: '',
        }),
      );
      assert.equal(cells.length, 895);
      const [first] = cells;
      assert.ok(first !== undefined);
      const granule = readGranule(Buffer.from(await (await follow(first)).arrayBuffer()));
      assert.deepEqual(granule.reference, stamp);
      assert.deepEqual([granule.discipline, granule.category, granule.number], [209, 3, number]);
      for (const { record_id, lat, lon, size_tenths_mm } of cells) {
        assert.equal(sourceOf({ ...first, record_id }).url, sourceOf(first).url);
        // The first centre is 54.995 N, 129.995 W, the step a hundredth of a degree; -3.0 mm is packed as 0.
        const [row, column] = [Math.round((54.995 - lat) * 100), Math.round((lon + 129.995) * 100)];
        assert.equal(granule.packed[row * granule.columns + column], (size_tenths_mm ?? NaN) + 30);
      }
    });
  }
});
