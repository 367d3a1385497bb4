import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { AlertFact } from '../../../services/hail/alert.ts';
import { alertsProjection } from '../../../services/projector/projections/alerts.ts';
import { alertColumns, alertSortKey, type AlertRow } from '../../../services/store/alerts/row.ts';
import { factOf, lifecycle, read, recordedAlerts } from '../feeds/nws/recordings.ts';

const projection = alertsProjection(1);
const warning = factOf(lifecycle, undefined, 2);

function rowAt(fact: AlertFact, offset: number): AlertRow {
  const place = { topic: 'hail.alert.v1', partition: 0, offset };
  const outcome = projection.project('hail.alert.v1', fact, fact.alert_key, place);
  assert.ok(outcome.outcome === 'ok', JSON.stringify(outcome));
  return outcome.change;
}

describe('a fact of hail.alert.v1', () => {
  it('becomes its row, with nulls as empty texts and the area as the engine draws it', () => {
    const batch = projection.batch([rowAt(warning, 41)]);
    assert.deepEqual([batch.cells, batch.others, batch.rows?.table], [null, [], 'alerts_v1']);
    assert.deepEqual(batch.rows?.columns, alertColumns);
    const row = Object.fromEntries(alertColumns.map((name, at) => [name, batch.rows?.rows[0]?.[at]]));
    assert.deepEqual(
      { ...row, document_url: '', document_sha256: '' },
      {
        alert_key: 'KTOP/SV/W/0347/2026',
        // 00:23 at -05:00.
        sent_at: '2026-07-09 05:23:00.000',
        message_id: 'urn:oid:2.49.0.1.840.0.6c938c471eac7e2d3eaf9cc2e3ee81f6c5aa4555.001.1',
        office: 'KTOP',
        phenomenon: 'SV',
        significance: 'W',
        etn: 347,
        year: 2026,
        event: 'Severe Thunderstorm Warning',
        state: 'active',
        vtec_action: 'NEW',
        message_type: 'Alert',
        effective_at: '2026-07-09 05:23:00.000',
        onset_at: '2026-07-09 05:23:00.000',
        expires_at: '2026-07-09 06:00:00.000',
        ends_at: '2026-07-09 06:00:00.000',
        max_hail_in: 0.75,
        hail_qualifier: 'up to',
        hail_tag: 'Up to .75',
        hail_threat: 'RADAR INDICATED',
        damage_threat: '',
        area_desc: 'Marshall, KS; Washington, KS',
        polygons: [
          [
            [
              [-96.95, 39.69],
              [-96.96, 39.94],
              [-96.48, 39.94],
              [-96.47, 39.68],
              [-96.95, 39.69],
            ],
          ],
        ],
        replaced_by: 'urn:oid:2.49.0.1.840.0.9b6820218384d3c3628f7058478eed8373d5c626.001.1',
        document_url: '',
        document_sha256: '',
        retrieved_at: '2026-07-15 20:01:00.000',
        log_partition: 0,
        revision: 41,
      },
    );
  });

  it('that is no valid fact is dead', () => {
    const place = { topic: 'hail.alert.v1', partition: 0, offset: 1 };
    const outcome = projection.project('hail.alert.v1', warning, 'KTOP/SV/W/0001/2026', place);
    assert.equal(outcome.outcome === 'dead' && outcome.reason, 'invalid-fact');
  });
});

interface StoredAlert {
  fact: AlertFact;
  offset: number;
}

/** ReplacingMergeTree(revision) read with FINAL, after deliveries that begin at or before the position and are cut anywhere. */
function project(
  messages: readonly StoredAlert[],
  deliveries: readonly { back: number; take: number }[],
): string[] {
  const table = new Map<string, AlertRow>();
  let position = 0;
  const deliver = (from: number, until: number, is_whole: boolean): void => {
    for (const { fact, offset } of messages.slice(from, until)) {
      const row = rowAt(fact, offset);
      const before = table.get(alertSortKey(row));
      if (before === undefined || row.revision >= before.revision) table.set(alertSortKey(row), row);
    }
    if (is_whole) position = Math.max(position, until);
  };
  for (const { back, take } of deliveries) {
    const from = Math.max(0, position - back);
    deliver(from, Math.min(messages.length, from + 1 + take), take % 2 === 0);
  }
  deliver(position, messages.length, true);
  return [...table.values()].map((row) => textOf(row, row.revision)).sort();
}

/** What the table must show: of every message the newest fact. */
function fold(messages: readonly StoredAlert[]): string[] {
  const newest: Record<string, StoredAlert> = {};
  for (const stored of messages)
    newest[`${stored.fact.alert_key} ${stored.fact.sent_at} ${stored.fact.message_id}`] = stored;
  return Object.values(newest)
    .map(({ fact, offset }) =>
      textOf({ ...fact, hail_tag: fact.hail_tag ?? '', replaced_by: fact.replaced_by ?? '' }, offset),
    )
    .sort();
}

function textOf(
  row: Pick<AlertRow, 'alert_key' | 'sent_at' | 'message_id' | 'state' | 'hail_tag' | 'replaced_by'>,
  revision: number,
): string {
  return [
    row.alert_key,
    row.sent_at,
    row.message_id,
    row.state,
    row.hail_tag,
    row.replaced_by,
    revision,
  ].join('|');
}

const delivery = fc.record({ back: fc.nat(6), take: fc.nat(6) });

describe('the table of alerts', () => {
  it('equals the newest fact of each message, whatever the deaths and deliveries', () => {
    const message = fc
      .record({
        etn: fc.nat(2),
        minute: fc.nat(2),
        state: fc.constantFrom('active', 'cancelled', 'expired'),
        replaced_by: fc.constantFrom(null, 'urn:c'),
      })
      .map(({ etn, minute, state, replaced_by }): AlertFact => ({
        ...warning,
        ...{ alert_key: `KTOP/SV/W/000${etn}/2026`, etn, state, replaced_by },
        sent_at: warning.sent_at + minute * 60_000,
        message_id: `urn:${etn}.${minute}`,
      }));
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 14 }),
        fc.array(delivery, { maxLength: 12 }),
        (facts, deliveries) => {
          const messages = facts.map((fact, offset) => ({ fact, offset }));
          assert.deepEqual(project(messages, deliveries), fold(messages));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('keeps what a warning said of hail beside its cancellation, which says nothing', () => {
    const [cancelled, , first] = read(recordedAlerts(lifecycle)).told;
    assert.ok(cancelled && first);
    const shown = project(
      [first, cancelled].map((fact, offset) => ({ fact, offset })),
      [
        { back: 0, take: 4 },
        { back: 5, take: 4 },
      ],
    );
    assert.deepEqual(
      shown.map((text) => text.split('|').slice(3, 5)),
      [
        ['active', 'Up to .75'],
        ['cancelled', ''],
      ],
    );
  });
});
