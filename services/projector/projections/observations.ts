import { cellOfMicro } from '../../hail/geo/geohash.ts';
import { latToMicro, lonToMicro } from '../../hail/geo/place.ts';
import { setAsideReason, type ObservationFact, type Standing } from '../../hail/observation.ts';
import { isCitingPublisher } from '../../hail/publisher.ts';
import { roundToHundredths } from '../../hail/size.ts';
import { topics } from '../../log/topics.ts';
import { createBlockWriter, type BlockWriter } from '../../store/native.ts';
import type { Value } from '../../store/store.ts';
import { observationColumns, sortKey, type ObservationRow } from '../../store/observations/row.ts';
import { tableName } from '../../store/projections.ts';
import { setAsideColumns, setAsideValues, type SetAsideRow } from '../../store/set_aside/row.ts';
import type { Collector, FactPlace, Projection, TableBlock } from '../projection.ts';
import { observationProblem } from '../../hail/validate-observation.ts';

/** The rows of one fact. */
export interface ObservationChange {
  rows: ObservationRow[];
  set_aside: SetAsideRow | null;
}

/** `hail.observation.v1` → `observations`, `set_aside`, with `cell_changes` as intents. */
export function observationsProjection(version: number): Projection<ObservationChange, TableBlock> {
  // Writers that have finished a batch serve the next: their memory is most of what a batch would take from the system and give back.
  const writers: BlockWriter<ObservationRow>[] = [];
  return {
    name: 'observations',
    version,
    topics: [topics.observation.name],
    schema_files: ['0003_observations', '0004_cell_changes', '0005_set_aside'],
    project: (_topic, fact, key, place) => {
      const observation = fact as ObservationFact;
      const problem = observationProblem(observation, key);
      if (problem !== null) return { outcome: 'dead', reason: 'invalid-fact', error: problem };
      if (!isCitingPublisher(observation.publisher))
        return { outcome: 'drop', reason: 'publisher is never cited' };
      return { outcome: 'ok', change: changeOf(observation, place) };
    },
    batch: (changes) => {
      const collected = collect(version, writers);
      for (const change of changes) collected.add(change);
      return collected.finish();
    },
    collect: () => collect(version, writers),
  };
}

/** Rows become bytes at once: kept until the end of the batch they would be most of the process's memory, and of its collector's work. */
function collect(
  version: number,
  writers: BlockWriter<ObservationRow>[],
): Collector<ObservationChange, TableBlock> {
  const writer = writers.pop() ?? createBlockWriter(observationColumns);
  const cells: number[] = [];
  const set_aside: Value[][] = [];
  return {
    add: (change) => {
      for (const row of change.rows) {
        writer.add(row);
        cells.push(row.cell);
      }
      if (change.set_aside !== null) set_aside.push(setAsideValues(change.set_aside));
    },
    finish: () => {
      const block = writer.finish();
      writers.push(writer);
      return {
        cells: distinct(cells),
        rows: { table: tableName('observations', version), block },
        others: [{ table: tableName('set_aside', version), columns: setAsideColumns, rows: set_aside }],
      };
    },
  };
}

/** Ascending, each once. */
function distinct(cells: readonly number[]): number[] {
  return [...Uint32Array.from(cells).sort()].filter((cell, at, sorted) => cell !== sorted[at - 1]);
}

/**
 * A fact becomes its own row where it is citable, and a deletion at each standing it supersedes whose sort key is not the new row's: a row
 * and a deletion of one revision under one key would be a coin toss. A fact that is set aside, or that supersedes anything, also writes
 * its set-aside row, live or deleted: an earlier revision may have been set aside.
 */
export function changeOf(
  fact: ObservationFact,
  { partition, offset }: Pick<FactPlace, 'partition' | 'offset'>,
): ObservationChange {
  const reason = fact.status === 'withdrawn' ? null : setAsideReason(fact);
  const live =
    fact.status === 'withdrawn' || reason !== null ? null : rowAt(fact, fact, partition, offset, 0);
  const rows: ObservationRow[] = [];
  if (fact.supersedes.length > 0) {
    const deletions = new Map<string, ObservationRow>();
    for (const standing of fact.supersedes) {
      const row = rowAt(fact, standing, partition, offset, 1);
      if (row !== null && (live === null || sortKey(row) !== sortKey(live))) deletions.set(sortKey(row), row);
    }
    rows.push(...deletions.values());
  }
  if (live !== null) rows.push(live);
  return {
    rows,
    set_aside:
      reason !== null || fact.supersedes.length > 0 ? setAsideRow(fact, reason, partition, offset) : null,
  };
}

/** The fact's row at a standing; null where the standing lacks a time or a place, since no row can stand there. */
function rowAt(
  fact: ObservationFact,
  { began_at, lat, lon }: Standing,
  log_partition: number,
  revision: number,
  is_deleted: 0 | 1,
): ObservationRow | null {
  if (began_at === null || lat === null || lon === null) return null;
  const [lat_micro, lon_micro] = [latToMicro(lat), lonToMicro(lon)];
  return {
    cell: cellOfMicro(lat_micro, lon_micro),
    occurred_at: began_at,
    publisher: fact.publisher,
    record_key: fact.record_key,
    lat: lat_micro,
    lon: lon_micro,
    ended_at: is_deleted === 1 ? began_at : (fact.ended_at ?? began_at),
    size_in: fact.size_in === null ? 0 : roundToHundredths(fact.size_in),
    record_id: fact.record_id,
    status: fact.status,
    sevprob: fact.evidence.sevprob,
    prob: fact.evidence.prob,
    reporter: fact.evidence.reporter ?? '',
    document_url: fact.provenance.document_url,
    document_sha256: fact.provenance.document_sha256,
    publisher_version: fact.provenance.publisher_version ?? '',
    retrieved_at: fact.provenance.retrieved_at,
    log_partition,
    revision,
    is_deleted,
  };
}

function setAsideRow(
  fact: ObservationFact,
  reason: string | null,
  log_partition: number,
  revision: number,
): SetAsideRow {
  return {
    publisher: fact.publisher,
    record_key: fact.record_key,
    record_id: fact.record_id,
    reason: reason ?? '',
    occurred_at: fact.began_at,
    lat: fact.lat === null ? null : latToMicro(fact.lat),
    lon: fact.lon === null ? null : lonToMicro(fact.lon),
    size_in: fact.size_in === null ? null : roundToHundredths(fact.size_in),
    time_zone: fact.evidence.time_zone ?? '',
    document_url: fact.provenance.document_url,
    document_sha256: fact.provenance.document_sha256,
    log_partition,
    revision,
    is_deleted: reason === null ? 1 : 0,
  };
}
