import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gazetteer } from '../../infra/sandbox/geocoder/gazetteer.ts';
import { createGranuleMaker } from '../../infra/sandbox/mrms/derived-granule.ts';
import { pause } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { serveBucket, type ServedBucket } from '../support/bucket-stub.ts';
import { createCleanup } from '../support/cleanup.ts';
import { recordedHail, recordedMesh } from '../support/granules.ts';
import { verifyAnswer, type VerifyQuestion } from '../support/oracle/contract.ts';
import { granuleHail, recordings, type OracleRecord } from '../support/oracle/records.ts';
import { startPublisherStub, type PublisherStub } from '../support/publisher-stub.ts';
import { assertSameRows, liveRows } from '../support/rows.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Everything here that was corrected is NOT REAL: no correction of either publisher has been recorded.
const now = Date.parse('2026-06-10T22:10:00Z');
const product = 'MESH_Max_60min';
const stamp = '2026-06-10T22:00:00Z';
const key = `CONUS/${product}_00.50/20260610/MRMS_${product}_00.50_20260610-220000.grib2.gz`;
/** From here on, an inch, the granule issued anew has no cells: 59 of 895 by the recordings' README. */
const dropped_from_tenths_mm = 254;

const [header = '', longmont = '', black_forest = ''] = readFileSync(
  join(recordings, 'cocorahs/hail_export_CO_2026-06-01.csv'),
  'utf8',
).split(/\r?\n/);
/** The report of Black Forest, larger and some 5 miles further south, and then half an hour later, as its observer might correct it. */
const corrected = black_forest
  .replace(' 1.000,', ' 1.250,')
  .replace('39.07591', '39.00000')
  .replace('2026-06-01 11:16 PM', '2026-06-10 09:00 PM');
const corrected_again = corrected.replace('05:00 PM', '05:30 PM').replace('09:00 PM', '10:00 PM');

const report = (id: string, began: string, lat: number, lon: number, size: number): OracleRecord => ({
  ...{ publisher: 'COCORAHS', id, began: Date.parse(began), ended: Date.parse(began), lat, lon, size },
});
/** Read off the lines by eye; Colorado's summer clock is six hours behind UTC. */
const of_longmont = report('CO-BO-435/2026-06-01', '2026-06-01T19:00:00Z', 40.1404, -105.149, 0.75);
const first_told = report('CO-EP-376/2026-06-01', '2026-06-01T23:00:00Z', 39.07591, -104.62778, 1);
const then_told = report('CO-EP-376/2026-06-01', '2026-06-01T23:00:00Z', 39, -104.62778, 1.25);
const told_last = { ...then_told, began: then_told.began + 1_800_000, ended: then_told.ended + 1_800_000 };
const first_issue = granuleHail(product, stamp, 60);
const second_issue = first_issue.filter(({ tenths = 0 }) => tenths < dropped_from_tenths_mm);

type Asked = VerifyQuestion & { address: string };

/** A question about a building of the gazetteer. */
function near(name: string, asked: Omit<VerifyQuestion, 'lat' | 'lon'>): Asked {
  const place = gazetteer.find(({ name: each, city }) => `${each}, ${city}` === name);
  assert.ok(place !== undefined);
  const { street, city, state, zip, lat, lon } = place;
  return { lat, lon, ...asked, address: `${street}, ${city}, ${state} ${zip}` };
}
const pecos = near('Reeves County Courthouse, Pecos', {
  ...{ date_of_loss: '2026-06-10', window_days: 2, radius_mi: 10, min_size_in: 0.5 },
});
const colorado_springs = near('City Hall, Colorado Springs', {
  ...{ date_of_loss: '2026-06-01', window_days: 2, radius_mi: 25, min_size_in: 0.5 },
});

describe('corrections of a granule and of a volunteer (NOT REAL)', { timeout: 600_000 }, () => {
  const made = createCleanup();
  const make = createGranuleMaker(recordedMesh());
  const bucket: ServedBucket = { objects: new Map(), page_keys: 1_000, bend: (xml) => xml };
  let reports = [longmont, black_forest];
  let publisher: PublisherStub;
  let service: TestService;
  let store: Store;

  const issue = (cells: { cell: number; size: number }[], last_modified: string): void => {
    const granule = { number: 30, reference_ms: Date.parse(stamp) };
    const body = make({ ...granule, cells: cells.map(({ cell, size }) => [cell, size]) });
    bucket.objects.set(key, { body, last_modified });
  };

  before(async () => {
    publisher = made.keep(await startPublisherStub());
    serveBucket(publisher, bucket);
    publisher.on('/export/exportreports.aspx', () => ({
      content_type: 'text/csv',
      body: [header, ...reports, ''].join('\r\n'),
    }));
    issue(recordedHail(), '2026-06-10T22:03:00.000Z');
    service = made.keep(
      await startTestService({
        env: {
          HAILMARK_CLOCK_OFFSET_MS: String(now - Date.now()),
          MRMS_URL: publisher.url,
          COCORAHS_URL: publisher.url,
          COCORAHS_STATES: 'CO',
          COCORAHS_REREAD_DAYS: '14',
          COCORAHS_HISTORY: '',
          NOAA_SED_FIRST_YEAR: '2017',
          SPC_HISTORY: '',
          SWDI_HISTORY: '',
        },
      }),
    );
    store = createStore({ ...readConfig({}), CLICKHOUSE_URL: service.clickhouse_url });
    made.keep({ stop: () => store.close() });
    await service.untilQueryable();
  });
  after(() => made.stop());

  const ask = async ({ address, ...asked }: Asked): Promise<Record<string, unknown>> => {
    const { date_of_loss, window_days, radius_mi, min_size_in } = asked;
    const numbers = { window_days, radius_mi, min_size_in };
    const response = await service.get('/v1/property/verify', {
      ...{ address, date_of_loss },
      ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { data } = JSON.parse(text) as { data: Record<string, unknown> };
    const { property, ...answer } = data;
    assert.ok(property !== undefined);
    return answer;
  };

  /** Questions settled so far: of the one feed its listings, of the other the export. */
  const countPolls = async (): Promise<number[]> => {
    const rows = await store.rows<{ n: number }>(
      `SELECT toUInt32(countIf(feed = 'cocorahs_hail' OR asked LIKE '%list-type%')) AS n
       FROM feed_status_v1 FINAL WHERE feed IN ('mrms_mesh', 'cocorahs_hail') GROUP BY feed ORDER BY feed`,
    );
    return rows.map(({ n }) => n);
  };
  /** Asks, has the feeds poll again, as after any restart of their process, and asks on until they have; every answer that differs from the one before. */
  const pollAgain = async (asked: Asked, isDone: (answer: unknown) => boolean): Promise<unknown[]> => {
    const polls = await countPolls();
    // The first answer is of before: the feeds are quick where this process is not.
    const answers: unknown[] = [await ask(asked)];
    await service.kill9('feeds');
    for (let settled = false; !settled;) {
      await pause(20);
      const answer = await ask(asked);
      if (JSON.stringify(answer) !== JSON.stringify(answers.at(-1))) answers.push(answer);
      settled = isDone(answer) && (await countPolls()).every((n, at) => n > (polls[at] ?? Infinity));
    }
    await service.untilQueryable();
    return answers;
  };
  const published = async (feed: string): Promise<Record<string, number>[]> =>
    store.rows(
      `SELECT toUInt32(sum(published)) AS published, toUInt32(sum(withdrawn)) AS withdrawn
       FROM feed_status_v1 FINAL WHERE feed = {feed:String}`,
      { feed },
    );

  it('begin with what was told first', async () => {
    assert.equal(first_issue.length, 895);
    assertSameRows(await liveRows(store, 'MRMS_MESH'), first_issue);
    assertSameRows(await liveRows(store, 'COCORAHS'), [of_longmont, first_told]);
    assert.deepEqual(await ask(pecos), verifyAnswer(first_issue, pecos));
    assert.deepEqual(await ask(colorado_springs), verifyAnswer([first_told], colorado_springs));
  });

  it('of a granule with fewer cells show once in answers and leave nothing in the old cells', async () => {
    const [told, expected] = [verifyAnswer(first_issue, pecos), verifyAnswer(second_issue, pecos)];
    assert.notDeepEqual(told, expected, 'the question is about cells that are dropped');
    issue(
      recordedHail().filter(({ size }) => size < dropped_from_tenths_mm),
      '2026-06-10T22:08:00.000Z',
    );
    const isNew = (answer: unknown): boolean => JSON.stringify(answer) !== JSON.stringify(told);
    assert.deepEqual(await pollAgain(pecos, isNew), [told, expected]);
    assert.equal(second_issue.length, 895 - 59);
    assertSameRows(await liveRows(store, 'MRMS_MESH'), second_issue);

    assert.deepEqual(await pollAgain(pecos, () => true), [expected]);
    assert.deepEqual(await published('mrms_mesh'), [{ published: 2, withdrawn: 0 }]);
  });

  it('of a report show once in answers, at the new place and with the new size only', async () => {
    const [told, expected] = [first_told, then_told].map((one) => verifyAnswer([one], colorado_springs));
    reports = [longmont, corrected];
    const isNew = (answer: unknown): boolean => JSON.stringify(answer) !== JSON.stringify(told);
    assert.deepEqual(await pollAgain(colorado_springs, isNew), [told, expected]);
    assertSameRows(await liveRows(store, 'COCORAHS'), [of_longmont, then_told]);

    assert.deepEqual(await pollAgain(colorado_springs, () => true), [expected]);
    assert.deepEqual(await published('cocorahs_hail'), [{ published: 3, withdrawn: 0 }]);
  });

  it('of the time of a report, which is part of its key, leave nothing at the old time', async () => {
    const [told, expected] = [then_told, told_last].map((one) => verifyAnswer([one], colorado_springs));
    reports = [longmont, corrected_again];
    const isExpected = (answer: unknown): boolean => JSON.stringify(answer) === JSON.stringify(expected);
    // A withdrawal and a new record, in partitions of their own: neither waits for the other, so there may be one answer in between.
    const answers = await pollAgain(colorado_springs, isExpected);
    assert.ok(answers.length <= 3, JSON.stringify(answers));
    assert.deepEqual([answers[0], answers.at(-1)], [told, expected]);
    assertSameRows(await liveRows(store, 'COCORAHS'), [of_longmont, told_last]);

    assert.deepEqual(await pollAgain(colorado_springs, () => true), [expected]);
    assert.deepEqual(await published('cocorahs_hail'), [{ published: 4, withdrawn: 1 }]);
    assertSameRows(await liveRows(store, 'MRMS_MESH'), second_issue);
  });
});
