import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fitBaselines } from '../../../scripts/calibrate/baselines.ts';
import { fitHail, kernels_mi, reportChance, rungs_in, severe_in } from '../../../scripts/calibrate/fit.ts';
import { judgedBy, type Forecaster } from '../../../scripts/calibrate/judge.ts';
import { placeDays, type PlaceDay } from '../../../scripts/calibrate/locations.ts';
import { readPairs } from '../../../scripts/calibrate/pairs.ts';
import { seededRandom } from '../../../scripts/calibrate/random.ts';
import { reportOf } from '../../../scripts/calibrate/report.ts';

const folder = join(import.meta.dirname, '../../../scripts/calibrate/data/north-ms');
const { rows, places } = placeDays(readPairs(folder).years, { reach_mi: 5, circle_mi: 2.5 });

/** What the made-up world is made by. More hail is reported in it than in ours, so that few samples suffice. */
const truth = {
  kernel_mi: 3,
  coefficients: { intercept: -4.5, nearest: 0.6, largest: 3.2, size_class: 3 },
} as const;
const names = ['intercept', 'nearest', 'largest', 'size_class'] as const;

/** The real radar cells with reports drawn by known coefficients. NOT REAL. */
function simulated(seed: number): PlaceDay[] {
  const random = seededRandom(seed);
  return rows.map((row) => {
    const draw = random();
    const reached = [severe_in, ...rungs_in].filter((size_in) => draw < reportChance(truth, row, size_in));
    return { ...row, reported_in: reached.at(-1) ?? 0 };
  });
}

function verdict(world: readonly PlaceDay[], forecaster: Forecaster): string[] {
  const target = { class_in: 1, circle_mi: 2.5 };
  return reportOf(judgedBy(world, target, forecaster, fitBaselines(world, 1)), 1)
    .requirements.filter(({ reached }) => !reached)
    .map(({ says }) => says);
}

describe('the rows of the fit', () => {
  it('are those that an independent program counts in the files', () => {
    // Counted apart, in another language and with another formula for distance.
    const reported = (size_in: number): number =>
      rows.filter(({ reported_in }) => reported_in >= size_in).length;
    const blocks = new Set(rows.map(({ block }) => block)).size;
    assert.deepEqual([places, rows.length, reported(1), reported(1.5), blocks], [980, 16_522, 182, 62, 164]);
  });
});

describe('a made-up world with known coefficients', () => {
  it('gives them back within three standard errors where the kernel is known', () => {
    const fit = fitHail(simulated(1), [truth.kernel_mi]);
    assert.ok(fit !== null);
    for (const name of names) {
      const off = Math.abs(fit.coefficients[name] - truth.coefficients[name]) / fit.standard_errors[name];
      assert.ok(off < 3, `${name} is ${off} standard errors off`);
    }
  });

  it('leaves the true kernel among those that the likelihood allows, and gives its forecasts back', () => {
    const world = simulated(1);
    const fit = fitHail(world);
    assert.ok(fit !== null);
    // A narrow kernel with a small coefficient says nearly what a wider one says with a larger, so the kernel alone is not sharp.
    const likelihood = (kernel_mi: number): number =>
      fit.log_likelihoods.find((each) => each.kernel_mi === kernel_mi)?.log_likelihood ?? -Infinity;
    assert.ok(kernels_mi.includes(truth.kernel_mi));
    // Half the 0.999 quantile of chi-squared with one degree of freedom.
    assert.ok(likelihood(fit.kernel_mi) - likelihood(truth.kernel_mi) < 5.4);
    const off = world.map((row) =>
      Math.abs(Math.log(reportChance(fit, row, 1)) - Math.log(reportChance(truth, row, 1))),
    );
    assert.ok(off.reduce((sum, each) => sum + each, 0) / off.length < 0.1);
  });

  it('is covered by intervals of 1.96 standard errors about as often as they say', () => {
    let covered = 0;
    const worlds = 12;
    for (let seed = 100; seed < 100 + worlds; seed += 1) {
      const fit = fitHail(simulated(seed), [truth.kernel_mi]);
      assert.ok(fit !== null);
      covered += names.filter(
        (name) =>
          Math.abs(fit.coefficients[name] - truth.coefficients[name]) < 1.96 * fit.standard_errors[name],
      ).length;
    }
    // 48 intervals that each hold in 95 of 100 cases: fewer than 40 happens once in ten thousand such runs.
    assert.ok(covered >= 40, `${covered} of ${worlds * names.length}`);
  });

  it('passes every requirement with its own coefficients', () => {
    assert.deepEqual(
      verdict(simulated(2), (row) => reportChance(truth, row, 1)),
      [],
    );
  });

  it('catches forecasts that are too sure, too timid, too high, too low, or all the same', () => {
    const world = simulated(2);
    const logit = (chance: number): number => Math.log(chance / (1 - chance));
    const bent = (by: (log_odds: number) => number): string[] =>
      verdict(world, (row) => 1 / (1 + Math.exp(-by(logit(reportChance(truth, row, 1))))));
    assert.match(bent((log_odds) => 1.6 * log_odds + 1.5).join(), /slope/);
    assert.match(bent((log_odds) => 0.6 * log_odds - 1.2).join(), /slope/);
    assert.match(bent((log_odds) => log_odds + 1).join(), /mean forecast/);
    assert.match(bent((log_odds) => log_odds - 1).join(), /mean forecast/);
    const share = world.filter(({ reported_in }) => reported_in >= 1).length / world.length;
    assert.match(verdict(world, () => share).join(), /slope.*one_variable/);
  });
});
