import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAlerts, type AlertsAnswer } from '../../../../services/feeds/nws/answer.ts';
import type { AlertFact } from '../../../../services/hail/alert.ts';
import type { Provenance } from '../../../../services/hail/observation.ts';

const folder = join(import.meta.dirname, '../../../../infra/sandbox/recordings/nws_alert');

export const provenance: Provenance = {
  document_url: 'https://api.weather.gov/alerts/active?status=actual',
  retrieved_at: Date.parse('2026-07-15T20:01:00Z'),
  document_sha256: '7e'.repeat(32),
  publisher_version: null,
};

export function recordedAlerts(file: string): Buffer {
  return readFileSync(join(folder, file));
}

/** `/alerts/active?status=actual` of the country, 15 July 2026, 20:00Z. */
export const national = 'nws_alerts_active_2026-07-15T2000Z.dates-restored.json';
/** One warning of Topeka with its cancellation, and another one. */
export const lifecycle = 'nws_alerts_SVR_lifecycle_KTOP_2026-07-09.json';
export const thunderstorm = 'nws_alert_feature_SVR_KEAX_2026-06-10_1.75in.json';
export const tornado = 'nws_alert_feature_TOR_KEAX_2026-06-10_1.50in.json';
export const empty = 'nws_alerts_active_point_empty_2026-06-10.json';

export interface FeatureJson {
  id: string;
  type: string;
  geometry: { type: string; coordinates: unknown } | null;
  properties: Record<string, unknown> & { parameters: Record<string, unknown> };
}

/** The features of a recording as its JSON has them, to be bent by a test. */
export function recordedFeatures(file: string): FeatureJson[] {
  const document = JSON.parse(recordedAlerts(file).toString('utf8')) as FeatureJson & {
    features?: FeatureJson[];
  };
  return document.features ?? [document];
}

/** An answer of the given features, as the publisher frames them. */
export function answerOf(features: readonly unknown[], more: Record<string, unknown> = {}): Buffer {
  return Buffer.from(JSON.stringify({ type: 'FeatureCollection', features, ...more }));
}

export function read(bytes: Buffer): AlertsAnswer {
  return parseAlerts(bytes, provenance);
}

/** The one fact of a recorded feature, bent by `change`. */
export function factOf(
  file: string,
  change: (feature: FeatureJson) => void = () => undefined,
  number = 0,
): AlertFact {
  const feature = recordedFeatures(file)[number];
  if (feature === undefined) throw new Error(`the recording has no feature ${number}`);
  change(feature);
  const { told, silent, unreadable } = read(answerOf([feature]));
  const [fact, ...others] = [...told, ...silent];
  if (fact === undefined || others.length > 0) throw new Error(`not one fact: ${unreadable.join()}`);
  return fact;
}
