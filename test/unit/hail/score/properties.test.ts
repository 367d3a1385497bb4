import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { currentScoreModel } from '../../../../services/hail/methodology/methodology.ts';
import { scoreRoof } from '../../../../services/hail/score/score.ts';
import { tierOf } from '../../../../services/hail/score/tier.ts';
import { anyQuestion, anyRecord, now_ms, probability, record, rounding } from './support.ts';

const day_ms = 86_400_000;

describe('the score', () => {
  it('is a probability and its rounded percents', () => {
    fc.assert(
      fc.property(anyQuestion(), (question) => {
        const score = scoreRoof(currentScoreModel, question);
        assert.ok(score.probability >= 0 && score.probability <= 1);
        assert.equal(score.value, Math.round(100 * score.probability));
        assert.equal(score.tier, tierOf(score.value));
      }),
    );
  });

  it('is 0 and Low without records, and with records that are too far or too small', () => {
    for (const records of [[], [record({ distance_mi: 5.01, size_in: 4 })], [record({ size_in: 0.74 })]]) {
      const score = scoreRoof(currentScoreModel, {
        records,
        roof_type: 'wood_shake',
        roof_age_years: 30,
        now_ms,
      });
      assert.deepEqual([score.probability, score.value, score.tier, score.falls], [0, 0, 'Low', []]);
    }
  });

  it('never falls when a record is added, whatever the record is', () => {
    fc.assert(
      fc.property(anyQuestion(), anyRecord(), (question, more) => {
        const with_more = probability({ ...question, records: [...question.records, more] });
        assert.ok(with_more >= probability(question) - rounding);
      }),
      { numRuns: 1000 },
    );
  });

  it('rises when hail of a day that had none is added within reach', () => {
    fc.assert(
      fc.property(anyQuestion(), (question) => {
        const before = question.records.filter(({ began_ms }) => began_ms < now_ms - 9 * day_ms);
        const asked = { ...question, records: before };
        const more = record({ size_in: 2.5, began_ms: now_ms - 4 * day_ms });
        // A roof that is all but certainly damaged has no room left in floating point.
        if (probability(asked) > 0.999) return;
        assert.ok(probability({ ...asked, records: [...before, more] }) > probability(asked));
      }),
    );
  });

  it('never falls when a record is larger or nearer', () => {
    fc.assert(
      fc.property(
        anyQuestion(),
        anyRecord(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 1, max: 3, noNaN: true }),
        (question, one, closer, larger) => {
          const base = probability({ ...question, records: [...question.records, one] });
          const nearer = { ...one, distance_mi: one.distance_mi * closer };
          const bigger = { ...one, size_in: one.size_in * larger };
          for (const changed of [nearer, bigger]) {
            assert.ok(
              probability({ ...question, records: [...question.records, changed] }) >= base - rounding,
            );
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('never falls when a radar gives a higher severe-hail probability', () => {
    fc.assert(
      fc.property(anyQuestion(), anyRecord(), fc.integer({ min: 0, max: 100 }), (question, one, sevprob) => {
        const lower = { ...one, sevprob: Math.min(sevprob, one.sevprob ?? sevprob) };
        const higher = { ...one, sevprob: Math.max(sevprob, one.sevprob ?? sevprob) };
        const of = (each: typeof one): number =>
          probability({ ...question, records: [...question.records, each] });
        assert.ok(of(higher) >= of(lower) - rounding);
      }),
    );
  });

  it('never falls for an older roof, nor for a longer window', () => {
    fc.assert(
      fc.property(anyQuestion(), fc.integer({ min: 0, max: 30 }), anyRecord(), (question, years, older) => {
        const roof_age_years = question.roof_age_years + years;
        const aged = probability({ ...question, roof_age_years });
        assert.ok(aged >= probability(question) - rounding);
        const longer = [...question.records, { ...older, began_ms: older.began_ms - 10 * 365 * day_ms }];
        assert.ok(probability({ ...question, roof_age_years, records: longer }) >= aged - rounding);
      }),
    );
  });

  it('never rises with a roof that lasts longer', () => {
    // Of these pairs every number of the first is at least as strong.
    const pairs = [
      ['metal_standing_seam', 'metal_corrugated'],
      ['metal_corrugated', 'slate'],
      ['slate', 'tile_clay'],
      ['slate', 'asphalt_shingle'],
      ['tile_concrete', 'asphalt_shingle'],
      ['flat_epdm', 'flat_tpo'],
      ['flat_tpo', 'asphalt_shingle'],
      ['asphalt_shingle', 'wood_shake'],
    ] as const;
    fc.assert(
      fc.property(anyQuestion(), fc.constantFrom(...pairs), (question, [strong, weak]) => {
        assert.ok(
          probability({ ...question, roof_type: strong }) <=
            probability({ ...question, roof_type: weak }) + rounding,
        );
      }),
    );
  });

  it('is the same in any order of records, and when records come twice', () => {
    const shuffled = anyQuestion().chain((question) =>
      fc.tuple(
        fc.constant(question),
        fc.shuffledSubarray([...question.records, ...question.records], {
          minLength: 2 * question.records.length,
        }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([question, records]) => {
        assert.equal(probability({ ...question, records }), probability(question));
      }),
    );
  });

  it('does not change when a second radar sees the same cell, smaller or as large', () => {
    fc.assert(
      fc.property(
        anyQuestion(),
        anyRecord(),
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 240_000 }),
        (question, seen, share, later_ms) => {
          const one = { ...seen, publisher: 'NEXRAD_SWDI' as const, sevprob: null };
          const began_ms = one.began_ms + later_ms;
          if (Math.floor(began_ms / day_ms - 0.5) !== Math.floor(one.began_ms / day_ms - 0.5)) return;
          const second = { ...one, began_ms, size_in: one.size_in * share };
          const records = [...question.records, one];
          assert.equal(
            probability({ ...question, records: [...records, second] }),
            probability({ ...question, records }),
          );
        },
      ),
    );
  });

  it('counts days and not hours: how a day is cut into storms changes nothing', () => {
    const evening = Date.parse('2025-05-09T23:00:00Z');
    const records = [record({ began_ms: evening }), record({ began_ms: evening + 3 * 3_600_000 })];
    const question = { roof_type: 'asphalt_shingle', roof_age_years: 10, now_ms } as const;
    assert.equal(
      probability({ ...question, records }),
      probability({ ...question, records: records.slice(0, 1) }),
    );
    const next_day = [record({ began_ms: evening }), record({ began_ms: evening + day_ms })];
    assert.ok(
      probability({ ...question, records: next_day }) >
        probability({ ...question, records: records.slice(0, 1) }),
    );
  });

  it('does not change by a single point when records from 5 to 25 miles come in', () => {
    fc.assert(
      fc.property(anyQuestion(), (question) => {
        const within = question.records.filter(({ distance_mi }) => distance_mi <= 5);
        assert.equal(probability(question), probability({ ...question, records: within }));
      }),
    );
  });

  it('changes its tier exactly where the contract says', () => {
    assert.deepEqual([0, 25, 26, 50, 51, 75, 76, 100].map(tierOf), [
      'Low',
      'Low',
      'Moderate',
      'Moderate',
      'High',
      'High',
      'Very High',
      'Very High',
    ]);
  });
});
