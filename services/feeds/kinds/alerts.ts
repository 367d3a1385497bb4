import { createHash } from 'node:crypto';
import type { AlertFact } from '../../hail/alert.ts';
import { alertProblem } from '../../hail/validate-alert.ts';
import { topics } from '../../log/topics.ts';
import type { FactKind } from './kind.ts';

/** The one slice of alerts. No reading of it is the whole truth: an alert that is missing has ended by its own times. */
export const alerts_slice = 'active';

export type AlertDraft = AlertFact & { record_key: string; slice: string };

/** Alerts: a row is known by the event alone and never moves, so there are no places. */
export const alerts: FactKind<AlertFact, AlertDraft> = {
  topic: topics.alert,
  prefix: () => '',
  said: (fact) => ({
    record_key: fact.alert_key,
    record_id: fact.message_id,
    slice: alerts_slice,
    hash: contentHash(fact),
    status: fact.state,
    version: fact.provenance.publisher_version,
    own: [],
    named: [],
    valid: alertProblem(fact, fact.alert_key) === null,
  }),
  contentHash,
  standings: () => [],
  weight: ({ sent_at }) => sent_at,
  fact: (draft) => bare(draft),
  withdrawal: () => null,
  draft: (fact) => ({ ...fact, record_key: fact.alert_key, slice: alerts_slice }),
  messageKey: ({ alert_key }) => alert_key,
  pack: (texts) => JSON.stringify(texts),
  unpack: (packed) => JSON.parse(packed) as string[],
};

function bare(draft: AlertDraft): AlertFact {
  const fact: AlertFact & Partial<Pick<AlertDraft, 'record_key' | 'slice'>> = { ...draft };
  delete fact.record_key;
  delete fact.slice;
  return fact;
}

/** What the message says, apart from where and when it was read. */
function contentHash(fact: AlertFact): string {
  const { alert_key, message_id, sent_at, state, message_type, replaced_by } = fact;
  const times = [fact.effective_at, fact.onset_at, fact.expires_at, fact.ends_at];
  const tags = [fact.max_hail_in, fact.hail_tag, fact.hail_threat, fact.damage_threat];
  const said: unknown[] = [
    ...[alert_key, message_id, sent_at, state, message_type, replaced_by, times, tags],
    ...[fact.event, fact.vtec_action, fact.area_desc, fact.polygons],
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}
