import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellText } from '../../../services/hail/geo/geohash.ts';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import { changeOf, observationsProjection } from '../../../services/projector/projections/observations.ts';
import { observationProblem } from '../../../services/hail/validate-observation.ts';
import { createRevisions, keyOf, radarDrafts } from './history.ts';

const place = { topic: 'hail.observation.v1', partition: 3, offset: 41 };
const at_origin = { partition: 3, offset: 41 };

/** The first recorded radar row: KEWX/2026-08-27T... with a place, a time and a size. */
function recorded(): ObservationFact {
  const [draft] = radarDrafts();
  assert.ok(draft);
  return { ...draft, supersedes: [] };
}

describe('a fact of hail.observation.v1', () => {
  it('that is citable becomes its row, and nothing else', () => {
    const fact = recorded();
    const { rows, set_aside } = changeOf({ ...fact, size_in: 0.875 }, at_origin);
    assert.equal(set_aside, null);
    assert.equal(rows.length, 1);
    const [row] = rows;
    assert.ok(row);
    const { cell, document_sha256, ...rest } = row;
    assert.match(cellText(cell), /^9v[0-9a-z]{3}$/);
    assert.equal(document_sha256, fact.provenance.document_sha256);
    assert.deepEqual(rest, {
      occurred_at: fact.began_at,
      publisher: 'NEXRAD_SWDI',
      record_key: fact.record_key,
      lat: Math.round((fact.lat ?? 0) * 1e6),
      lon: Math.round((fact.lon ?? 0) * 1e6),
      ended_at: fact.began_at,
      size_in: 0.88,
      size_tenths_mm: 0,
      record_id: fact.record_id,
      status: 'final',
      sevprob: fact.evidence.sevprob,
      prob: fact.evidence.prob,
      reporter: '',
      state: '',
      county: '',
      county_fips: '',
      document_url: fact.provenance.document_url,
      publisher_version: '',
      retrieved_at: fact.provenance.retrieved_at,
      log_partition: 3,
      revision: 41,
      is_deleted: 0,
    });
  });

  it('that its publisher files under a county has it in its row, and also where it is set aside', () => {
    const filed = { ...recorded(), state: 'TX', county: 'REEVES', county_fips: '48389' };
    const columns = { state: 'TX', county: 'REEVES', county_fips: '48389' };
    assert.partialDeepStrictEqual(changeOf(filed, at_origin).rows[0], columns);
    assert.partialDeepStrictEqual(changeOf({ ...filed, lat: null, lon: null }, at_origin).set_aside, columns);
    const report = observationsProjection(1).project(
      'hail.observation.v1',
      { ...filed, publisher: 'SPC_LSR' },
      `SPC_LSR/${filed.record_key}`,
      place,
    );
    assert.partialDeepStrictEqual(report, { change: { storm_report: { state: 'TX', county: 'REEVES' } } });
  });

  it('that moves is a row at the new place and a deletion at every old one, of one revision', () => {
    const revise = createRevisions();
    const draft = recorded();
    revise(draft);
    revise({ ...draft, lon: -98.5 });
    const moved = revise({ ...draft, lat: 31 });
    const { rows, set_aside } = changeOf(moved, at_origin);
    assert.deepEqual(
      rows.map(({ lat, lon, is_deleted, revision }) => [lat / 1e6, lon / 1e6, is_deleted, revision]).sort(),
      [
        [draft.lat, draft.lon, 1, 41],
        [draft.lat, -98.5, 1, 41],
        [31, draft.lon, 0, 41],
      ].sort(),
    );
    assert.equal(set_aside?.is_deleted, 1);
  });

  it('never deletes at the sort key of its own row, however the place is written', () => {
    const fact = recorded();
    const own = { began_at: fact.began_at, lat: (fact.lat ?? 0) + 1e-8, lon: fact.lon };
    const { rows } = changeOf({ ...fact, supersedes: [own] }, at_origin);
    assert.deepEqual(
      rows.map(({ is_deleted }) => is_deleted),
      [0],
    );
    const at_the_line = { ...fact, lon: -180, supersedes: [{ ...own, lat: fact.lat, lon: 180 }] };
    assert.equal(changeOf(at_the_line, at_origin).rows.length, 1);
  });

  it('that is set aside leaves the table it stood in and enters the other', () => {
    const fact = recorded();
    const standing = { began_at: fact.began_at, lat: fact.lat, lon: fact.lon };
    const { rows, set_aside } = changeOf({ ...fact, size_in: null, supersedes: [standing] }, at_origin);
    assert.deepEqual(
      rows.map(({ is_deleted, size_in }) => [is_deleted, size_in]),
      [[1, 0]],
    );
    assert.deepEqual([set_aside?.reason, set_aside?.is_deleted], ['no_size', 0]);
    const back = changeOf({ ...fact, supersedes: [standing] }, at_origin);
    assert.deepEqual([back.rows.length, back.rows[0]?.is_deleted, back.set_aside?.is_deleted], [1, 0, 1]);
  });

  it('that is withdrawn leaves both tables, and has no row where it never had a place', () => {
    const fact = recorded();
    const supersedes = [
      { began_at: fact.began_at, lat: fact.lat, lon: fact.lon },
      { began_at: null, lat: fact.lat, lon: fact.lon },
      { began_at: fact.began_at, lat: null, lon: null },
    ];
    const { rows, set_aside } = changeOf({ ...fact, status: 'withdrawn', supersedes }, at_origin);
    assert.deepEqual(
      rows.map(({ is_deleted }) => is_deleted),
      [1],
    );
    assert.equal(set_aside?.is_deleted, 1);
    assert.deepEqual(changeOf({ ...fact, status: 'withdrawn' }, at_origin), {
      rows: [],
      set_aside: null,
      storm_report: null,
    });
  });

  it('of a publisher that is never cited is dropped with the reason', () => {
    const fact = { ...recorded(), publisher: 'NWS_ALERT' };
    const outcome = observationsProjection(1).project('hail.observation.v1', fact, keyOf(fact), place);
    assert.deepEqual(outcome, { outcome: 'drop', reason: 'publisher is never cited' });
  });

  it('of the storm reports is a row of their own table alone, and gone once withdrawn', () => {
    const fact = { ...recorded(), publisher: 'SPC_LSR', status: 'preliminary' as const };
    const projection = observationsProjection(1);
    for (const [status, is_deleted] of [
      ['preliminary', 0],
      ['withdrawn', 1],
    ] as const) {
      const outcome = projection.project('hail.observation.v1', { ...fact, status }, keyOf(fact), place);
      assert.ok(outcome.outcome === 'ok');
      const { rows, others, cells } = projection.batch([outcome.change]);
      assert.deepEqual([cells, rows !== null && 'block' in rows ? rows.block.rows : null], [[], 0]);
      const report = others.find(({ table }) => table === 'storm_reports_v1');
      assert.ok(report);
      const column = (name: string): unknown => report.rows[0]?.[report.columns.indexOf(name)];
      assert.deepEqual(
        [column('record_key'), column('size_in'), column('is_deleted'), column('revision')],
        [fact.record_key, 1, is_deleted, 41],
      );
    }
  });

  it('names in its intent every cell it writes to or deletes from, once, ascending', () => {
    const revise = createRevisions();
    const projection = observationsProjection(2);
    const drafts = radarDrafts();
    const facts = [...drafts, ...drafts.map((draft) => ({ ...draft, lat: 40 }))].map(revise);
    const changes = facts.map((fact, offset) => changeOf(fact, { partition: 0, offset }));
    const batch = projection.batch(changes);
    const touched = changes.flatMap(({ rows }) => rows.map(({ cell }) => cell));
    assert.deepEqual(
      batch.cells,
      [...new Set(touched)].sort((a, b) => a - b),
    );
    assert.equal(batch.rows?.table, 'observations_v2');
    assert.deepEqual(
      batch.others.map(({ table }) => table),
      ['set_aside_v2', 'storm_reports_v2'],
    );
    assert.deepEqual(projection.batch([]).cells, []);
  });
});

describe('a fact that is no valid fact', () => {
  const wrong: [string, (fact: ObservationFact) => Partial<ObservationFact>][] = [
    ['an unknown publisher', () => ({ publisher: 'NOAA' })],
    ['no identifier', () => ({ record_id: '' })],
    ['an unknown status', () => ({ status: 'draft' as 'final' })],
    ['no size at all', () => ({ size_in: 0 })],
    ['a size that is no number', () => ({ size_in: NaN })],
    ['a size of no hail', () => ({ size_in: 12.5 })],
    ['a time before any record', () => ({ began_at: Date.parse('1899-12-31T23:59:59Z') })],
    ['a time that no column holds', () => ({ ended_at: 8.64e15 })],
    ['an end before the begin', (fact) => ({ ended_at: (fact.began_at ?? 0) - 1 })],
    ['one coordinate', () => ({ lon: null })],
    ['a place off the globe', () => ({ lat: 90.5 })],
    ['a place that is no number', () => ({ lat: NaN })],
    ['a superseded place off the globe', () => ({ supersedes: [{ began_at: 0, lat: 0, lon: 181 }] })],
    ['a superseded time that no column holds', () => ({ supersedes: [{ began_at: 1e15, lat: 0, lon: 0 }] })],
    ['a probability past 100', (fact) => ({ evidence: { ...fact.evidence, sevprob: 300 } })],
    ['a negative probability', (fact) => ({ evidence: { ...fact.evidence, prob: -1 } })],
    ['a hash that is none', (fact) => ({ provenance: { ...fact.provenance, document_sha256: 'AB' } })],
    ['no time of reading', (fact) => ({ provenance: { ...fact.provenance, retrieved_at: 1e16 } })],
  ];
  it('is told by what is wrong, never by its values', () => {
    const fact = recorded();
    assert.equal(observationProblem(fact, keyOf(fact)), null);
    for (const [what, change] of wrong) {
      const bad = { ...fact, ...change(fact) };
      const problem = observationProblem(bad, keyOf(bad));
      assert.ok(problem, what);
      assert.doesNotMatch(problem, /-98|29\.|KEWX/, what);
    }
    assert.ok(observationProblem(fact, 'NEXRAD_SWDI/other'));
    const outcome = observationsProjection(1).project('hail.observation.v1', fact, 'x', place);
    assert.equal(outcome.outcome === 'dead' && outcome.reason, 'invalid-fact');
  });
});
