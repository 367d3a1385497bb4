import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { readConfig } from '../../../services/runtime/config.ts';
import { encodeBlock, native, type NativeColumn } from '../../../services/store/native.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startLocalServices } from '../../support/local-services.ts';

interface Row {
  id: number;
  small: number;
  middle: number;
  large: number;
  signed: number;
  huge: number;
  real: number;
  at: number;
  words: string;
  label: string;
  maybe: number | null;
  several: number[];
}

const columns: readonly NativeColumn<Row>[] = [
  native.uint32('id', ({ id }) => id),
  native.uint8('small', ({ small }) => small),
  native.uint16('middle', ({ middle }) => middle),
  native.uint32('large', ({ large }) => large),
  native.int32('signed', ({ signed }) => signed),
  native.uint64('huge', ({ huge }) => huge),
  native.float64('real', ({ real }) => real),
  native.instant('at', ({ at }) => at),
  native.text('words', ({ words }) => words),
  native.label('label', ({ label }) => label),
  native.nullableUint8('maybe', ({ maybe }) => maybe),
  native.uint32s('several', ({ several }) => several),
];

const earliest = Date.parse('1900-01-01T00:00:00Z');
const latest = Date.parse('2299-12-30T23:59:59.999Z');

/** Any text that UTF-8 can hold, long ones and ones with line ends, quotes and zeros too. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '\n\n',
    '\0',
    "it's \\N",
    'ünï\u{1f9ca}',
    'x'.repeat(127),
    'x'.repeat(128),
    'é'.repeat(20_000),
  ),
);
const anyRow = fc.record({
  small: fc.nat(0xff),
  middle: fc.nat(0xffff),
  large: fc.nat(0xffffffff),
  signed: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  huge: fc.maxSafeNat(),
  real: fc.double({ noNaN: true, noDefaultInfinity: true }),
  at: fc.integer({ min: earliest, max: latest }),
  words: text,
  label: text,
  maybe: fc.option(fc.nat(0xff)),
  several: fc.array(fc.nat(0xffffffff), { maxLength: 300 }),
});

describe('a block of rows in the Native format', { timeout: 120_000 }, () => {
  const made = createCleanup();
  let store: Store;

  before(async () => {
    const local = made.keep(await startLocalServices());
    const config = readConfig({ CLICKHOUSE_URL: local.clickhouse_url, CLICKHOUSE_DATABASE: 'default' });
    store = createStore(config, { timeout_ms: 20_000 });
    made.keep({ stop: () => store.close() });
    const types = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
    await store.command(`CREATE TABLE kinds (${types}) ENGINE = Memory`);
  });
  after(() => made.stop());

  const stored = async (rows: readonly Row[]): Promise<unknown[]> => {
    await store.command('TRUNCATE TABLE kinds');
    await store.insertBlock('kinds', encodeBlock(columns, rows));
    return store.rows(
      `SELECT * REPLACE (toUnixTimestamp64Milli(at) AS at, hex(words) AS words, hex(label) AS label) FROM kinds ORDER BY id`,
    );
  };
  const hex = (value: string): string => Buffer.from(value).toString('hex').toUpperCase();
  const shown = (rows: readonly Row[]): unknown[] =>
    rows.map((row) => ({ ...row, words: hex(row.words), label: hex(row.label) }));

  it('is read by the engine as what it was made of: any number, text, time and null', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 60 }), async (made_up) => {
        const rows = made_up.map((row, id) => ({ id, ...row, real: row.real + 0 }));
        assert.deepEqual(await stored(rows), shown(rows));
      }),
      { numRuns: 30 },
    );
  });

  it('holds as many labels as there are', async () => {
    for (const labels of [1, 256, 257, 65_536, 65_537]) {
      const row = {
        small: 1,
        middle: 2,
        large: 3,
        signed: -4,
        huge: 5,
        real: -0.5,
        at: -1,
        words: '',
        maybe: null,
        several: [],
      };
      const rows = Array.from({ length: labels }, (_, id) => ({ ...row, id, label: `label ${id}` }));
      rows.push({ ...row, id: labels, label: 'label 0' });
      assert.deepEqual(await stored(rows), shown(rows), `${labels} labels`);
    }
  });

  it('with several rows of one sort key stands as its highest revision', async () => {
    await store.command(
      `CREATE TABLE revisions (key UInt32, revision UInt64, is_deleted UInt8)
       ENGINE = ReplacingMergeTree(revision, is_deleted) ORDER BY key`,
    );
    await store.command('SYSTEM STOP MERGES revisions');
    type Revision = [key: number, revision: number, is_deleted: number];
    const layout: readonly NativeColumn<Revision>[] = [
      native.uint32('key', ([key]) => key),
      native.uint64('revision', ([, revision]) => revision),
      native.uint8('is_deleted', ([, , is_deleted]) => is_deleted),
    ];
    const rows: Revision[] = [];
    for (let key = 0; key < 5_000; key += 1)
      rows.push([key, 3, 0], [key, 1, 1], [key, 7, key % 2], [key, 5, 1]);
    await store.insertBlock('revisions', encodeBlock(layout, rows));
    const read = (where: string): Promise<unknown[]> =>
      store.rows(`SELECT key, revision FROM revisions FINAL WHERE ${where} ORDER BY key`);
    const expected = Array.from({ length: 2_500 }, (_, half) => ({ key: half * 2, revision: 7 }));
    assert.deepEqual(await read('1'), expected);
    assert.deepEqual(await read('key IN (7, 8, 4001)'), [{ key: 8, revision: 7 }]);
    await store.command('SYSTEM START MERGES revisions');
    await store.command('OPTIMIZE TABLE revisions FINAL');
    assert.deepEqual(await read('1'), expected);
  });
});
