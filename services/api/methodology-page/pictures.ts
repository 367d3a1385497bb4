import type { ScoredMethodology } from '../../hail/methodology/form.ts';
import { scoreModel } from '../../hail/methodology/score-model.ts';
import { damageChance } from '../../hail/roof/capacity.ts';
import { roofTypes, type RoofType } from '../../hail/roof/roof-type.ts';
import { hailAtRoof } from '../../hail/score/fall.ts';
import { chart, type Axis, type Line } from './chart.ts';
import { percent, type Markup } from './markup.ts';

/** The reliability diagram: forecast against what happened, for years that the fit had not seen. */
export function reliabilityDiagram(methodology: ScoredMethodology): Markup {
  const [severe] = methodology.fit.reliability;
  if (severe === undefined) throw new Error('a methodology judges reports of an inch');
  const axis = (label: string): Axis => ({
    label,
    from: 0.0005,
    to: 0.6,
    scale: 'log',
    marks: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3].map((at) => ({ at, text: percent(at) })),
  });
  return chart({
    says: 'Reliability: what was forecast for reports of severe hail within 2.5 miles, and how often they came. Both scales are logarithmic; bars are 95 percent intervals, numbers are place-days. On the line a forecast is right. A group in which nothing happened stands at the lower edge.',
    x: axis('forecast'),
    y: axis('observed'),
    lines: [
      {
        name: 'a perfect forecast',
        stroke: 0,
        points: [
          [0.0005, 0.0005],
          [0.6, 0.6],
        ],
      },
    ],
    dots: severe.curve.map(({ mean_forecast, observed, low, high, count }) => ({
      x: mean_forecast,
      y: observed,
      low,
      high,
      text: String(count),
    })),
  });
}

/** Radar size against the chance of hail of an inch at the roof, for some distances. */
export function sizeCurves(methodology: ScoredMethodology): Markup {
  const model = scoreModel(methodology);
  const chance = (size_in: number, distance_mi: number): number =>
    hailAtRoof([{ publisher: 'NEXRAD_SWDI', size_in, distance_mi, sevprob: null, began_ms: 0 }], model).find(
      ({ class_in }) => class_in === 1,
    )?.chance ?? 0;
  const sizes = steps(0.75, 4, 0.05);
  return chart({
    says: 'Chance of hail of an inch or more at the roof by the largest radar size of a day, where nobody reported any and the cell is this far away.',
    x: inches('radar size of one cell'),
    y: shares('hail of an inch at the roof', 0.6, 0.1),
    lines: [0, 2.5, 5].map((distance_mi, stroke) => ({
      name: `${distance_mi} miles away`,
      stroke,
      points: sizes.map((size_in) => [size_in, chance(size_in, distance_mi)] as const),
    })),
  });
}

/** Size at the roof against the chance of functional damage, one line for each roof that differs. */
export function roofCurves(methodology: ScoredMethodology): Markup {
  const { roof } = scoreModel(methodology);
  const sizes = steps(0.75, 4, 0.05);
  const alike = Map.groupBy(roofTypes, (type) =>
    sizes.map((size_in) => damageChance(roof, type, 10, size_in)).join(),
  );
  return chart({
    says: 'Chance of functional damage by the size of the largest stones at the roof, for roofs of ten years. Priors, not calibrated on claims.',
    x: inches('largest stones at the roof'),
    y: shares('functional damage', 1, 0.2),
    lines: [...alike.values()].map((types, stroke): Line => ({
      name: types.map(roofName).join(', '),
      stroke,
      points: sizes.map((size_in) => [size_in, damageChance(roof, types[0] ?? 'slate', 10, size_in)]),
    })),
  });
}

export function roofName(type: RoofType): string {
  return type.replaceAll('_', ' ');
}

function inches(label: string): Axis {
  const marks = [1, 1.5, 2, 2.5, 3, 3.5, 4].map((at) => ({ at, text: `${at} in` }));
  return { label, from: 0.75, to: 4, scale: 'linear', marks };
}

function shares(label: string, to: number, step: number): Axis {
  return {
    label,
    from: 0,
    to,
    scale: 'linear',
    marks: steps(0, to, step).map((at) => ({ at, text: percent(at) })),
  };
}

function steps(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step);
}
