import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alerts } from '../../../../services/feeds/kinds/alerts.ts';
import type { AlertFact } from '../../../../services/hail/alert.ts';
import { factOf, lifecycle } from '../nws/recordings.ts';

const fact = factOf(lifecycle, undefined, 2);
const hashOf = (of: AlertFact): string => alerts.contentHash(alerts.draft(of));

describe('an alert that is published', () => {
  it('comes back from its draft as it was, also through the index on disk', () => {
    const draft = alerts.draft(fact);
    const staged = JSON.parse(JSON.stringify(draft)) as typeof draft;
    assert.deepEqual(alerts.fact(staged, []), fact);
    assert.equal(alerts.contentHash(staged), alerts.contentHash(draft));
    assert.equal(alerts.said(fact).hash, alerts.contentHash(draft));
    assert.equal(alerts.said(fact).version, '2026-07-09T05:23:00.000Z');
  });

  it('is the same however often and wherever it is read, and another when it says anything else', () => {
    const elsewhere = { ...fact.provenance, document_sha256: '0a'.repeat(32), retrieved_at: 0 };
    assert.equal(hashOf({ ...fact, provenance: elsewhere }), hashOf(fact));
    const [[ring = []] = []] = fact.polygons;
    const changes: Partial<AlertFact>[] = [
      { alert_key: 'KTOP/SV/W/0349/2026' },
      { event: 'Tornado Warning' },
      { state: 'expired' },
      { vtec_action: 'CON' },
      { message_type: 'Update' },
      { message_id: 'urn:oid:2' },
      { sent_at: fact.sent_at + 1 },
      { effective_at: null },
      { onset_at: null },
      { expires_at: null },
      { ends_at: null },
      { max_hail_in: 1 },
      { hail_qualifier: null },
      { hail_tag: '0.75' },
      { hail_threat: 'OBSERVED' },
      { damage_threat: 'CONSIDERABLE' },
      { area_desc: null },
      { replaced_by: null },
      { polygons: [[ring.slice(1)]] },
      { polygons: [[ring], [ring]] },
      { polygons: [[ring, ring]] },
    ];
    const hashes = changes.map((change) => hashOf({ ...fact, ...change }));
    assert.equal(new Set([hashOf(fact), ...hashes]).size, changes.length + 1);
  });
});
