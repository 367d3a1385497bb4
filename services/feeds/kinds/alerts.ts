import { createHash } from 'node:crypto';
import type { AlertFact } from '../../hail/alert.ts';
import { alertProblem } from '../../hail/validate-alert.ts';
import { topics } from '../../log/topics.ts';
import type { FactKind } from './kind.ts';

/**
 * An alert as it was read. The record is the event; `provenance.publisher_version` is when the message was sent, so that no message is published
 * after a newer one of its event.
 */
export type AlertDraft = AlertFact & { record_key: string; slice: string };

/** Alerts all stand in one slice that is never read completely: they end by their times, so absence withdraws none. */
export const alert_slice = 'active';

/** Alerts: every message has a row of its own that never moves, so there are no standings. */
export const alerts: FactKind<AlertFact, AlertDraft> = {
  topic: topics.alert,
  prefix: () => '',
  said: (fact) => ({
    record_key: fact.alert_key,
    record_id: fact.message_id,
    slice: alert_slice,
    hash: contentHash(fact),
    status: 'final',
    version: fact.provenance.publisher_version,
    own: [],
    named: [],
    valid: alertProblem(fact, fact.alert_key) === null,
  }),
  contentHash,
  standings: () => [],
  weight: () => 0,
  fact: (draft) => {
    // What the index needs beside the fact is no part of it, and the codec refuses fields of no schema.
    const fact: AlertFact & Partial<AlertDraft> = { ...draft };
    delete fact.record_key;
    delete fact.slice;
    return fact;
  },
  withdrawal: () => null,
  draft: (fact) => ({ ...fact, record_key: fact.alert_key, slice: alert_slice }),
  messageKey: ({ alert_key }) => alert_key,
  pack: (texts) => JSON.stringify(texts),
  unpack: (packed) => JSON.parse(packed) as string[],
};

/** What a message says, apart from where and when it was read. */
function contentHash(fact: AlertFact): string {
  const { alert_key, message_id, message_type, event, state, vtec_action, replaced_by } = fact;
  const { sent_at, effective_at, onset_at, expires_at, ends_at } = fact;
  const { max_hail_in, hail_qualifier, hail_tag, hail_threat, damage_threat, area_desc, polygons } = fact;
  const said: unknown[] = [
    ...[alert_key, message_id, message_type, event, state, vtec_action, replaced_by],
    ...[sent_at, effective_at, onset_at, expires_at, ends_at],
    ...[max_hail_in, hail_qualifier, hail_tag, hail_threat, damage_threat, area_desc],
    polygons.map((rings) => rings.map((ring) => ring.map(({ lon, lat }) => [lon, lat]))),
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}
