import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blockInterval, sumsByBlock } from '../../../scripts/calibrate/bootstrap.ts';
import { fitLogistic } from '../../../scripts/calibrate/logistic.ts';
import {
  binned,
  binOf,
  brierScore,
  calibrationError,
  decomposed,
  logScore,
  recalibration,
  type Forecast,
} from '../../../scripts/calibrate/measures.ts';
import { seededRandom } from '../../../scripts/calibrate/random.ts';

/** Ten forecasts whose figures fit on a page: eight of 0.1 with one outcome, two of 0.5 with one. */
const ten: Forecast[] = [
  ...[1, 0, 0, 0, 0, 0, 0, 0].map((outcome, block) => ({ chance: 0.1, outcome: outcome as 0 | 1, block })),
  { chance: 0.5, outcome: 1, block: 8 },
  { chance: 0.5, outcome: 0, block: 9 },
];

function near(actual: number | undefined, expected: number, within = 1e-9): void {
  assert.ok(actual !== undefined && Math.abs(actual - expected) < within, `${actual} is not ${expected}`);
}

describe('measures of forecasts', () => {
  it('are those that a hand computes', () => {
    // (0.9^2 + 7 x 0.1^2 + 2 x 0.5^2) / 10
    near(brierScore(ten), 0.138);
    // -(ln 0.1 + 7 ln 0.9 + 2 ln 0.5) / 10
    near(logScore(ten), (2.302585093 + 7 * 0.105360516 + 2 * 0.693147181) / 10);
    // bins 0.08-0.16 and 0.32-1: (8 x |0.1 - 1/8| + 2 x |0.5 - 1/2|) / 10
    near(calibrationError(binned(ten)), 0.02);
    const parts = decomposed(ten);
    near(parts.reliability, 0.8 * 0.025 ** 2);
    near(parts.resolution, 0.8 * (0.125 - 0.2) ** 2 + 0.2 * (0.5 - 0.2) ** 2);
    near(parts.uncertainty, 0.16);
    near(parts.reliability - parts.resolution + parts.uncertainty + parts.within_bins, 0.138);
  });

  it('put a forecast on an edge into the upper bin, and 1 into the last', () => {
    assert.deepEqual([0, 0.0025, 0.0049, 0.32, 0.999, 1].map(binOf), [0, 1, 1, 8, 8, 8]);
  });

  it('know no recalibration line where forecasts are all alike, or certain', () => {
    assert.equal(recalibration(ten.map((each) => ({ ...each, chance: 0.2 }))), null);
    assert.equal(recalibration(ten.map((each) => ({ ...each, chance: 1 }))), null);
  });
});

describe('logistic regression', () => {
  it('of two groups gives their log-odds', () => {
    // 10 of 40 and 30 of 40: log-odds -ln 3 and ln 3, so the intercept is -1.0986 and the step 2.1972; error of the step 2 sqrt(1/10 + 1/30).
    const outcomes = [...Array<number>(40).fill(0), ...Array<number>(40).fill(1)].map((group, index) =>
      index % 40 < (group === 0 ? 10 : 30) ? 1 : 0,
    );
    const fit = fitLogistic({
      features: Float64Array.from(outcomes.flatMap((_, index) => [1, index < 40 ? 0 : 1])),
      width: 2,
      outcomes: Uint8Array.from(outcomes),
      blocks: Int32Array.from(outcomes, (_, index) => index),
    });
    near(fit?.coefficients[0], -Math.log(3), 1e-8);
    near(fit?.coefficients[1], 2 * Math.log(3), 1e-8);
    near(fit?.standard_errors[1], Math.sqrt(1 / 10 + 1 / 30 + 1 / 30 + 1 / 10), 1e-8);
    near(fit?.log_likelihood, 2 * (10 * Math.log(0.25) + 30 * Math.log(0.75)), 1e-8);
  });

  it('gives nothing where there is no maximum', () => {
    const trials = { width: 1, blocks: Int32Array.from([0, 1]), features: Float64Array.from([1, 1]) };
    assert.equal(fitLogistic({ ...trials, outcomes: Uint8Array.from([0, 0]) }), null);
  });
});

describe('intervals by block', () => {
  it('are the same twice, and hold what they estimate', () => {
    const sums = sumsByBlock(ten, ({ outcome }) => [outcome, 1]);
    const interval = blockInterval(sums);
    assert.deepEqual(interval, blockInterval(sums));
    assert.ok(interval.low <= 0.2 && interval.high >= 0.2 && interval.high < 1);
  });

  it('are wider where rows depend on each other', () => {
    const random = seededRandom(1);
    const rows = Array.from({ length: 400 }, (_, index) => ({ hit: random() < 0.3, index }));
    const alone = rows.map(({ hit, index }) => ({ block: index, hit }));
    const together = rows.map(({ index }) => ({
      block: Math.floor(index / 20),
      hit: rows[index - (index % 20)]?.hit === true,
    }));
    const width = (some: typeof alone): number => {
      const { low, high } = blockInterval(sumsByBlock(some, ({ hit }) => [hit ? 1 : 0, 1]));
      return high - low;
    };
    assert.ok(width(together) > 2 * width(alone));
  });
});
