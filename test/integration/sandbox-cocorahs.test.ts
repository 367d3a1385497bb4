import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { recordings } from '../support/oracle/records.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const [header = '', longmont = '', black_forest = ''] = readFileSync(
  join(recordings, 'cocorahs/hail_export_CO_2026-06-01.csv'),
  'utf8',
).split('\n');

describe('the export of hail reports in the sandbox', () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox('2026-11-21T20:00:00Z');
  });
  after(() => sandbox.stop());

  const june_first = { State: 'CO', StartDate: '06/01/2026', EndDate: '06/01/2026' };
  async function lines(
    asked: Record<string, string>,
    path = '/export/exportreports.aspx',
  ): Promise<string[]> {
    const parameters = new URLSearchParams({ ReportType: 'Hail', Format: 'CSV', ...asked });
    const body = await sandbox.text(`${path}?${parameters.toString()}`);
    assert.ok(body.endsWith('\r\n'));
    return body.slice(0, -2).split('\r\n');
  }

  it('answers a state and its days with the recorded rows, whatever the format and the path', async () => {
    const rows = [header, longmont, black_forest];
    assert.deepEqual(await lines(june_first), rows);
    assert.deepEqual(await lines(june_first, '/cocorahs/export/exportreports.aspx'), rows);
    assert.deepEqual(await lines({ ...june_first, Format: 'json' }), rows);
    assert.deepEqual(await lines({ State: 'CO', StartDate: '5/1/2026', EndDate: '6/30/2026' }), rows);
    assert.deepEqual(await lines({ State: 'CO', Date: '6/1/2026' }), rows);
  });

  it('has the header alone for other days and other states', async () => {
    assert.deepEqual(await lines({ ...june_first, State: 'TX' }), [header]);
    assert.deepEqual(await lines({ State: 'CO', StartDate: '06/02/2026', EndDate: '06/30/2026' }), [header]);
    assert.deepEqual(await lines({ State: 'CO', StartDate: '05/01/2026', EndDate: '05/31/2026' }), [header]);
  });

  it('answers a state that is none with the whole country, as the real service does', async () => {
    assert.equal((await lines({ ...june_first, State: 'XX' })).length, 3);
    assert.equal((await lines({ ...june_first, State: '' })).length, 3);
  });

  it('writes the observers times in UTC when asked, and leaves the stamp of the change, which is UTC', async () => {
    const [, first = '', second = ''] = await lines({ ...june_first, TimesInGMT: 'True' });
    assert.equal(
      first,
      '2026-06-01, 07:00 PM, 2026-06-02 01:54 PM, CO-BO-435, Longmont 3.0 SW, 40.1404, -105.149, 0.250, NA, 0.750, 20, 2min, ' +
        'Intermittent, Hard, True, After rain, After smaller hail, True, no damage, 10-20, , , , 2026-06-02 01:54 PM',
    );
    assert.deepEqual(second.split(', ').slice(0, 4), [
      '2026-06-01',
      '11:00 PM',
      '2026-06-01 11:16 PM',
      'CO-EP-376',
    ]);
    assert.equal(second.split(', ').at(-1), '2026-06-01 11:16 PM');
  });

  it('answers what was entered or changed since a time', async () => {
    const since = (Date: string): Promise<string[]> =>
      lines({ State: 'CO', ReportDateType: 'timestamp', Date });
    assert.deepEqual(await since('6/1/2026 11:16 PM'), [header, longmont, black_forest]);
    assert.deepEqual(await since('6/1/2026 11:17 PM'), [header, longmont]);
    assert.deepEqual(await since('6/2/2026 01:55 PM'), [header]);
    assert.deepEqual(await since('6/2/2026'), [header, longmont]);
  });

  it('has a report from its entry on', async () => {
    sandbox.setTime('2026-06-01T23:15:59Z');
    assert.deepEqual(await lines(june_first), [header]);
    sandbox.setTime('2026-06-01T23:16:00Z');
    assert.deepEqual(await lines(june_first), [header, black_forest]);
    sandbox.setTime('2026-06-02T13:54:00Z');
    assert.deepEqual(await lines(june_first), [header, longmont, black_forest]);
  });

  it('refuses dates that are none and has no other reports', async () => {
    const status = async (query: string): Promise<number> =>
      (await sandbox.get(`/export/exportreports.aspx?${query}`)).status;
    assert.equal(await status('ReportType=Hail&State=CO'), 500);
    assert.equal(await status('ReportType=Hail&State=CO&StartDate=06/31/2026&EndDate=07/01/2026'), 500);
    assert.equal(await status('ReportType=Daily&State=CO&Date=6/1/2026'), 404);
  });
});
