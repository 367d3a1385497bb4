import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { recordings } from '../support/oracle/records.ts';
import { reports_header } from '../support/recorded-reports.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const recorded = (file: string): string => readFileSync(join(recordings, 'spc', file), 'utf8');
const first_of_19 = recorded('today_hail.snapshot_2013-05-20T0128Z.csv');
const last_of_19 = recorded('yesterday_hail.snapshot_2013-05-20T1652Z.csv');
const of_20 = recorded('130520_hail.snapshot_2013-05-21T0358Z.csv');
const of_24 = recorded('130524_hail.snapshot_2013-05-25T1406Z.csv');
const of_2024 = recorded('240426_rpts_hail.csv');
const empty = `${reports_header}\n`;

describe('the daily hail reports in the sandbox', () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox('2026-11-21T20:00:00Z');
  });
  after(() => sandbox.stop());

  /** The body of a daily file at a time, or its status where it is not 200. */
  async function at(time: string, name: string): Promise<string | number> {
    sandbox.setTime(time);
    const response = await sandbox.get(`/climo/reports/${name}`);
    const body = await response.text();
    const made = response.headers.get('x-sandbox-not-real');
    assert.equal(made, response.status === 200 && body === empty ? 'empty-day' : null);
    return response.status === 200 ? body : response.status;
  }

  it('serves recorded days by name, and of two recordings the newer one of its time', async () => {
    assert.equal(await at('2026-11-21T20:00:00Z', '130519_rpts_hail.csv'), last_of_19);
    assert.equal(await at('2026-11-21T20:00:00Z', '130520_rpts_hail.csv'), of_20);
    assert.equal(await at('2026-11-21T20:00:00Z', '130524_rpts_hail.csv'), of_24);
    assert.equal(await at('2026-11-21T20:00:00Z', '240426_rpts_hail.csv'), of_2024);
    assert.equal(await at('2013-05-20T16:51:59Z', '130519_rpts_hail.csv'), first_of_19);
    assert.equal(await at('2013-05-20T16:52:00Z', '130519_rpts_hail.csv'), last_of_19);
    // Counted as lines of the files: 160 reports, 196, 99, 36 and 79.
    const counts = [first_of_19, last_of_19, of_20, of_24, of_2024].map(
      (text) => text.split('\n').length - 2,
    );
    assert.deepEqual(counts, [160, 196, 99, 36, 79]);
  });

  it('changes today and yesterday at 12Z', async () => {
    assert.equal(await at('2013-05-20T01:27:59Z', 'today_hail.csv'), empty, 'before its first recording');
    assert.equal(await at('2013-05-20T01:28:00Z', 'today_hail.csv'), first_of_19);
    assert.equal(await at('2013-05-20T11:59:59Z', 'today_hail.csv'), first_of_19);
    assert.equal(await at('2013-05-20T12:00:00Z', 'today_hail.csv'), empty);
    assert.equal(await at('2013-05-20T12:00:00Z', 'yesterday_hail.csv'), first_of_19);
    assert.equal(await at('2013-05-20T16:52:00Z', 'yesterday_hail.csv'), last_of_19);
    assert.equal(await at('2013-05-21T03:58:00Z', 'today_hail.csv'), of_20);
    assert.equal(await at('2013-05-21T11:59:59Z', 'yesterday_hail.csv'), last_of_19);
    assert.equal(await at('2013-05-21T12:00:00Z', 'yesterday_hail.csv'), of_20);
    assert.equal(await at('2024-04-27T02:33:00Z', 'today_hail.csv'), of_2024);
  });

  it('has quiet days for a week, by either name, and nothing of older or coming days', async () => {
    const now = '2026-11-21T11:00:00Z';
    assert.equal(await at(now, 'today_hail.csv'), empty);
    assert.equal(await at(now, 'yesterday_hail.csv'), empty);
    for (const day of ['261120', '261119', '261113']) {
      assert.equal(await at(now, `${day}_rpts_hail.csv`), empty, day);
    }
    for (const day of ['261121', '261112', '130521', '990101', '130231', '13052']) {
      assert.equal(await at(now, `${day}_rpts_hail.csv`), 404, day);
    }
    assert.equal(await at(now, '130519_rpts_filtered_hail.csv'), 404, 'filtered files are not recorded');
    assert.equal(await at(now, 'today.csv'), 404);
  });

  it('says when a file changed, and answers 304 to a reader that has it', async () => {
    sandbox.setTime('2013-05-20T17:00:00Z');
    const path = '/climo/reports/yesterday_hail.csv';
    const { headers } = await sandbox.get(path);
    assert.equal(headers.get('last-modified'), 'Mon, 20 May 2013 16:52:00 GMT');
    assert.equal(headers.get('cache-control'), 'max-age=300');
    const etag = headers.get('etag') ?? '';
    assert.equal((await sandbox.get(path, { 'If-None-Match': `"x", W/${etag}` })).status, 304);
    const since = (time: string): Promise<Response> => sandbox.get(path, { 'If-Modified-Since': time });
    assert.equal((await since('Mon, 20 May 2013 16:52:00 GMT')).status, 304);
    assert.equal((await since('Mon, 20 May 2013 16:51:59 GMT')).status, 200);
    sandbox.setTime('2013-05-20T16:51:59Z');
    assert.equal((await sandbox.get(path, { 'If-None-Match': etag })).status, 200, 'another recording');
  });
});
