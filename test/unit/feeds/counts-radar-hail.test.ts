import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { observeSignature } from '../../../services/feeds/swdi/observe.ts';
import { parseCatalogue } from '../../../services/feeds/swdi/catalogue.ts';
import { parseSignatures } from '../../../services/feeds/swdi/parse.ts';
import type { Draft } from '../../../services/feeds/kinds/points.ts';
import { independentRows, independentTable, tally } from '../../support/independent-csv.ts';
import { recordedInventory } from '../../support/recorded.ts';

/**
 * Every number here was stated of the recorded answers before (data/README.md and feeds.md of the reference), and is counted again by a
 * reading of its own. What the feed makes of the same bytes must then be that, row by row.
 */

const moore_csv = recordedInventory('ncei_swdiws_nx3hail_point_20110524.csv');
const moore_geojson = recordedInventory('ncei_swdiws_nx3hail_point_20110524.geojson');
const san_antonio = recordedInventory('nx3hail_san-antonio-box_2026-08-27_29.reconstructed.csv');

function observed(bytes: Buffer): Draft[] {
  const provenance = { document_url: '', retrieved_at: 0, document_sha256: '', publisher_version: null };
  return [...parseSignatures(bytes)].map((row) => observeSignature(row, () => 'day', provenance));
}

const said = (drafts: readonly Draft[]): unknown[] =>
  drafts.map(({ record_key, began_at, ended_at, lat, lon, size_in, evidence }) => ({
    ...{ record_key, began_at, ended_at, lat, lon, size_in },
    ...{ sevprob: evidence.sevprob, prob: evidence.prob },
  }));

/** What rows of fields say, in the file's order, read by the places of the columns as the publisher documents them. */
const saidByFields = (rows: readonly string[][]): unknown[] =>
  rows.map(
    ([time = '', station = '', cell = '', prob = '', sevprob = '', size = '', lat = '', lon = '']) => ({
      record_key: `${station}/${time}/${cell}`,
      began_at: Date.parse(time),
      ended_at: Date.parse(time),
      lat: Number(lat),
      lon: Number(lon),
      size_in: Number(size),
      sevprob: Number(sevprob),
      prob: Number(prob),
    }),
  );

const with_trailer = (rows: number): Buffer =>
  Buffer.concat([san_antonio, Buffer.from(`summary\ncount,${rows}\ntotalTimeInSeconds,0.0\n`)]);

describe('the recorded radar answer of Moore, 24 May 2011', () => {
  it('is 4 rows and a trailer that says 4', () => {
    const [header, ...rows] = [...independentRows(moore_csv)];
    assert.deepEqual(header, ['ZTIME', 'WSR_ID', 'CELL_ID', 'PROB', 'SEVPROB', 'MAXSIZE', 'LAT', 'LON']);
    assert.deepEqual(rows.slice(4), [['summary'], ['count', '4'], ['totalTimeInSeconds', '0.0']]);
    assert.deepEqual(said(observed(moore_csv)), saidByFields(rows.slice(0, 4)));
  });

  it('is the same in GeoJSON, where every property is text and places have a decimal more', () => {
    const { features } = JSON.parse(moore_geojson.toString('utf8')) as {
      features: { properties: Record<string, unknown>; geometry: { coordinates: [number, number] } }[];
    };
    assert.ok(
      features.every(({ properties }) =>
        Object.values(properties).every((value) => typeof value === 'string'),
      ),
    );
    const drafts = observed(moore_csv);
    assert.equal(features.length, drafts.length);
    for (const [n, { properties, geometry }] of features.entries()) {
      const draft = drafts[n];
      assert.ok(draft?.lat != null && draft.lon != null);
      const { ZTIME, WSR_ID, CELL_ID, MAXSIZE, SEVPROB, PROB } = properties;
      assert.equal(draft.record_key, `${String(WSR_ID)}/${String(ZTIME)}/${String(CELL_ID)}`);
      assert.deepEqual(
        [draft.size_in, draft.evidence.sevprob, draft.evidence.prob],
        [Number(MAXSIZE), Number(SEVPROB), Number(PROB)],
      );
      const [lon, lat] = geometry.coordinates;
      assert.ok(Math.abs(lat - draft.lat) <= 0.000_51 && Math.abs(lon - draft.lon) <= 0.000_51);
    }
  });
});

describe('the recorded radar rows of San Antonio, 27 to 29 August 2026', () => {
  const rows = [...independentTable(san_antonio)];

  it('are 79, each read as its bytes say, under 79 keys', () => {
    assert.equal(rows.length, 79);
    const [, ...fields] = independentRows(san_antonio);
    const drafts = observed(with_trailer(79));
    assert.deepEqual(said(drafts), saidByFields(fields));
    assert.equal(new Set(drafts.map(({ record_key }) => record_key)).size, 79);
    assert.ok(drafts.every(({ record_key, record_id }) => record_key === record_id));
  });

  it('reach from 2026-08-27T20:34Z to 2026-08-29T01:28Z', () => {
    const times = rows.map((row) => row('ZTIME')).sort();
    assert.deepEqual(
      [times[0]?.slice(0, 16), times.at(-1)?.slice(0, 16)],
      ['2026-08-27T20:34', '2026-08-29T01:28'],
    );
  });

  it('have sizes in steps of a quarter inch from a half up, and probabilities in steps of ten', () => {
    for (const row of rows) {
      const size_in = Number(row('MAXSIZE'));
      assert.ok(size_in >= 0.5 && size_in <= 4 && (size_in * 4) % 1 === 0, row('MAXSIZE'));
      assert.equal(Number(row('SEVPROB')) % 10, 0);
    }
    assert.deepEqual(tally(rows.map((row) => row('PROB'))), { '100': 79 });
    // Weak ones are kept: hail of half an inch that no severe hail is expected of.
    assert.ok(rows.some((row) => row('MAXSIZE') === '0.50' && row('SEVPROB') === '0'));
  });

  it('show one storm as four radars saw it, from 01:08 to 01:12Z, and one place three times', () => {
    const minutes = rows.filter(
      (row) => row('ZTIME') >= '2026-08-29T01:08' && row('ZTIME') < '2026-08-29T01:13',
    );
    const seen = new Map(minutes.map((row) => [row('WSR_ID'), row('MAXSIZE')]));
    assert.deepEqual(Object.fromEntries([...seen].sort()), {
      KCRP: '1.25',
      KDFX: '1.25',
      KEWX: '1.50',
      KGRK: '1.00',
    });
    assert.equal(rows.filter((row) => row('LAT') === '29.816' && row('LON') === '-98.033').length, 3);
  });
});

describe('the recorded list of datasets', () => {
  it('has eight, and nx3hail from 7 May 1992 to 11 June 2026', () => {
    const xml = recordedInventory('ncei_swdiws_datasets.xml').toString('latin1');
    const names = xml
      .split('<dataset-url-path>')
      .slice(1)
      .map((rest) => rest.slice(0, rest.indexOf('<')));
    assert.deepEqual(names.sort(), [
      ...[
        'nldn',
        'nx3hail',
        'nx3hail_all',
        'nx3mda',
        'nx3meso',
        'nx3structure',
        'nx3structure_all',
        'nx3tvs',
      ],
    ]);
    const block = xml.slice(xml.indexOf('<dataset-url-path>nx3hail<'));
    const dayAfter = (tag: string): string => block.slice(block.indexOf(tag) + tag.length).slice(0, 8);
    assert.deepEqual([dayAfter('<begDate>'), dayAfter('<endDate>')], ['19920507', '20260611']);
    const { begins_ms, ends_ms } = parseCatalogue(xml, 'nx3hail');
    assert.deepEqual(
      [begins_ms, ends_ms],
      [Date.parse('1992-05-07T00:00:00Z'), Date.parse('2026-06-11T00:00:00Z')],
    );
  });
});
