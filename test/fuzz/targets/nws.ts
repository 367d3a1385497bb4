import { parseAlerts } from '../../../services/feeds/nws/answer.ts';
import { storyOf } from '../../../services/feeds/nws/story.ts';
import type { AlertFact } from '../../../services/hail/alert.ts';
import { alertProblem } from '../../../services/hail/validate-alert.ts';
import {
  answerOf,
  empty,
  lifecycle,
  national,
  provenance,
  recordedAlerts,
  recordedFeatures,
  thunderstorm,
  tornado,
} from '../../unit/feeds/nws/recordings.ts';
import type { FuzzTarget } from '../target.ts';

/** Answers of the alerts' service: warnings, a cancellation, statements with a hail tag and without. */
export const weatherAlerts: FuzzTarget = {
  name: 'nws',
  seeds: () => {
    const statements = recordedFeatures(national).filter(
      ({ properties }) => properties['event'] === 'Special Weather Statement',
    );
    return [
      recordedAlerts(lifecycle),
      recordedAlerts(empty),
      answerOf(recordedFeatures(thunderstorm)),
      answerOf(recordedFeatures(tornado)),
      answerOf(statements.slice(0, 3), { pagination: { next: 'https://api.weather.gov/alerts?cursor=two' } }),
      answerOf(statements.slice(-2)),
    ];
  },
  run: (bytes) => {
    const { told, silent } = parseAlerts(bytes, provenance);
    const facts = [...told, ...silent];
    const problems = facts.flatMap(
      (fact) => alertProblem(fact, fact.alert_key) ?? independentProblem(fact) ?? [],
    );
    const { chapters, twins } = storyOf(facts);
    if (chapters.flat().length + twins !== facts.length)
      problems.push('a message is lost between two others');
    return { records: facts.length, problems };
  },
};

/** What no alert can say, by a reading that shares nothing with the parser's own check. */
function independentProblem(fact: AlertFact): string | null {
  const texts = Object.values(fact).filter((value) => typeof value === 'string');
  if (!texts.every((text) => text.isWellFormed())) return 'a text that is no text';
  if (/\s/.test(fact.alert_key + fact.message_id)) return 'a blank in a key';
  const { max_hail_in, polygons, state, sent_at } = fact;
  if (max_hail_in !== null && !(max_hail_in >= 0.001 && max_hail_in <= 12)) return 'no size of hail';
  if (max_hail_in !== null && state !== 'active' && fact.hail_tag === null) return 'a size out of nowhere';
  if (!(sent_at > Date.UTC(1900, 0) && sent_at < Date.UTC(2300, 0))) return 'no time of any message';
  const years = [new Date(sent_at).getUTCFullYear(), fact.year];
  if ((years[1] ?? 0) > (years[0] ?? 0)) return 'an event that begins in a later year than its message';
  const corners = polygons.flat(2);
  return corners.every(({ lat, lon }) => Math.abs(lat) <= 90 && Math.abs(lon) <= 180)
    ? null
    : 'a place off the globe';
}
