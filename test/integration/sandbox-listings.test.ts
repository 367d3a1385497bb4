import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Faults } from '../../infra/sandbox/faults.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const directory = '/pub/data/swdi/stormevents/csvfiles/';

describe('listings of the sandbox', () => {
  const faults: Faults = new Map();
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox('2026-06-11T05:02:59Z', { faults });
  });
  after(() => sandbox.stop());

  const answer = async (path: string, headers: Record<string, string>): Promise<[number, string]> => {
    const response = await sandbox.get(path, headers);
    return [response.status, await response.text()];
  };

  it('are not sent again to a reader that has them', async () => {
    const { headers } = await sandbox.get(directory);
    assert.equal(headers.get('last-modified'), 'Mon, 25 Apr 2022 00:00:00 GMT');
    const etag = headers.get('etag') ?? '';
    assert.deepEqual(await answer(directory, { 'If-None-Match': etag }), [304, '']);
    const since = { 'If-Modified-Since': 'Mon, 25 Apr 2022 00:00:00 GMT' };
    assert.deepEqual(await answer(directory, since), [304, '']);
    assert.equal((await answer(directory, { ...since, 'If-None-Match': '"other"' }))[0], 200);

    for (const path of ['/swdiws/xml', '/swdiws/csv/nx3hail/20260828', '/swdiws/csv/nx3hail/20260101']) {
      const tag = (await sandbox.get(path)).headers.get('etag') ?? '';
      assert.deepEqual(await answer(path, { 'If-None-Match': tag }), [304, ''], path);
    }
    const other_day = (await sandbox.get('/swdiws/csv/nx3hail/20260827')).headers.get('etag') ?? '';
    const asked = await answer('/swdiws/csv/nx3hail/20260828', { 'If-None-Match': other_day });
    assert.equal(asked[0], 200);
    const refused = await sandbox.get('/swdiws/csv/nx3hail/none');
    assert.deepEqual([refused.status, refused.headers.get('etag')], [404, null]);
  });

  it('of Storm Events have no file that is stamped later than the sandbox has it', async () => {
    const before = await startTestSandbox('2017-06-15T23:59:59Z');
    try {
      const page = await before.text(directory);
      const stamps = [...page.matchAll(/href="StormEvents_[^"]+_c(\d{8})\.csv/g)].map(([, stamp]) => stamp);
      assert.deepEqual([...new Set(stamps)].sort(), ['20160223', '20170522']);
      const coming = `${directory}StormEvents_details-ftp_v1.0_d2017_c20170616.csv.gz`;
      assert.equal((await before.get(coming)).status, 404);
      assert.equal((await sandbox.get(coming)).status, 200);
    } finally {
      await before.stop();
    }
  });

  it('lack their newest file while they are stale, and the file itself is there', async () => {
    const found = async (path: string, pattern: RegExp): Promise<string[]> =>
      [...(await sandbox.text(path)).matchAll(pattern)].map(([, name = '']) => name).sort();
    const names = (): Promise<string[]> => found(directory, /href="(StormEvents_[^"]+)"/g);
    const keys = (): Promise<string[]> => found('/?list-type=2', /<Key>([^<]+)</g);
    const catalogue = (): Promise<string> => sandbox.text('/swdiws/xml');
    const whole = { names: await names(), keys: await keys(), catalogue: await catalogue() };

    for (const feed of ['storm_events', 'mrms_mesh', 'radar_hail'] as const)
      faults.set(feed, 'stale-listing');
    const missing_file = 'StormEvents_details-ftp_v1.0_d1993_c20220425.csv.gz';
    assert.deepEqual([...(await names()), missing_file].sort(), whole.names);
    assert.equal((await sandbox.get(directory + missing_file)).status, 200);
    const missing_keys = [
      'CONUS/MESH_00.50/20260610/MRMS_MESH_00.50_20260610-213040.grib2.gz',
      'CONUS/MESH_Max_60min_00.50/20260611/MRMS_MESH_Max_60min_00.50_20260611-040000.grib2.gz',
    ];
    assert.deepEqual([...(await keys()), ...missing_keys].sort(), whole.keys);
    assert.equal(await catalogue(), whole.catalogue.replace('20260830', '20260829'));

    faults.clear();
    assert.deepEqual({ names: await names(), keys: await keys(), catalogue: await catalogue() }, whole);
  });
});
