import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Draft } from '../../../../services/feeds/kinds/points.ts';
import { namedFile, reportDay, reportDays } from '../../../../services/feeds/spc/days.ts';
import { observeReports } from '../../../../services/feeds/spc/observe.ts';
import { parseReports, type ReportRow } from '../../../../services/feeds/spc/parse.ts';
import { observationProblem } from '../../../../services/hail/validate-observation.ts';
import { dataLines, recordedReports } from '../../../support/recorded-reports.ts';

const day = reportDay(Date.parse('2013-05-19T12:00:00Z'));
const provenance = {
  document_url: 'http://publisher/130519_rpts_hail.csv',
  retrieved_at: Date.parse('2013-05-21T00:00:00Z'),
  document_sha256: '0'.repeat(64),
  publisher_version: null,
};
const row: ReportRow = {
  time: '2340',
  size: '175',
  location: '3 E POTOSI',
  county: 'GRANT',
  state: 'WI',
  lat: '42.69',
  lon: '-90.65',
  comments: '(ARX)',
};
const observe = (change: Partial<ReportRow>): Draft => {
  const [draft] = observeReports([{ ...row, ...change }], day, provenance);
  assert.ok(draft);
  return draft;
};

describe('a convective day', () => {
  it('runs from 12Z to 12Z and names its file by the day it begins on', () => {
    assert.deepEqual(day, {
      name: '2013-05-19',
      from: Date.parse('2013-05-19T12:00:00Z'),
      until: Date.parse('2013-05-20T12:00:00Z'),
    });
    assert.equal(reportDay(Date.parse('2013-05-20T11:59:59Z')).name, '2013-05-19');
    assert.equal(namedFile(day), '130519_rpts_hail.csv');
    const names = reportDays(Date.parse('2023-12-31T11:00:00Z'), Date.parse('2024-01-01T12:00:00Z'));
    assert.deepEqual(
      names.map(({ name }) => name),
      ['2023-12-30', '2023-12-31'],
    );
  });
});

describe('what a storm report says', () => {
  it('is an instant at a place, preliminary, known by what it says', () => {
    const { record_key, record_id, slice, began_at, ended_at, lat, lon, size_in, status, evidence } = observe(
      {},
    );
    assert.equal(record_key, '2013-05-19/2340/175/42.69/-90.65/3 E POTOSI#1');
    assert.deepEqual([record_id, slice, status], [record_key, '2013-05-19', 'preliminary']);
    assert.equal(began_at, Date.parse('2013-05-19T23:40:00Z'));
    assert.deepEqual([ended_at, lat, lon, size_in], [began_at, 42.69, -90.65, 1.75]);
    assert.equal(evidence.reporter, 'ARX');
  });

  it('has a time below 12Z on the next date', () => {
    assert.equal(observe({ time: '1200' }).began_at, Date.parse('2013-05-19T12:00:00Z'));
    assert.equal(observe({ time: '2359' }).began_at, Date.parse('2013-05-19T23:59:00Z'));
    assert.equal(observe({ time: '0000' }).began_at, Date.parse('2013-05-20T00:00:00Z'));
    assert.equal(observe({ time: '1159' }).began_at, Date.parse('2013-05-20T11:59:00Z'));
    assert.equal(observe({ time: '24' }).began_at, Date.parse('2013-05-20T00:24:00Z'));
    for (const time of ['2400', '1260', '', 'UNK', '12:00']) assert.equal(observe({ time }).began_at, null);
  });

  it('has a size in hundredths of an inch, odd ones too, or none', () => {
    for (const [size, size_in] of [
      ['139', 1.39],
      ['425', 4.25],
      ['25', 0.25],
      ['UNK', null],
      ['0', null],
      ['', null],
      ['-100', null],
      ['1.75', null],
      ['1201', null],
    ] as const) {
      assert.equal(observe({ size }).size_in, size_in, size);
    }
  });

  it('has a place in few decimals, or none', () => {
    const { lat, lon, record_key } = observe({ lat: '37', lon: '-102.3' });
    assert.deepEqual([lat, lon], [37, -102.3]);
    // The same number written otherwise is the same report.
    assert.equal(observe({ lat: '37.00', lon: '-102.30' }).record_key, record_key);
    for (const change of [{ lat: '' }, { lat: 'UNK' }, { lat: '91' }, { lat: '0', lon: '0' }]) {
      const draft = observe(change);
      assert.deepEqual([draft.lat, draft.lon], [null, null]);
    }
  });

  it('names the office in the last parenthesis', () => {
    const reporter = (comments: string): string | null => observe({ comments }).evidence.reporter;
    assert.equal(reporter('(UNR)'), 'UNR');
    assert.equal(reporter('Report from mPING: Quarter (1.00 in.). (DMX)'), 'DMX');
    assert.equal(reporter('DELAYED REPORT (NEAR TOWN). (MPX)'), 'MPX');
    assert.equal(reporter('Report from mPING: Quarter (1.00 in.).'), null);
    assert.equal(reporter(''), null);
  });

  it('has not happened when its time lies past the reading of its file', () => {
    const early = { ...provenance, retrieved_at: Date.parse('2013-05-19T20:00:00Z') };
    const [draft] = observeReports([row], day, early);
    assert.deepEqual([draft?.began_at, draft?.ended_at], [null, null]);
  });
});

describe('reports that agree in all that identifies them', () => {
  const one = { ...row, comments: 'AT THE SCHOOL. (ARX)' };
  const other = { ...row, comments: 'IN TOWN. (ARX)' };
  const keys = (rows: ReportRow[]): string[] =>
    observeReports(rows, day, provenance).map(({ record_key }) => record_key);

  it('are each a record, counted', () => {
    assert.deepEqual(keys([row, { ...row, size: '100' }, row]).sort(), [
      '2013-05-19/2340/100/42.69/-90.65/3 E POTOSI#1',
      '2013-05-19/2340/175/42.69/-90.65/3 E POTOSI#1',
      '2013-05-19/2340/175/42.69/-90.65/3 E POTOSI#2',
    ]);
  });

  it('keep their numbers in whatever order the rows come', () => {
    const byKey = (rows: ReportRow[]): Draft[] =>
      observeReports(rows, day, provenance).sort((a, b) => (a.record_key < b.record_key ? -1 : 1));
    assert.deepEqual(byKey([one, other]), byKey([other, one]));
  });
});

describe('the reports of a recorded day', () => {
  it('lie in their day, and the later file has all of the earlier one and 36 more', () => {
    const observed = (file: string): Draft[] =>
      observeReports(parseReports(recordedReports(file)), day, provenance);
    const earlier = observed('today_hail.snapshot_2013-05-20T0128Z.csv');
    const later = observed('yesterday_hail.snapshot_2013-05-20T1652Z.csv');
    const keys = new Set(later.map(({ record_key }) => record_key));
    assert.deepEqual([earlier.length, later.length, keys.size], [160, 196, 196]);
    assert.ok(earlier.every(({ record_key }) => keys.has(record_key)));
    for (const { began_at } of later) {
      assert.ok(began_at !== null && began_at >= day.from && began_at < day.until);
    }
    // Of an independent reading: lines of the later file whose first four characters are below 1200.
    const after_midnight = dataLines(recordedReports('yesterday_hail.snapshot_2013-05-20T1652Z.csv')).filter(
      (line) => line.slice(0, 4) < '1200',
    );
    const next_date = Date.parse('2013-05-20T00:00:00Z');
    assert.equal(after_midnight.length, later.filter(({ began_at }) => (began_at ?? 0) >= next_date).length);
    assert.ok(after_midnight.length > 0);
  });

  it('has the one size of 1.39 in', () => {
    const drafts = observeReports(
      parseReports(recordedReports('yesterday_hail.snapshot_2013-05-20T1652Z.csv')),
      day,
      provenance,
    );
    assert.equal(drafts.filter(({ size_in }) => size_in === 1.39).length, 1);
  });
});

describe('any rows', () => {
  const field = fc.oneof(
    fc.string(),
    fc.integer({ min: -5000, max: 99_999 }).map(String),
    fc.double().map(String),
  );
  const rows = fc.array(
    fc.record({
      time: field,
      size: field,
      location: field,
      county: field,
      state: field,
      lat: field,
      lon: field,
      comments: field,
    }),
  );

  it('give only records with a possible place, time and size, each under a key of its own', () => {
    fc.assert(
      fc.property(rows, (made_up) => {
        const drafts = observeReports(made_up, day, provenance);
        assert.equal(drafts.length, made_up.length);
        assert.equal(new Set(drafts.map(({ record_key }) => record_key)).size, drafts.length);
        for (const draft of drafts) {
          assert.equal(observationProblem({ ...draft, supersedes: [] }, `SPC_LSR/${draft.record_key}`), null);
          assert.ok(draft.began_at === null || (draft.began_at >= day.from && draft.began_at < day.until));
        }
      }),
    );
  });
});
