import { fromLogOdds } from './logit.ts';
import type { ScoreModel } from './model.ts';
import type { ScoreRecord } from './record.ts';

export type RadarRecord = Pick<ScoreRecord, 'publisher' | 'size_in' | 'distance_mi' | 'sevprob'>;

/**
 * What radars say of one convective day at one place, as two maxima: the record that speaks loudest for this place, and the largest size
 * within reach, which says what kind of storm it was. Maxima, because radars see the same cells: a second radar, a second scan or a
 * redelivery of what is known changes nothing, and one more record never weakens the evidence. Both in the logarithm of inches, with what
 * the severe-hail probability adds.
 */
export interface RadarEvidence {
  /** The greatest of ln(size) - (distance / kernel)^2. */
  nearest: number;
  /** ln of the largest size within reach. */
  largest: number;
}

export type RadarKernels = ScoreModel['radar']['kernel_mi'];
export type RadarSeverity = ScoreModel['radar']['severity'];

/** Null where no record is a radar's. Records beyond the model's reach must have been left out before. */
export function radarEvidence(
  records: readonly RadarRecord[],
  kernel_mi: RadarKernels,
  severity: RadarSeverity,
): RadarEvidence | null {
  let nearest = -Infinity;
  let largest = -Infinity;
  for (const { publisher, size_in, distance_mi, sevprob } of records) {
    if (publisher !== 'NEXRAD_SWDI' && publisher !== 'MRMS_MESH') continue;
    const ln_size = Math.log(size_in);
    const strength = ln_size + severityShift(ln_size, sevprob, severity);
    nearest = Math.max(nearest, strength - (distance_mi / kernel_mi[publisher]) ** 2);
    largest = Math.max(largest, strength);
  }
  return largest === -Infinity ? null : { nearest, largest };
}

/** P(hail of at least `class_in` at the roof), by radar alone. */
export function radarChance(evidence: RadarEvidence, class_in: number, radar: ScoreModel['radar']): number {
  const { intercept, nearest, largest, size_class } = radar.coefficients;
  return fromLogOdds(
    intercept +
      nearest * evidence.nearest +
      largest * evidence.largest -
      size_class * Math.log(class_in) +
      Math.log(radar.reports_to_falls * radar.area_to_roof),
  );
}

/**
 * Severe-hail probability and size come from one integral, so at a given freezing level one follows from the other; what the
 * probability says beyond the size is how far hail had to fall through warm air. Only that difference counts, and bounded. Its weight stays
 * below that of the size (`scoreModel` checks it), or a larger stone could lower the evidence.
 */
function severityShift(ln_size: number, sevprob: number | null, severity: RadarSeverity): number {
  if (sevprob === null) return 0;
  const usual = severity.usual_at_one_inch_percent + severity.usual_per_ln_size_percent * ln_size;
  const beyond = Math.max(-severity.bound_percent, Math.min(severity.bound_percent, sevprob - usual));
  return severity.per_percent * beyond;
}
