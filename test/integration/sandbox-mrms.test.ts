import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readGranule } from '../support/grib-picture.ts';
import { recordings } from '../support/oracle/records.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const hourly = 'CONUS/MESH_Max_60min_00.50';
const recorded_key = 'CONUS/MESH_00.50/20260610/MRMS_MESH_00.50_20260610-213040.grib2.gz';
const recorded = readFileSync(join(recordings, 'mrms', 'MRMS_MESH_00.50_20260610-213040.grib2.gz'));
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

const hourKey = (stamp: string): string =>
  `${hourly}/${stamp.slice(0, 8)}/MRMS_MESH_Max_60min_00.50_${stamp}.grib2.gz`;
const keysOf = (xml: string): string[] =>
  [...xml.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
const stampsOf = (xml: string): string[] => keysOf(xml).map((key) => key.slice(-24, -9));

describe('the bucket of the radar mosaic in the sandbox', () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox('2026-06-11T05:02:59Z');
  });
  after(() => sandbox.stop());
  const list = (parameters: Record<string, string>): Promise<string> =>
    sandbox.text(`/?${new URLSearchParams({ 'list-type': '2', ...parameters }).toString()}`);

  it('serves the recorded granule byte for byte, and nothing to a reader that has it', async () => {
    const response = await sandbox.get(`/${recorded_key}`);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), recorded);
    assert.equal(response.headers.get('etag'), `"${md5(recorded)}"`);
    assert.equal(response.headers.get('last-modified'), 'Wed, 10 Jun 2026 21:33:40 GMT');
    assert.equal(response.headers.get('x-sandbox-not-real'), null);
    for (const known of [
      { 'If-None-Match': `"${md5(recorded)}"` },
      { 'If-Modified-Since': 'Wed, 10 Jun 2026 21:33:40 GMT' },
    ]) {
      const again = await sandbox.get(`/${recorded_key}`, known);
      assert.deepEqual([again.status, await again.text()], [304, '']);
    }
    const other = await sandbox.get(`/${recorded_key}`, { 'If-None-Match': '"other"' });
    assert.equal(other.status, 200);
    await other.body?.cancel();
  });

  it('lists it as S3 writes a listing', async () => {
    assert.equal(
      await list({ prefix: 'CONUS/MESH_00.50/20260610/' }),
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>noaa-mrms-pds</Name>' +
        '<Prefix>CONUS/MESH_00.50/20260610/</Prefix><KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>' +
        `<Contents><Key>${recorded_key}</Key><LastModified>2026-06-10T21:33:40.000Z</LastModified>` +
        `<ETag>&quot;${md5(recorded)}&quot;</ETag><Size>81601</Size><StorageClass>STANDARD</StorageClass></Contents></ListBucketResult>`,
    );
  });

  it('has an hour three minutes after its stamp, for 48 hours, and the recorded day always', async () => {
    const of_day = async (day: string): Promise<string[]> =>
      stampsOf(await list({ prefix: `${hourly}/${day}/` }));
    const hours = (day: string, first: number, last: number): string[] =>
      Array.from(
        { length: last - first + 1 },
        (_, at) => `${day}-${String(first + at).padStart(2, '0')}0000`,
      );
    assert.deepEqual(await of_day('20260611'), hours('20260611', 0, 4));
    sandbox.setTime('2026-06-11T05:03:00Z');
    assert.deepEqual(await of_day('20260611'), hours('20260611', 0, 5));
    assert.deepEqual(await of_day('20260609'), hours('20260609', 6, 23));
    assert.deepEqual(await of_day('20260610'), hours('20260610', 0, 23));
    sandbox.setTime('2026-11-21T10:00:00Z');
    assert.deepEqual(await of_day('20260610'), hours('20260610', 0, 23));
    assert.deepEqual(await of_day('20260609'), []);
    assert.deepEqual(await of_day('20261119'), hours('20261119', 10, 23));
    assert.equal((await sandbox.get(`/${hourKey('20261119-090000')}`)).status, 404);
    assert.equal((await sandbox.get(`/${hourKey('20261121-100000')}`)).status, 404);
    assert.equal((await sandbox.get(`/${hourKey('20261121-090000')}`)).status, 200);
    sandbox.setTime('2026-06-11T05:03:00Z');
  });

  it('gives every key once over pages, and those after a key', async () => {
    const whole = keysOf(await list({ prefix: 'CONUS/' }));
    assert.equal(whole.length, 49, '48 hours and the recorded granule');
    assert.deepEqual(whole, [...whole].sort());
    const paged: string[] = [];
    let pages = 0;
    for (let token: string | undefined; pages === 0 || token !== undefined; pages += 1) {
      const xml = await list({
        prefix: 'CONUS/',
        'max-keys': '10',
        ...(token === undefined ? {} : { 'continuation-token': token }),
      });
      paged.push(...keysOf(xml));
      token = /<NextContinuationToken>([^<]+)</.exec(xml)?.[1];
      assert.match(xml, new RegExp(`<IsTruncated>${token !== undefined}</IsTruncated>`));
    }
    assert.deepEqual([paged, pages], [whole, 5]);
    const after_key = hourKey('20260611-030000');
    const rest = await list({ prefix: `${hourly}/20260611/`, 'start-after': after_key });
    assert.deepEqual(stampsOf(rest), ['20260611-040000', '20260611-050000']);
    assert.match(rest, new RegExp(`<StartAfter>${after_key}</StartAfter>`));
    assert.match(await list({ prefix: 'CONUS/', 'max-keys': '0' }), /<KeyCount>0<.*<IsTruncated>false</);
  });

  it('answers faults as S3 does', async () => {
    const missing = await sandbox.get('/CONUS/MESH_00.50/20260610/none.grib2.gz');
    assert.deepEqual([missing.status, missing.headers.get('content-type')], [404, 'application/xml']);
    assert.match(
      await missing.text(),
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<Error><Code>NoSuchKey<\/Code><Message>[^<]+<\/Message><Key>CONUS\/MESH_00.50\/20260610\/none.grib2.gz<\/Key><\/Error>$/,
    );
    for (const [question, status, code] of [
      ['list-type=2&continuation-token=nonsense', 400, 'InvalidArgument'],
      ['list-type=2&max-keys=-1', 400, 'InvalidArgument'],
      ['list-type=2&delimiter=/', 501, 'NotImplemented'],
      ['list-type=1', 501, 'NotImplemented'],
    ] as const) {
      const refused = await sandbox.get(`/?${question}`);
      assert.equal(refused.status, status, question);
      assert.match(await refused.text(), new RegExp(`<Code>${code}</Code>`));
    }
    assert.match(await list({ prefix: '<&"' }), /<Prefix>&lt;&amp;&quot;<\/Prefix>/);
  });

  it('puts the cells of the recorded granule from half an inch on into the hour that ends after it, and no others', async () => {
    const real = readGranule(recorded);
    const hail = new Map<number, number>();
    real.packed.forEach((value, index) => value - 30 >= 127 && hail.set(index, value));
    // As ecCodes counts them, at 19.0 and 25.4 mm.
    const { cells_at_least_mm } = JSON.parse(
      readFileSync(join(recordings, 'mrms/MRMS_MESH_00.50_20260610-213040.expected.json'), 'utf8'),
    ) as { cells_at_least_mm: Record<string, number> };
    for (const mm of ['19', '25.4']) {
      const counted = [...hail.values()].filter((value) => value - 30 >= Number(mm) * 10).length;
      assert.equal(counted, cells_at_least_mm[mm]);
    }
    assert.equal(hail.size, 895);

    const response = await sandbox.get(`/${hourKey('20260610-220000')}`);
    assert.equal(response.headers.get('x-sandbox-not-real'), 'derived');
    const made = readGranule(Buffer.from(await response.arrayBuffer()));
    assert.partialDeepStrictEqual(made, {
      discipline: 209,
      category: 3,
      number: 30,
      reference: [2026, 6, 10, 22, 0, 0],
      columns: 7_000,
      rows: 3_500,
      bits: 16,
    });
    const expected = new Uint16Array(real.packed.length).fill(20);
    for (const [index, value] of hail) expected[index] = value;
    assert.ok(Buffer.from(made.packed.buffer).equals(Buffer.from(expected.buffer)));
  });

  it('has a calm granule for every other hour, said to be made', async () => {
    const xml = await sandbox.get(`/?list-type=2&prefix=${hourly}/20260611/&max-keys=1`);
    assert.equal(xml.headers.get('x-sandbox-not-real'), 'derived');
    const [, etag = '', size = ''] =
      /<ETag>&quot;(\w+)&quot;<\/ETag><Size>(\d+)</.exec(await xml.text()) ?? [];
    const bytes = await sandbox.bytes(`/${hourKey('20260611-000000')}`);
    assert.deepEqual([md5(bytes), bytes.length], [etag, Number(size)]);
    const calm = readGranule(bytes);
    assert.partialDeepStrictEqual(calm, { number: 30, reference: [2026, 6, 11, 0, 0, 0], bits: 8 });
    assert.ok(calm.packed.every((value) => value === 20));
    const later = readGranule(await sandbox.bytes(`/${hourKey('20260611-010000')}`));
    assert.deepEqual(later.reference, [2026, 6, 11, 1, 0, 0]);
  });
});
