import { cellOfMicro, cellText } from '../../hail/geo/geohash.ts';
import { latToMicro, lonToMicro } from '../../hail/geo/place.ts';
import { cellCentre, deltaDecoded, granuleId, type GridFact } from '../../hail/grid.ts';
import { setAsideReason, type ObservationFact, type Standing } from '../../hail/observation.ts';
import { isCitingPublisher } from '../../hail/publisher.ts';
import { roundToHundredths, tenths_mm_per_inch } from '../../hail/size.ts';
import { gridProblem } from '../../hail/validate-grid.ts';
import { topics } from '../../log/topics.ts';
import { createBlockWriter, type BlockWriter } from '../../store/native.ts';
import type { Value } from '../../store/store.ts';
import { observationColumns, sortKey, type ObservationRow } from '../../store/observations/row.ts';
import { tableName } from '../../store/projections.ts';
import { setAsideColumns, setAsideValues, type SetAsideRow } from '../../store/set_aside/row.ts';
import { stormReportColumns, stormReportValues, type StormReportRow } from '../../store/storm_reports/row.ts';
import type { Collector, ComparedTable, FactPlace, Projection, TableBlock } from '../projection.ts';
import { observationProblem } from '../../hail/validate-observation.ts';

/** The rows of one fact. */
export interface ObservationChange {
  rows: ObservationRow[];
  set_aside: SetAsideRow | null;
  storm_report: StormReportRow | null;
}

/** A granule has thousands of rows and about three bytes a row in the log: a batch of these bytes is a block of some 20 MB. */
const largest_grid_batch_bytes = 384 * 1024;

/** Cells are taken together by the three leading letters of their geohash. */
const compared: readonly ComparedTable[] = [
  {
    table: 'observations',
    place: 'bitShiftRight(cell, 10)',
    placeName: (place) => `geohash ${cellText(Number(place) << 10).slice(0, 3)}`,
  },
  {
    table: 'set_aside',
    place: "concat(publisher, ' ', substring(hex(cityHash64(record_key)), 1, 2))",
    placeName: (place) => `records ${place}..`,
  },
  {
    table: 'storm_reports',
    place: 'substring(hex(cityHash64(record_key)), 1, 2)',
    placeName: (place) => `reports ${place}..`,
  },
];

/** `hail.observation.v1` and `hail.grid.v1` → `observations`, `set_aside`, `storm_reports`, with `cell_changes` as intents. */
export function observationsProjection(version: number): Projection<ObservationChange, TableBlock> {
  // Writers that have finished a batch serve the next: their memory is most of what a batch would take from the system and give back.
  const writers: BlockWriter<ObservationRow>[] = [];
  return {
    name: 'observations',
    version,
    topics: [topics.observation.name, topics.grid.name],
    largest_batch_bytes: { [topics.grid.name]: largest_grid_batch_bytes },
    schema_files: [
      '0003_observations',
      '0004_cell_changes',
      '0005_set_aside',
      '0009_observations_size_tenths_mm',
      '0011_storm_reports',
      '0021_state_and_county',
    ],
    compared,
    project: (topic, fact, key, place) => {
      if (topic === topics.grid.name) {
        const grid = fact as GridFact;
        const problem = gridProblem(grid, key);
        if (problem !== null) return { outcome: 'dead', reason: 'invalid-fact', error: problem };
        return {
          outcome: 'ok',
          change: { rows: gridRows(grid, place), set_aside: null, storm_report: null },
        };
      }
      const observation = fact as ObservationFact;
      const problem = observationProblem(observation, key);
      if (problem !== null) return { outcome: 'dead', reason: 'invalid-fact', error: problem };
      if (observation.publisher === 'SPC_LSR') {
        const storm_report = stormReportRow(observation, place);
        return { outcome: 'ok', change: { rows: [], set_aside: null, storm_report } };
      }
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
  const storm_reports: Value[][] = [];
  return {
    add: (change) => {
      for (const row of change.rows) {
        writer.add(row);
        cells.push(row.cell);
      }
      if (change.set_aside !== null) set_aside.push(setAsideValues(change.set_aside));
      if (change.storm_report !== null) storm_reports.push(stormReportValues(change.storm_report));
    },
    finish: () => {
      const block = writer.finish();
      writers.push(writer);
      return {
        cells: distinct(cells),
        rows: { table: tableName('observations', version), block },
        others: [
          { table: tableName('set_aside', version), columns: setAsideColumns, rows: set_aside },
          { table: tableName('storm_reports', version), columns: stormReportColumns, rows: storm_reports },
        ],
      };
    },
  };
}

/** Ascending, each once. */
function distinct(cells: readonly number[]): number[] {
  const found: number[] = [];
  let before = -1;
  // Made from an array, not by `from`, which would ask it for one cell after another.
  for (const cell of new Uint32Array(cells).sort()) {
    if (cell !== before) found.push(cell);
    before = cell;
  }
  return found;
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
    storm_report: null,
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
    size_tenths_mm: 0,
    record_id: fact.record_id,
    status: fact.status,
    sevprob: fact.evidence.sevprob,
    prob: fact.evidence.prob,
    reporter: fact.evidence.reporter ?? '',
    state: fact.state ?? '',
    county: fact.county ?? '',
    county_fips: fact.county_fips ?? '',
    document_url: fact.provenance.document_url,
    document_sha256: fact.provenance.document_sha256,
    publisher_version: fact.provenance.publisher_version ?? '',
    retrieved_at: fact.provenance.retrieved_at,
    log_partition,
    revision,
    is_deleted,
  };
}

/**
 * A granule's rows: one in each of its cells, and a deletion in each cell that an earlier issue had and this one has not. Its number in the
 * grid is not kept: cells are ordered by their places, north before south and then west before east.
 */
export function gridRows(
  fact: GridFact,
  { partition, offset }: Pick<FactPlace, 'partition' | 'offset'>,
): ObservationRow[] {
  const id = granuleId(fact);
  const { document_url, document_sha256, publisher_version, retrieved_at } = fact.provenance;
  const rowIn = (cell: number, size_tenths_mm: number, is_deleted: 0 | 1): ObservationRow => {
    const { lat_micro, lon_micro } = cellCentre(fact.geometry, cell);
    return {
      cell: cellOfMicro(lat_micro, lon_micro),
      occurred_at: fact.began_at,
      publisher: 'MRMS_MESH',
      record_key: id,
      lat: lat_micro,
      lon: lon_micro,
      ended_at: is_deleted === 1 ? fact.began_at : fact.ended_at,
      size_in: roundToHundredths(size_tenths_mm / tenths_mm_per_inch),
      size_tenths_mm,
      record_id: id,
      status: 'final',
      sevprob: null,
      prob: null,
      reporter: '',
      state: '',
      county: '',
      county_fips: '',
      document_url,
      document_sha256,
      publisher_version: publisher_version ?? '',
      retrieved_at,
      log_partition: partition,
      revision: offset,
      is_deleted,
    };
  };
  return [
    ...deltaDecoded(fact.dropped).map((cell) => rowIn(cell, 0, 1)),
    ...deltaDecoded(fact.cells).map((cell, at) => rowIn(cell, fact.sizes[at] ?? 0, 0)),
  ];
}

function stormReportRow(
  fact: ObservationFact,
  { partition, offset }: Pick<FactPlace, 'partition' | 'offset'>,
): StormReportRow {
  return {
    record_key: fact.record_key,
    record_id: fact.record_id,
    occurred_at: fact.began_at,
    lat: fact.lat === null ? null : latToMicro(fact.lat),
    lon: fact.lon === null ? null : lonToMicro(fact.lon),
    size_in: fact.size_in === null ? null : roundToHundredths(fact.size_in),
    slice: fact.slice,
    reporter: fact.evidence.reporter ?? '',
    state: fact.state ?? '',
    county: fact.county ?? '',
    document_url: fact.provenance.document_url,
    document_sha256: fact.provenance.document_sha256,
    retrieved_at: fact.provenance.retrieved_at,
    log_partition: partition,
    revision: offset,
    is_deleted: fact.status === 'withdrawn' ? 1 : 0,
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
    state: fact.state ?? '',
    county: fact.county ?? '',
    county_fips: fact.county_fips ?? '',
    document_url: fact.provenance.document_url,
    document_sha256: fact.provenance.document_sha256,
    log_partition,
    revision,
    is_deleted: reason === null ? 1 : 0,
  };
}
