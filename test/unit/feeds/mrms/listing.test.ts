import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayPrefix, granuleKey, keyBefore, stampOf } from '../../../../services/feeds/mrms/keys.ts';
import { listingUrl } from '../../../../services/feeds/mrms/list-granules.ts';
import { parseListing } from '../../../../services/feeds/mrms/listing.ts';
import { mesh_products } from '../../../../services/feeds/mrms/products.ts';
import { PollFailed } from '../../../../services/feeds/poll-failure.ts';

const { MESH, MESH_Max_60min } = mesh_products;
const key = 'CONUS/MESH_00.50/20260610/MRMS_MESH_00.50_20260610-213040.grib2.gz';
const stamp = Date.parse('2026-06-10T21:30:40Z');

describe('the keys of granules', () => {
  it('tell their stamp, and only those of the product do', () => {
    assert.equal(stampOf(MESH, key), stamp);
    assert.equal(granuleKey(MESH, stamp), key);
    for (const other of [
      key.replace('20260610/', '20260611/'),
      key.replaceAll('MESH', 'MESH_Max_60min'),
      key.replace('-213040', '-216040'),
      key.replaceAll('20260610', '20260631'),
      key.replace('.grib2.gz', '.grib2.gz.tmp'),
      key.replace('-213040', '-21304'),
      'CONUS/MESH_00.50/20260610/',
      '',
    ]) {
      assert.equal(stampOf(MESH, other), null, other);
    }
    assert.equal(stampOf(MESH_Max_60min, key), null);
  });

  it('of a stamp come after the text that a listing begins at, those before it do not', () => {
    assert.ok(keyBefore(MESH, stamp) < key);
    assert.ok(granuleKey(MESH, stamp - 1_000) < keyBefore(MESH, stamp));
    assert.ok(key.startsWith(dayPrefix(MESH, stamp)));
  });
});

describe('the address of a listing', () => {
  it('asks for a prefix, and where to go on', () => {
    assert.equal(
      listingUrl('https://bucket.example/', dayPrefix(MESH, stamp)),
      'https://bucket.example/?list-type=2&prefix=CONUS%2FMESH_00.50%2F20260610%2F',
    );
    const { searchParams } = new URL(
      listingUrl('http://b', 'p/', { start_after: 'p/a', continuation: '1+/=' }),
    );
    assert.deepEqual(Object.fromEntries(searchParams), {
      'list-type': '2',
      prefix: 'p/',
      'start-after': 'p/a',
      'continuation-token': '1+/=',
    });
  });
});

describe('a listing of the bucket', () => {
  const prefix = 'CONUS/MESH_00.50/20260610/';
  const entry = (name: string): string =>
    `<Contents><Key>${prefix}${name}</Key><LastModified>2026-06-10T21:32:07.000Z</LastModified><ETag>&quot;0a&quot;</ETag><Size>81601</Size></Contents>`;
  const page = (head: string, entries: string): string =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>noaa-mrms-pds</Name>${head}${entries}</ListBucketResult>`;
  const last = '<KeyCount>2</KeyCount><IsTruncated>false</IsTruncated>';
  const whole = page(last, entry('a') + entry('b'));

  it('is its keys, times and lengths, and the token of the next page', () => {
    const last_modified = '2026-06-10T21:32:07.000Z';
    assert.deepEqual(parseListing(whole, prefix), {
      objects: ['a', 'b'].map((name) => ({ key: prefix + name, last_modified, bytes: 81_601 })),
      continuation: null,
    });
    const more = '<NextContinuationToken>1&amp;2&#x2f;&#43;=</NextContinuationToken>';
    const first = page(`${more}<KeyCount>1</KeyCount><IsTruncated>true</IsTruncated>`, entry('x&amp;y'));
    const { objects, continuation } = parseListing(first, prefix);
    assert.deepEqual([objects[0]?.key, continuation], [`${prefix}x&y`, '1&2/+=']);
  });

  it('may be empty, but says so', () => {
    const none = page('<KeyCount>0</KeyCount><IsTruncated>false</IsTruncated>', '');
    assert.deepEqual(parseListing(none, prefix), { objects: [], continuation: null });
  });

  const faults: readonly [string, string, string][] = [
    ['error-body', 'an error', '<?xml version="1.0"?>\n<Error><Code>SlowDown</Code></Error>'],
    ['truncated', 'nothing', ''],
    ['not-the-format', 'a page', '<!DOCTYPE html><html><body>503</body></html>'],
    ['not-the-format', 'another document', '<ListAllMyBucketsResult></ListAllMyBucketsResult>'],
    ['count-mismatch', 'an entry too few', page(last, entry('a'))],
    ['not-the-format', 'no count', page('<IsTruncated>false</IsTruncated>', entry('a'))],
    ['not-the-format', 'no word on whether it goes on', page('<KeyCount>1</KeyCount>', entry('a'))],
    ['not-the-format', 'going on without a token', whole.replace('false', 'true')],
    ['not-the-format', 'a key of another folder', whole.replace('20260610/b', '20260609/b')],
    ['not-the-format', 'an entry without a time', whole.replace('2026-06-10T21:32:07.000Z', '')],
    ['not-the-format', 'an entry with a time that is none', whole.replace('2026-06-10T21', '2026-13-10T21')],
    ['not-the-format', 'an entry without a key', whole.replace(/<Key>.*?<\/Key>/, '')],
    ['not-the-format', 'an entry with two keys', whole.replace('<Key>', '<Key>x</Key><Key>')],
    ['not-the-format', 'an entry within another', whole.replace('</Contents><Contents>', '<Contents>')],
    [
      'not-the-format',
      'the same, in a count that agrees',
      page(last, `<Contents><Key>${entry('a')}${entry('b')}`),
    ],
    ['not-the-format', 'an entry that is not closed', whole.replace('</Contents></List', '</List')],
    ['not-the-format', 'a character that does not exist', whole.replace('20260610/b', '20260610/&#x110000;')],
  ];
  for (const [reason, what, text] of faults) {
    it(`${reason}: ${what}`, () => {
      assert.throws(
        () => parseListing(text, prefix),
        (error) => error instanceof PollFailed && error.reason === reason,
      );
    });
  }

  it('is no listing when it is cut, wherever', () => {
    for (let length = 0; length < whole.length; length += 1) {
      assert.throws(() => parseListing(whole.slice(0, length), prefix), PollFailed, `${length} characters`);
    }
  });
});
