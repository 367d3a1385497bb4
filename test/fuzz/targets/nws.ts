import type { AlertFact } from '../../../services/hail/alert.ts';
import { alertProblem } from '../../../services/hail/validate-alert.ts';
import { parseAlerts } from '../../../services/feeds/nws/answer.ts';
import { recording } from '../../support/recorded.ts';
import { provenance } from '../judge.ts';
import type { FuzzTarget } from '../target.ts';

const files = [
  'nws_alert_feature_SVR_KEAX_2026-06-10_1.75in.json',
  'nws_alert_feature_TOR_KEAX_2026-06-10_1.50in.json',
];

/** Answers about alerts: two warnings as a collection, and the recorded life of another. */
export const alerts: FuzzTarget = {
  name: 'nws',
  seeds: () => {
    const features = files.map((file) => recording('nws_alert', file).toString('utf8'));
    const indented = `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`;
    return [Buffer.from(indented), recording('nws_alert', 'nws_alerts_SVR_lifecycle_KTOP_2026-07-09.json')];
  },
  run: (bytes) => {
    const { told, silent } = parseAlerts(bytes, provenance);
    const facts = [...told, ...silent];
    return { records: facts.length, problems: facts.flatMap((fact) => problemOf(fact) ?? []) };
  },
};

function problemOf(fact: AlertFact): string | null {
  const known = alertProblem(fact, fact.alert_key);
  if (known !== null) return known;
  const corners = fact.polygons.flat(2);
  if (corners.some(({ lat, lon }) => !(Math.abs(lat) <= 90) || !(Math.abs(lon) <= 180)))
    return 'a corner off the globe';
  const { max_hail_in } = fact;
  if (max_hail_in !== null && !(max_hail_in > 0 && max_hail_in <= 12))
    return `no size of hail: ${max_hail_in}`;
  const times = [fact.sent_at, fact.effective_at, fact.onset_at, fact.expires_at, fact.ends_at];
  if (times.some((at) => at !== null && !Number.isSafeInteger(at))) return 'a time that is none';
  return fact.alert_key.length > 0 && fact.alert_key.length < 300 ? null : 'a key that is none';
}
