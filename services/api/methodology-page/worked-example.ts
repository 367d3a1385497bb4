import { exampleQuestion } from '../../hail/methodology/example.ts';
import type { ScoredMethodology } from '../../hail/methodology/form.ts';
import { scoreModel } from '../../hail/methodology/score-model.ts';
import { scoreRoof } from '../../hail/score/score.ts';
import { formatDay } from '../../hail/time.ts';
import { html, table, type Markup } from './markup.ts';

/** The example of the methodology file, computed by the code that answers requests. A test computes it another way. */
export function workedExample(methodology: ScoredMethodology): Markup {
  const { example } = methodology;
  const model = scoreModel(methodology);
  const score = scoreRoof(model, exampleQuestion(example));
  const classes = [1, 1.5, 2];
  return html`<h2>A worked example</h2>
    <p>${example.says}</p>
    ${table(
      ['record', 'time', 'size, in', 'distance, mi', 'severe-hail probability'],
      example.records.map(({ publisher, occurred_at, size_in, distance_mi, sevprob }) => [
        publisher,
        occurred_at,
        size_in,
        distance_mi,
        sevprob === null ? 'none' : `${sevprob} %`,
      ]),
    )}
    ${table(
      [
        'day from',
        'age of the roof',
        ...classes.map((size_in) => `hail of ${size_in} in at the roof`),
        'damage',
      ],
      score.falls.map(({ day_began_ms, roof_age_years, hail, damage }) => [
        `${formatDay(day_began_ms)} 12:00 UTC`,
        roof_age_years.toFixed(1),
        ...classes.map((size_in) => exact(hail.find(({ class_in }) => class_in === size_in)?.chance ?? 0)),
        exact(damage),
      ]),
    )}
    <p>
      P = 1 - ${score.falls.map(({ damage }) => `(1 - ${damage.toFixed(4)})`).join(' x ')} =
      ${score.probability.toFixed(4)}, so the score is <strong>${score.value}</strong>, ${score.tier}.
    </p>`;
}

function exact(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
