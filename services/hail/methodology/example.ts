import { isCitingPublisher } from '../publisher.ts';
import { isRoofType } from '../roof/roof-type.ts';
import type { ScoreQuestion } from '../score/score.ts';
import type { Example } from './form.ts';

/** The worked example of a methodology file as a question to the score. */
export function exampleQuestion(example: Example): ScoreQuestion {
  if (!isRoofType(example.roof_type)) throw new Error('the example names a roof type of the contract');
  return {
    roof_type: example.roof_type,
    roof_age_years: example.roof_age,
    now_ms: Date.parse(example.now),
    records: example.records.map(({ publisher, size_in, distance_mi, sevprob, occurred_at }) => {
      if (!isCitingPublisher(publisher)) throw new Error('the example names publishers that are cited');
      return { publisher, size_in, distance_mi, sevprob, began_ms: Date.parse(occurred_at) };
    }),
  };
}
