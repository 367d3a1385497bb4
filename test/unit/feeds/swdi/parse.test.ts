import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PollFailed } from '../../../../services/feeds/poll-failure.ts';
import { parseCatalogue } from '../../../../services/feeds/swdi/catalogue.ts';
import { observeSignature } from '../../../../services/feeds/swdi/observe.ts';
import { parseSignatures, type SignatureRow } from '../../../../services/feeds/swdi/parse.ts';
import { inventoryAnswer } from '../../../support/publisher-stub.ts';
import { recordedInventory, sanAntonioRows } from '../../../support/recorded.ts';

const provenance = {
  document_url: 'http://publisher/answer',
  retrieved_at: 0,
  document_sha256: '0'.repeat(64),
  publisher_version: null,
};
const read = (text: string | Buffer): SignatureRow[] => [...parseSignatures(Buffer.from(text))];
const fails = (text: string, reason: string): void =>
  assert.throws(
    () => read(text),
    (error) => error instanceof PollFailed && error.reason === reason,
    reason,
  );

describe('an answer of the radar inventory', () => {
  const recorded = recordedInventory('ncei_swdiws_nx3hail_point_20110524.csv');

  it('is its rows without the trailer', () => {
    const rows = read(recorded);
    assert.equal(rows.length, 4);
    assert.deepEqual(rows[0], {
      ZTIME: '2011-05-24T22:42:54Z',
      WSR_ID: 'KVNX',
      CELL_ID: 'G2',
      PROB: '100',
      SEVPROB: '80',
      MAXSIZE: '1.75',
      LAT: '35.303',
      LON: '-97.525',
    });
    assert.equal(read(inventoryAnswer(sanAntonioRows(), '20260827', '20260830')).length, 79);
  });

  it('reads by the names in the header, whatever their order and the line ends', () => {
    const text =
      'LON,LAT,ZTIME,WSR_ID,CELL_ID,RANGE,SEVPROB,PROB,MAXSIZE\r\n-97.5,35.3,2011-05-24T22:42:54Z,KVNX,G2,9,80,100, 1.75 \r\n';
    const [row] = read(`${text}summary\r\ncount,1\r\ntotalTimeInSeconds,0.3\r\n`);
    assert.equal(row?.LAT, '35.3');
    assert.equal(row.MAXSIZE, '1.75');
  });

  it('is no hail only with a trailer that counts zero', () => {
    assert.deepEqual(read('summary\ncount,0\ntotalTimeInSeconds,0.0\n'), []);
    assert.deepEqual(
      read('ZTIME,WSR_ID,CELL_ID,PROB,SEVPROB,MAXSIZE,LAT,LON\nsummary\ncount,0\ntotalTimeInSeconds,0\n'),
      [],
    );
  });

  it('is truncated without its whole trailer', () => {
    const text = recorded.toString('utf8');
    fails('', 'truncated');
    fails(text.slice(0, text.indexOf('summary')), 'truncated');
    fails(text.slice(0, text.indexOf('count')), 'truncated');
    fails(text.slice(0, text.indexOf('totalTime')), 'truncated');
    fails(text.slice(0, 100), 'truncated');
  });

  it('is a mismatch when the count is not the number of rows', () => {
    const text = recorded.toString('utf8');
    fails(text.replace('count,4', 'count,5'), 'count-mismatch');
    fails(text.replace('count,4', 'count,0'), 'count-mismatch');
    fails('summary\ncount,3\ntotalTimeInSeconds,0.0\n', 'count-mismatch');
  });

  it('may be an error in the clothes of an answer', () => {
    fails("error,ERROR VALIDATING 'dateRange=startDate:endDate'\n", 'error-body');
    fails("Something: ERROR VALIDATING 'bbox'\nsummary\ncount,0\ntotalTimeInSeconds,0\n", 'error-body');
    fails('<html><body>503</body></html>', 'not-the-format');
    fails('A,B\n1,2\nsummary\ncount,1\ntotalTimeInSeconds,0\n', 'not-the-format');
    fails(recorded.toString('utf8').replace('KVNX,G2,100', 'KVNX,100'), 'not-the-format');
  });
});

describe('another form of the same inventory', () => {
  it("is not the format: only the service's CSV is read", () => {
    fails(recordedInventory('ncei_swdiws_nx3hail_point_20110524.geojson').toString('utf8'), 'not-the-format');
    fails(recordedInventory('ncei_swdiws_datasets.xml').toString('utf8'), 'not-the-format');
    fails('{"result":[],"summary":{"count":"0"}}', 'not-the-format');
    // The bulk file of a year, as others describe it (NOT REAL): comment lines, no trailer, times as numbers.
    const bulk =
      '#Hail signatures\n#ZTIME,LON,LAT,WSR_ID,CELL_ID,RANGE,AZIMUTH,SEVPROB,PROB,MAXSIZE\n' +
      '20110524224254,-97.525,35.303,KVNX,G2,99,180,80,100,1.75\n';
    fails(bulk, 'truncated');
    fails(`${bulk}summary\ncount,1\ntotalTimeInSeconds,0.0\n`, 'not-the-format');
  });
});

describe('what a signature says', () => {
  const row: SignatureRow = {
    ZTIME: '2026-08-29T01:08:12Z',
    WSR_ID: 'KEWX',
    CELL_ID: 'G2',
    PROB: '100',
    SEVPROB: '70',
    MAXSIZE: '1.50',
    LAT: '29.680',
    LON: '-98.120',
  };
  const observe = (change: Partial<SignatureRow>): ReturnType<typeof observeSignature> =>
    observeSignature({ ...row, ...change }, () => 'slice', provenance);

  it('is an instant under station, time and cell', () => {
    const { record_key, record_id, began_at, ended_at, size_in, lat, lon, evidence } = observe({});
    assert.equal(record_key, 'KEWX/2026-08-29T01:08:12Z/G2');
    assert.equal(record_id, record_key);
    assert.deepEqual([began_at, ended_at], [1_787_965_692_000, 1_787_965_692_000]);
    assert.deepEqual([lat, lon, size_in, evidence.sevprob, evidence.prob], [29.68, -98.12, 1.5, 70, 100]);
  });

  it('without a cell is known by its place and cited by two parts', () => {
    const { record_key, record_id, evidence } = observe({ CELL_ID: '' });
    assert.equal(record_key, 'KEWX/2026-08-29T01:08:12Z/@29.68,-98.12');
    assert.equal(record_id, 'KEWX/2026-08-29T01:08:12Z');
    assert.equal(evidence.cell_id, null);
    assert.equal(observe({ CELL_ID: '', LAT: '29.68' }).record_key, record_key);
  });

  it('knows sentinels from numbers', () => {
    const { size_in, evidence } = observe({ MAXSIZE: '-999', PROB: '-999', SEVPROB: '' });
    assert.deepEqual([size_in, evidence.prob, evidence.sevprob], [null, null, null]);
    for (const MAXSIZE of ['0', '0.00', '0.004', '12.01'])
      assert.equal(observe({ MAXSIZE }).size_in, null, MAXSIZE);
    assert.deepEqual([observe({ LAT: '-999', LON: '-999' }).lat, observe({ LAT: '-999' }).lon], [null, null]);
    assert.equal(
      observe({ CELL_ID: '', LAT: '-999', LON: '-999' }).record_key,
      'KEWX/2026-08-29T01:08:12Z/@,',
    );
  });

  it('keeps the largest size there is, 4.00, as it stands: what a ceiling hides is not guessed', () => {
    assert.equal(observe({ MAXSIZE: '4.00' }).size_in, 4);
    assert.equal(observe({ MAXSIZE: '0.50', SEVPROB: '0' }).size_in, 0.5);
  });

  it('without a station or a real time is no signature', () => {
    for (const change of [
      { WSR_ID: '' },
      { WSR_ID: 'KE/X' },
      { CELL_ID: 'G\u0000' },
      { CELL_ID: 'G2/x' },
      { CELL_ID: '9'.repeat(300) },
      { ZTIME: '20260829010812' },
      { ZTIME: '2026-02-30T01:00:00Z' },
      { ZTIME: '' },
    ]) {
      assert.throws(
        () => observe(change),
        (error) => error instanceof PollFailed && error.reason === 'not-the-format',
        JSON.stringify(change),
      );
    }
  });
});

describe('the catalogue of the radar inventory', () => {
  const xml = recordedInventory('ncei_swdiws_datasets.xml').toString('utf8');

  it('gives the period of one dataset', () => {
    const expected = { begins_ms: Date.UTC(1992, 4, 7), ends_ms: Date.UTC(2026, 5, 11) };
    assert.deepEqual(parseCatalogue(xml, 'nx3hail'), expected);
    const other = xml.replace(
      /(nx3hail<\/dataset-url-path>\s*<begDate>\d+<\/begDate>\s*<endDate>)\d+/,
      '$120260610',
    );
    assert.equal(parseCatalogue(other, 'nx3hail').ends_ms, Date.UTC(2026, 5, 10));
    assert.equal(parseCatalogue(other, 'nx3hail_all').ends_ms, Date.UTC(2026, 5, 11));
    assert.equal(parseCatalogue(xml, 'nldn').begins_ms, Date.UTC(1986, 0, 1));
  });

  it('without the dataset, or with days that are none, is not the format', () => {
    for (const text of [
      '',
      '<html></html>',
      // A broken page of blanks must not take longer to refuse than to read.
      xml.replaceAll('nx3hail<', `nx3hail${' '.repeat(200_000)}x<`),
      '<dataset>'.repeat(200_000),
      xml.replaceAll('20260611', '20261399'),
      xml.replaceAll('20260611', ''),
    ]) {
      assert.throws(
        () => parseCatalogue(text, 'nx3hail'),
        (error) => error instanceof PollFailed && error.reason === 'not-the-format',
      );
    }
  });
});
