import type { ScoreModel } from '../score/model.ts';
import type { ScoredMethodology } from './form.ts';

/**
 * The numbers of a methodology file in the shape that the score reads. Throws where a file breaks what the score promises, so that no
 * process starts with a methodology under which a larger stone, a nearer one or an older roof could lower a score.
 */
export function scoreModel({ score }: Pick<ScoredMethodology, 'score'>): ScoreModel {
  const { fitted, priors, roofs, size_classes_in } = score;
  const model: ScoreModel = {
    reach_mi: priors.reach_mi.value,
    min_size_in: priors.min_size_in.value,
    size_classes_in,
    radar: {
      coefficients: fitted.coefficients,
      kernel_mi: { NEXRAD_SWDI: fitted.kernel_mi, MRMS_MESH: priors.mrms_kernel_mi.value },
      severity: {
        per_percent: priors.severity_per_percent.value,
        usual_at_one_inch_percent: priors.severity_usual_at_one_inch_percent.value,
        usual_per_ln_size_percent: priors.severity_usual_per_ln_size_percent.value,
        bound_percent: priors.severity_bound_percent.value,
      },
      reports_to_falls: priors.reports_to_falls.value,
      area_to_roof: priors.area_to_roof.value,
    },
    ground: {
      chance_at_place: {
        NOAA_SED: priors.storm_events_at_place.value,
        COCORAHS: priors.cocorahs_at_place.value,
      },
      kernel_mi: priors.ground_kernel_mi.value,
      size_power: priors.ground_size_power.value,
    },
    roof: {
      onset_deviate: priors.onset_deviate.value,
      capacity_spread: priors.capacity_spread.value,
      types: roofs,
    },
  };
  checkModel(model);
  return model;
}

function checkModel({ radar, ground, roof, size_classes_in }: ScoreModel): void {
  const { nearest, largest, size_class } = radar.coefficients;
  const { per_percent, usual_per_ln_size_percent } = radar.severity;
  const promises: [boolean, string][] = [
    [
      nearest > 0 && largest > 0 && size_class > 0,
      'radar evidence must rise with size and fall with the class',
    ],
    [
      per_percent >= 0 && per_percent * usual_per_ln_size_percent <= 1,
      'a larger stone must not lower the evidence',
    ],
    [ground.size_power > 0, 'a report of a larger stone must not lower the evidence'],
    [
      size_classes_in.every((size, index) => index === 0 || size > (size_classes_in[index - 1] ?? 0)),
      'classes ascend',
    ],
    [
      Object.values(roof.types).every(
        ({ aged_share, ages_from_years, ages_until_years }) =>
          aged_share > 0 && aged_share <= 1 && ages_from_years < ages_until_years,
      ),
      'a roof must not grow stronger with age',
    ],
  ];
  const broken = promises.filter(([holds]) => !holds).map(([, says]) => says);
  if (broken.length > 0) throw new Error(`The methodology cannot be used: ${broken.join('; ')}.`);
}
