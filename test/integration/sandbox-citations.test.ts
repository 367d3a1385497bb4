import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { sourceOf } from '../../services/hail/citation.ts';
import { rowsOfPage } from '../support/event-page.ts';
import { readGranule } from '../support/grib-picture.ts';
import { recordedHail, recordings, type OracleRecord } from '../support/oracle/records.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

/** Every row of a recorded details file, columns and values in their order, blanks around values taken off. */
function rowsOfFile(name: string): string[][][] {
  const csv = gunzipSync(readFileSync(join(recordings, 'noaa_sed', name))).toString('utf8');
  const [header = [], ...rows] = parse(csv);
  return rows.map((row) => header.map((column, at) => [column, (row[at] ?? '').trim()]));
}

describe('what a citation leads to, in the sandbox', () => {
  let sandbox: TestSandbox;
  let records: OracleRecord[];
  before(async () => {
    records = recordedHail();
    sandbox = await startTestSandbox('2026-11-21T20:00:00Z');
  });
  after(() => sandbox.stop());

  /** The path of a citation's link, whose host is the publisher's own. */
  const pathOf = (record: Parameters<typeof sourceOf>[0], host: string): string => {
    const url = new URL(sourceOf(record).url ?? '');
    assert.equal(url.host, host);
    return url.pathname + url.search;
  };
  const cited = ({ publisher, id, began, lat, lon }: OracleRecord): Parameters<typeof sourceOf>[0] => ({
    publisher,
    record_id: id,
    began_ms: began,
    lat,
    lon,
  });

  it('returns the row of every radar record', async () => {
    const radar = records.filter(({ publisher }) => publisher === 'NEXRAD_SWDI');
    assert.equal(radar.length, 83);
    for (const record of radar) {
      const [station, time, cell] = record.id.split('/');
      const answer = await sandbox.text(pathOf(cited(record), 'www.ncei.noaa.gov'));
      const found = answer.split('\n').filter((line) => line.startsWith(`${time},${station},${cell},`));
      assert.equal(found.length, 1, record.id);
    }
  });

  it('shows the recorded row of a storm event, all its columns, in the newest revision', async () => {
    const details = readdirSync(join(recordings, 'noaa_sed')).filter((name) => name.includes('_details-'));
    // Hail of each year that has hail with a place, one early and one late in its file, and all rows that differ between revisions.
    for (const year of new Set(records.map(({ began }) => new Date(began).getUTCFullYear()))) {
      const name = details
        .filter((each) => each.includes(`_d${year}_`))
        .sort()
        .at(-1);
      if (name === undefined) continue;
      const rows = rowsOfFile(name);
      for (const row of [rows[0], rows.at(-1)]) {
        const id = row?.find(([column]) => column === 'EVENT_ID')?.[1] ?? '';
        const record = { publisher: 'NOAA_SED', record_id: id, began_ms: 0, lat: 0, lon: 0 } as const;
        assert.deepEqual(rowsOfPage(await sandbox.text(pathOf(record, 'www.ncei.noaa.gov'))), row, id);
      }
    }
    for (const year of [1974, 1992, 1993]) {
      const [older = [], newer = []] = ['20160223', '20220425'].map((stamp) =>
        rowsOfFile(`StormEvents_details-ftp_v1.0_d${year}_c${stamp}.csv.gz`),
      );
      const texts = new Set(older.map((row) => JSON.stringify(row)));
      const changed = newer.filter((row) => !texts.has(JSON.stringify(row)));
      assert.equal(changed.length, { 1974: 3, 1992: 1, 1993: 8 }[year]);
      for (const row of changed) {
        const id = row.find(([column]) => column === 'EVENT_ID')?.[1] ?? '';
        const page = await sandbox.text(`/access/storm-events-database/event-details/${id}`);
        assert.deepEqual(rowsOfPage(page), row);
      }
    }
  });

  it('has no page for an event that is not recorded', async () => {
    for (const id of ['1', '0', '999999999999', '05715035', 'x', '', '5715035/more']) {
      const response = await sandbox.get(`/access/storm-events-database/event-details/${id}`);
      assert.deepEqual([id, response.status], [id, 404]);
      await response.body?.cancel();
    }
  });

  it('returns the granule of a grid record', async () => {
    const record_id = 'MESH_Max_60min/2026-06-10T22:00:00Z';
    const record = { publisher: 'MRMS_MESH', record_id, began_ms: 0, lat: 0, lon: 0 } as const;
    const granule = readGranule(await sandbox.bytes(pathOf(record, 'noaa-mrms-pds.s3.amazonaws.com')));
    // The largest cell of the recorded granule, 37.5 mm, by its row and column.
    assert.equal(granule.packed[2_364 * 7_000 + 2_641], 375 + 30);
    assert.deepEqual(granule.reference, [2026, 6, 10, 22, 0, 0]);
  });
});
