import type { Codec } from '../../../services/log/codec.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { topics } from '../../../services/log/topics.ts';
import type { GridFact } from '../../../services/hail/grid.ts';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import { hundredths, type OracleRecord } from '../../support/oracle/records.ts';
import { placesNear } from './places.ts';

/** The product that answers are made of. */
const answered_product = 'MESH_Max_60min';
const citing = ['NOAA_SED', 'NEXRAD_SWDI', 'COCORAHS'];

/** By partition, those of the observations before those of the grids: how much of the log an answer stands on. */
export type Positions = readonly number[];

/** What a message that matters to some place makes of a record there: all its standings from then on. */
interface Change {
  offset: number;
  key: string;
  /** By the number of the place. */
  standings: ReadonlyMap<number, OracleRecord[]>;
  /** Every place that the record has ever stood near. */
  places: ReadonlySet<number>;
}

/** The messages of the log that matter, by partition. */
export type Changes = readonly (readonly Change[])[];

type Records = Map<string, OracleRecord[]>;

/** Reads the log once. Only records that ever stood near a place are kept: the others can be in no answer. */
export async function readChanges(log: EventLog, codec: Codec): Promise<Changes> {
  const changes: Change[][] = [];
  const known = new Map<string, ReadonlySet<number>>();
  const nowhere: Change['standings'] = new Map();
  const keep = (stream: number, offset: number, key: string, records: readonly OracleRecord[]): void => {
    const standings = new Map<number, OracleRecord[]>();
    for (const record of records) {
      for (const place of placesNear(record.lat, record.lon))
        standings.set(place, [...(standings.get(place) ?? []), record]);
    }
    if (standings.size === 0 && !known.has(key)) return;
    const before = known.get(key) ?? new Set<number>();
    const fresh = [...standings.keys()].filter((place) => !before.has(place));
    // Millions of messages are kept in the full run: what says the same is the same in memory.
    const places = fresh.length === 0 ? before : new Set([...before, ...fresh]);
    known.set(key, places);
    changes[stream]?.push({ offset, key, standings: standings.size === 0 ? nowhere : standings, places });
  };
  let streams = 0;
  for (const [topic, recordsOf] of [
    [topics.observation, (fact: unknown) => pointOf(fact as ObservationFact)],
    [topics.grid, (fact: unknown) => cellsOf(fact as GridFact)],
  ] as const) {
    for (let partition = 0; partition < topic.partitions; partition += 1) changes.push([]);
    for await (const page of log.scan(topic.name)) {
      for (const { partition, offset, key, value } of page) {
        const decoded = await codec.decode(topic.name, value);
        if (decoded.outcome !== 'ok') throw new Error(`a message of ${topic.name} cannot be decoded`);
        keep(streams + partition, offset, `${topic.name} ${key}`, recordsOf(decoded.fact));
      }
    }
    streams += topic.partitions;
  }
  return changes;
}

function pointOf(fact: ObservationFact): OracleRecord[] {
  const { publisher, record_id, began_at, ended_at, lat, lon, size_in, status } = fact;
  if (status === 'withdrawn' || !citing.includes(publisher)) return [];
  if (began_at === null || lat === null || lon === null || size_in === null) return [];
  return [
    {
      publisher: publisher as OracleRecord['publisher'],
      id: record_id,
      began: began_at,
      ended: ended_at ?? began_at,
      lat: Math.round(lat * 1e6) / 1e6,
      lon: Math.round(lon * 1e6) / 1e6,
      size: hundredths(String(size_in)),
    },
  ];
}

function cellsOf({ product, stamp, began_at, ended_at, geometry, cells, sizes }: GridFact): OracleRecord[] {
  if (product !== answered_product) return [];
  let cell = 0;
  return cells.map((delta, at) => {
    cell += delta;
    const tenths = sizes[at] ?? NaN;
    return {
      publisher: 'MRMS_MESH' as const,
      id: `${product}/${new Date(stamp).toISOString().slice(0, 19)}Z`,
      ...{ began: began_at, ended: ended_at, tenths },
      lat: Number((geometry.first_lat - Math.floor(cell / geometry.columns) * geometry.step_deg).toFixed(3)),
      lon: Number((geometry.first_lon + (cell % geometry.columns) * geometry.step_deg).toFixed(3)),
      size: Math.floor((tenths * 100) / 254 + 0.5) / 100,
    };
  });
}

export interface Fold {
  /** Goes on to positions none of which lies before those of the last call. */
  moveTo: (positions: Positions) => void;
  /** Of a place the records that stand near it. */
  at: (place: number) => OracleRecord[];
  /** Grows whenever what stands near a place may have changed. */
  version: (place: number) => number;
  /** Where, beyond the position, each partition's messages touch the place, up to an end: their offsets. */
  touches: (place: number, stream: number, end: number) => number[];
  /** As `at`, with so much more of the log. */
  atLater: (place: number, positions: Positions) => OracleRecord[];
}

/** The plain fold of the log: of every record its newest message says all. It only goes forward. */
export function createFold(changes: Changes): Fold {
  const next = changes.map(() => 0);
  const records = new Map<number, Records>();
  const versions = new Map<number, number>();
  const of = (place: number): Records => {
    const known = records.get(place) ?? new Map<string, OracleRecord[]>();
    records.set(place, known);
    return known;
  };
  const apply = (to: Records, place: number, { key, standings }: Change): void => {
    const now = standings.get(place);
    if (now === undefined) to.delete(key);
    else to.set(key, now);
  };
  const ahead = function* (stream: number, end: number): Generator<Change> {
    for (let at = next[stream] ?? 0; ; at += 1) {
      const change = changes[stream]?.[at];
      if (change === undefined || change.offset >= end) return;
      yield change;
    }
  };
  return {
    moveTo: (positions) => {
      for (const [stream, end] of positions.entries()) {
        for (const change of ahead(stream, end)) {
          for (const place of change.places) {
            apply(of(place), place, change);
            versions.set(place, (versions.get(place) ?? 0) + 1);
          }
          next[stream] = (next[stream] ?? 0) + 1;
        }
      }
    },
    at: (place) => [...of(place).values()].flat(),
    version: (place) => versions.get(place) ?? 0,
    touches: (place, stream, end) =>
      [...ahead(stream, end)].filter(({ places }) => places.has(place)).map(({ offset }) => offset),
    atLater: (place, positions) => {
      const later: Records = new Map(of(place));
      for (const [stream, end] of positions.entries()) {
        for (const change of ahead(stream, end)) if (change.places.has(place)) apply(later, place, change);
      }
      return [...later.values()].flat();
    },
  };
}
