import type { AlertFact } from '../../hail/alert.ts';
import { alertProblem } from '../../hail/validate-alert.ts';
import { topics } from '../../log/topics.ts';
import { alertColumns, alertValues, type AlertRow } from '../../store/alerts/row.ts';
import { tableName } from '../../store/projections.ts';
import type { FactPlace, Projection, TableRows } from '../projection.ts';

/**
 * `hail.alert.v1` → `alerts`, for analysts: no answer reads it. One row for each message rather than for each event, because a message that
 * cancels says nothing of hail: what the warning said stays beside it, and the projector needs no memory of it.
 */
export function alertsProjection(version: number): Projection<AlertRow, TableRows> {
  return {
    name: 'alerts',
    version,
    topics: [topics.alert.name],
    schema_files: ['0010_alerts'],
    compared: [{ table: 'alerts', place: "concat(office, ' ', toString(year))" }],
    project: (_topic, fact, key, place) => {
      const alert = fact as AlertFact;
      const problem = alertProblem(alert, key);
      if (problem !== null) return { outcome: 'dead', reason: 'invalid-fact', error: problem };
      return { outcome: 'ok', change: rowOf(alert, place) };
    },
    batch: (changes) => ({
      cells: null,
      rows: { table: tableName('alerts', version), columns: alertColumns, rows: changes.map(alertValues) },
      others: [],
    }),
  };
}

function rowOf(alert: AlertFact, { partition, offset }: Pick<FactPlace, 'partition' | 'offset'>): AlertRow {
  return {
    alert_key: alert.alert_key,
    sent_at: alert.sent_at,
    message_id: alert.message_id,
    office: alert.office,
    phenomenon: alert.phenomenon ?? '',
    significance: alert.significance ?? '',
    etn: alert.etn,
    year: alert.year,
    event: alert.event,
    state: alert.state,
    vtec_action: alert.vtec_action ?? '',
    message_type: alert.message_type,
    effective_at: alert.effective_at,
    onset_at: alert.onset_at,
    expires_at: alert.expires_at,
    ends_at: alert.ends_at,
    max_hail_in: alert.max_hail_in,
    hail_qualifier: alert.hail_qualifier ?? '',
    hail_tag: alert.hail_tag ?? '',
    hail_threat: alert.hail_threat ?? '',
    damage_threat: alert.damage_threat ?? '',
    area_desc: alert.area_desc ?? '',
    polygons: alert.polygons.map((rings) => rings.map((ring) => ring.map(({ lon, lat }) => [lon, lat]))),
    replaced_by: alert.replaced_by ?? '',
    document_url: alert.provenance.document_url,
    document_sha256: alert.provenance.document_sha256,
    retrieved_at: alert.provenance.retrieved_at,
    log_partition: partition,
    revision: offset,
  };
}
