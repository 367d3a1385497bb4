import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface AlertProperties {
  id: string;
  sent: string;
  expires: string;
  ends: string | null;
  replacedAt?: string;
  status: string;
  messageType: string;
  event: string;
  severity: string;
  certainty: string;
  urgency: string;
}

export interface AlertFeature {
  id: string;
  properties: AlertProperties;
}

interface Collection {
  '@context': unknown;
  features: AlertFeature[];
}

export interface RecordedAlert {
  feature: AlertFeature;
  sent_ms: number;
  /** The end of its life: the end of its event, else of its message, and not after the message that replaced it. */
  over_ms: number;
}

export interface RecordedAlerts {
  context: unknown;
  /** The nation's collection byte for byte, and its alerts. */
  national: { bytes: Buffer; alerts: ReadonlySet<AlertFeature> };
  /** Every recorded feature in the order of its answer; the nation's collection holds three of them twice, and so does this. */
  alerts: readonly RecordedAlert[];
}

/** Reads every recorded answer: collections, and single features. */
export function readRecordedAlerts(folder: string): RecordedAlerts {
  const alerts: RecordedAlert[] = [];
  let national: { bytes: Buffer; collection: Collection } | undefined;
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const bytes = readFileSync(join(folder, file));
    const document = JSON.parse(bytes.toString('utf8')) as Collection | AlertFeature;
    const features = 'features' in document ? document.features : [document];
    alerts.push(...features.map(recordedAlert));
    if (file.startsWith('nws_alerts_active_2026-07-15') && 'features' in document) {
      national = { bytes, collection: document };
    }
  }
  if (national === undefined) throw new RangeError('the recorded collection of the nation is missing');
  return {
    context: national.collection['@context'],
    national: { bytes: national.bytes, alerts: new Set(national.collection.features) },
    alerts,
  };
}

function recordedAlert(feature: AlertFeature): RecordedAlert {
  const { sent, ends, expires, replacedAt } = feature.properties;
  const end_ms = Date.parse(ends ?? expires);
  const replaced_ms = replacedAt === undefined ? Infinity : Date.parse(replacedAt);
  return { feature, sent_ms: Date.parse(sent), over_ms: Math.min(end_ms, replaced_ms) };
}
