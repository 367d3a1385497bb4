import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isForeign, observeReport } from '../../../../services/feeds/cocorahs/observe.ts';
import { parseExport, type HailRow } from '../../../../services/feeds/cocorahs/parse.ts';
import type { Draft } from '../../../../services/feeds/kinds/points.ts';
import { PollFailed } from '../../../../services/feeds/poll-failure.ts';
import { observationProblem } from '../../../../services/hail/validate-observation.ts';
import { recordedExport } from '../../../support/recorded-reports.ts';

const provenance = {
  document_url: 'http://publisher/export',
  retrieved_at: Date.parse('2026-06-10T00:00:00Z'),
  document_sha256: '0'.repeat(64),
  publisher_version: null,
};
const at = (text: string): number => Date.parse(text);
const rows = parseExport(recordedExport());
const [longmont, black_forest] = rows;
assert.ok(longmont !== undefined && black_forest !== undefined);
const observe = (change: Partial<HailRow>, state = 'CO'): Draft =>
  observeReport({ ...longmont, ...change }, state, () => 'slice', provenance);
/** A station near the line that divides Texas. NOT REAL. */
const near_the_line = { station_number: 'TX-CU-1', latitude: '31.04', longitude: '-104.83' };

describe('a recorded report', () => {
  it('is an instant at its station, cited by the observer’s own date', () => {
    const draft = observe({});
    assert.deepEqual(
      [draft.record_key, draft.record_id, draft.status],
      ['CO-BO-435/2026-06-01/13:00', 'CO-BO-435/2026-06-01', 'final'],
    );
    // Colorado is six hours behind UTC in June: 13:00 is 19:00Z.
    assert.deepEqual([draft.began_at, draft.ended_at], [at('2026-06-01T19:00Z'), at('2026-06-01T19:00Z')]);
    assert.deepEqual([draft.lat, draft.lon, draft.size_in], [40.1404, -105.149, 0.75]);
    assert.equal(draft.provenance.publisher_version, '2026-06-02T13:54:00Z');
    assert.equal(draft.evidence.time_zone, 'America/Denver');
  });

  it('in the evening lies on the next day UTC, and keeps its date', () => {
    const draft = observe({ observation_time: '09:30 PM' });
    assert.equal(draft.began_at, at('2026-06-02T03:30Z'));
    assert.equal(draft.record_id, 'CO-BO-435/2026-06-01');
    assert.equal(
      observeReport(black_forest, 'CO', () => 'slice', provenance).began_at,
      at('2026-06-01T23:00Z'),
    );
  });
});

describe('the size of a report', () => {
  it('is LargestSize alone', () => {
    for (const [largest_size, size_in] of [
      ['0.250', 0.25],
      ['1.000', 1],
      ['', null],
      ['0', null],
      ['0.000', null],
      ['pea', null],
      ['13', null],
    ] as const) {
      assert.equal(observe({ largest_size }).size_in, size_in, largest_size);
    }
  });
});

describe('the time of a report', () => {
  it('is not known without a time of a 12-hour clock, and the row keeps its key', () => {
    for (const observation_time of ['', '13:00', 'noon']) {
      const draft = observe({ observation_time });
      assert.deepEqual([draft.began_at, draft.ended_at], [null, null]);
      assert.equal(draft.record_key, `CO-BO-435/2026-06-01/${observation_time}`);
    }
  });

  it('follows the zone of the state, also where the row was changed an hour after its entry', () => {
    const changed = { entry_date_time: '2026-06-01 02:00 PM', date_time_stamp: '2026-06-01 09:00 PM' };
    assert.equal(observe(changed).began_at, at('2026-06-01T19:00Z'));
    assert.equal(observe({ entry_date_time: '', date_time_stamp: '' }).began_at, at('2026-06-01T19:00Z'));
  });

  it('follows the clock of its own date, when the entry was made after clocks were set', () => {
    const draft = observe({
      observation_date: '2026-03-07',
      entry_date_time: '2026-03-08 09:00 AM',
      date_time_stamp: '2026-03-08 03:00 PM',
    });
    assert.equal(draft.began_at, at('2026-03-07T20:00Z'));
  });

  it('near the line between two zones is what entry and stamp tell', () => {
    const central = { entry_date_time: '2026-06-01 02:00 PM', date_time_stamp: '2026-06-01 07:00 PM' };
    const mountain = { entry_date_time: '2026-06-01 02:00 PM', date_time_stamp: '2026-06-01 08:01 PM' };
    assert.equal(observe({ ...near_the_line, ...central }, 'TX').began_at, at('2026-06-01T18:00Z'));
    assert.equal(observe({ ...near_the_line, ...mountain }, 'TX').began_at, at('2026-06-01T19:00Z'));
  });

  it('near the line is not known once the row was changed, and both labels are kept', () => {
    const changed = { entry_date_time: '2026-06-01 02:00 PM', date_time_stamp: '2026-06-03 03:21 PM' };
    const draft = observe({ ...near_the_line, ...changed }, 'TX');
    assert.equal(draft.began_at, null);
    assert.equal(draft.evidence.time_zone, 'America/Chicago|America/Denver');
    assert.equal(draft.size_in, 0.75);
  });

  it('near a line that winter does not know is known all the same', () => {
    const draft = observe(
      {
        station_number: 'AZ-AP-1',
        latitude: '35.68',
        longitude: '-109.05',
        observation_date: '2026-01-15',
        entry_date_time: '',
        date_time_stamp: '',
      },
      'AZ',
    );
    assert.equal(draft.began_at, at('2026-01-15T20:00Z'));
  });

  it('is not after its entry, nor still to come', () => {
    const slip = { observation_time: '11:00 PM', entry_date_time: '2026-06-01 02:00 PM' };
    assert.equal(observe(slip).began_at, null);
    // Rounded to the hour it may lie a little after.
    assert.ok(observe({ observation_time: '02:30 PM', entry_date_time: '2026-06-01 02:00 PM' }).began_at);
    assert.equal(observe({ observation_date: '2026-06-12', entry_date_time: '' }).began_at, null);
  });
});

describe('the place of a report', () => {
  it('is the station’s, or unknown', () => {
    for (const change of [
      { latitude: '' },
      { latitude: '0', longitude: '0' },
      { latitude: '95' },
      { longitude: '105.149' },
    ]) {
      const { lat, lon } = observe(change);
      assert.deepEqual([lat, lon], [null, null]);
    }
  });

  it('and size are not read from a row that a comma in the name has shifted', () => {
    const line = recordedExport().toString('utf8').split('\n')[1] ?? '';
    const header = recordedExport().toString('utf8').split('\n')[0] ?? '';
    // NOT REAL: a name with a comma.
    const [row] = parseExport(Buffer.from(`${header}\n${line.replace('Longmont', 'Longmont, old town')}\n`));
    assert.ok(row);
    const draft = observeReport(row, 'CO', () => 'slice', provenance);
    assert.deepEqual([draft.lat, draft.lon, draft.size_in], [null, null, null]);
    assert.equal(draft.record_key, 'CO-BO-435/2026-06-01/13:00');
  });

  it('tells a row of another state, unless the station has the letters of the state', () => {
    assert.equal(isForeign(longmont, 'CO'), false);
    assert.equal(isForeign(longmont, 'KS'), true);
    assert.equal(isForeign({ ...longmont, station_number: 'KS-XX-1' }, 'KS'), false);
    // Not every station number begins with its state.
    assert.equal(isForeign({ ...longmont, station_number: 'BOULDER7' }, 'CO'), false);
  });
});

describe('a row without station or date', () => {
  it('is no row of an export', () => {
    for (const change of [
      { station_number: '' },
      { observation_date: '' },
      { observation_date: '2026-02-30' },
      { station_number: 'C'.repeat(41) },
      { observation_time: '1'.repeat(41) },
    ]) {
      assert.throws(
        () => observe(change),
        (error) => error instanceof PollFailed && error.reason === 'not-the-format',
      );
    }
  });
});

describe('any rows', () => {
  const field = fc.oneof(
    fc.string(),
    fc.integer({ min: -500, max: 500 }).map(String),
    fc.double().map(String),
    fc.constantFrom('2026-06-01', '01:00 PM', '0001-01-01', '9999-12-31', '2026-06-01 01:00 PM', '12:00 AM'),
  );
  const any_row = fc.record({
    observation_date: fc.oneof(
      field,
      fc.constantFrom('2026-06-01', '2026-03-08', '0001-01-01', '9999-12-31'),
    ),
    observation_time: fc.oneof(field, fc.constantFrom('01:00 PM', '02:30 AM')),
    entry_date_time: field,
    station_number: field,
    latitude: field,
    longitude: field,
    largest_size: field,
    date_time_stamp: field,
  });

  it('give only records with a possible place, time and size, or are refused', () => {
    fc.assert(
      fc.property(any_row, fc.constantFrom('CO', 'TX', 'AK', 'AZ'), (row, state) => {
        let draft: Draft;
        try {
          draft = observeReport(row, state, () => 'slice', provenance);
        } catch (error) {
          assert.ok(error instanceof PollFailed);
          return;
        }
        assert.equal(observationProblem({ ...draft, supersedes: [] }, `COCORAHS/${draft.record_key}`), null);
        assert.ok((draft.began_at ?? 0) <= provenance.retrieved_at + 3_600_000);
      }),
      { numRuns: 1_000 },
    );
  });
});
