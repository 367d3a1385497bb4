import fc from 'fast-check';
import { currentScoreModel } from '../../../../services/hail/methodology/methodology.ts';
import { roofTypes } from '../../../../services/hail/roof/roof-type.ts';
import type { ScoreRecord } from '../../../../services/hail/score/record.ts';
import { scoreRoof, type ScoreQuestion } from '../../../../services/hail/score/score.ts';

export const now_ms = Date.parse('2026-11-21T18:00:00Z');
const year_ms = 31_556_952_000;

/** NOT REAL. */
export function record(parts: Partial<ScoreRecord> = {}): ScoreRecord {
  return {
    publisher: 'NEXRAD_SWDI',
    size_in: 1.5,
    distance_mi: 1,
    sevprob: 60,
    began_ms: now_ms - year_ms,
    ...parts,
  };
}

/** Records as feeds make them, some too far or too small to count. NOT REAL. */
export function anyRecord(): fc.Arbitrary<ScoreRecord> {
  return fc.record({
    publisher: fc.constantFrom('NOAA_SED', 'COCORAHS', 'MRMS_MESH', 'NEXRAD_SWDI'),
    size_in: fc.integer({ min: 50, max: 450 }).map((hundredths) => hundredths / 100),
    distance_mi: fc.double({ min: 0, max: 25, noNaN: true }),
    sevprob: fc.option(fc.integer({ min: 0, max: 10 }).map((tens) => tens * 10)),
    began_ms: fc.integer({ min: now_ms - 10 * year_ms, max: now_ms }),
  });
}

export function anyQuestion(): fc.Arbitrary<ScoreQuestion> {
  return fc.record({
    records: fc.array(anyRecord(), { maxLength: 12 }),
    roof_type: fc.constantFrom(...roofTypes),
    roof_age_years: fc.integer({ min: 0, max: 30 }),
    now_ms: fc.constant(now_ms),
  });
}

export function probability(question: ScoreQuestion): number {
  return scoreRoof(currentScoreModel, question).probability;
}

/** Sums of floating-point numbers in another order may differ by this and mean nothing. */
export const rounding = 1e-12;
