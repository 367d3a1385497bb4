import type { CellViews } from '../../../services/api/cell-index/indexed-answers.ts';
import { cellOf } from '../../../services/hail/geo/geohash.ts';
import type { Observation } from '../../../services/hail/observation.ts';
import type { Changes } from '../../../services/store/cell_changes/changes-since.ts';
import type { Intent } from '../../../services/store/cell_changes/intents.ts';

// A model of log, projector and store as far as answers can tell, in which nothing happens by itself: every step of a batch and every
// statement of an answer is taken when the test takes it, in any order that the real parts allow.

export const topics = ['points', 'grids'] as const;
const partitions = 2;
const records_a_partition = 4;

/** Places in cells of their own, and those cells. */
const places = Array.from({ length: 6 }, (_, at) => ({ lat: 30 + at / 2, lon: -98 }));
export const cells: readonly number[] = places.map(({ lat, lon }) => cellOf(lat, lon));

/** What an early revision says lies before it, what a later one says past it. */
export const middle_ms = 1_000;

interface Fact {
  record: number;
  /** Number of a place; null where the record was withdrawn. */
  place: number | null;
  /** Every other place where it has ever stood. */
  superseded: number[];
  began_ms: number;
}

interface Row {
  observation: Observation;
  revision: number;
  is_deleted: boolean;
}

/** What the projector of one version has made of the log. */
interface Version {
  rows: Map<string, Row>;
  intents: Intent[][];
  positions: number[][];
  batches: (Batch | null)[][];
}

interface Batch {
  first: number;
  end: number;
  step: 'rows' | 'position';
}

export interface Model {
  append: () => void;
  /** The next step of some version's projector, which may begin or end a batch. */
  project: () => void;
  /** Three steps of one projector, before anybody can ask anything. */
  projectBatch: () => void;
  /** A projector that dies, and cuts its batches anew when it comes back. */
  crash: () => void;
  /** Takes away intents that the positions have passed. */
  cleanUp: () => void;
  /** One of the statements under way goes on: it reads, or what it read arrives. */
  answerStatement: () => boolean;
  views: CellViews;
  /** Of anything else that waits. */
  pause: () => Promise<void>;
  positions: (version: number) => number[][];
  /** The observations of cells by a plain fold of the log up to offsets, as sorted texts. */
  fold: (offsets: readonly (readonly number[])[], cells: readonly number[]) => string[];
}

export const versions = [1, 2] as const;

export function createModel(random: () => number): Model {
  const below = (end: number): number => Math.floor(random() * end);
  const log: Fact[][][] = topics.map(() => Array.from({ length: partitions }, () => []));
  const made = new Map(versions.map((version) => [version as number, emptyVersion()]));
  const waiting: (() => void)[] = [];

  const of = (version: number): Version => {
    const known = made.get(version);
    if (known === undefined) throw new Error(`there is no version ${version}`);
    return known;
  };
  const observationOf = (topic: number, partition: number, fact: Fact, place: number): Observation => ({
    ...{ publisher: 'NEXRAD_SWDI', record_key: `${topic}/${partition}/${fact.record}`, record_id: 'R' },
    ...{ began_ms: fact.began_ms, ended_ms: fact.began_ms, lat: places[place]?.lat ?? NaN, lon: -98 },
    ...{ size_in: 1, size_tenths_mm: null, sevprob: null },
  });
  /** A statement reads once, at a moment of its own, and its rows arrive later. */
  const statement = async (...reads: (() => void)[]): Promise<void> => {
    for (const read of reads) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      read();
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const observationsIn = async (version: number, wanted: readonly number[]): Promise<Observation[]> => {
    let read: Observation[] = [];
    await statement(() => {
      read = [...of(version).rows.values()]
        .filter(
          ({ is_deleted, observation: { lat, lon } }) => !is_deleted && wanted.includes(cellOf(lat, lon)),
        )
        .map(({ observation }) => observation);
    });
    return read;
  };

  const anyProjector = (): [Version, number, number] => [
    of(versions[below(versions.length)] ?? 1),
    below(topics.length),
    below(partitions),
  ];
  const takeStep = (version: Version, topic: number, partition: number): void => {
    const batch = version.batches[topic]?.[partition] ?? null;
    const position = version.positions[topic]?.[partition] ?? 0;
    const facts = log[topic]?.[partition] ?? [];
    const [own_batches, own_positions] = [version.batches[topic], version.positions[topic]];
    if (own_batches === undefined || own_positions === undefined) return;
    if (batch === null) {
      if (position === facts.length) return;
      const end = Math.min(facts.length, position + 1 + below(4));
      const changed = facts
        .slice(position, end)
        .flatMap(({ place, superseded }) => [place ?? [], superseded].flat());
      version.intents[topic]?.push({
        ...{ topic: topics[topic] ?? '', partition, first_offset: position, end_offset: end },
        cells: [...new Set(changed)].map((place) => cells[place] ?? NaN),
      });
      own_batches[partition] = { first: position, end, step: 'rows' };
    } else if (batch.step === 'rows') {
      for (let offset = batch.first; offset < batch.end; offset += 1) {
        const fact = facts[offset];
        if (fact === undefined) continue;
        const write = (place: number, is_deleted: boolean): void => {
          const key = `${topic}/${partition}/${fact.record}@${place}`;
          const observation = observationOf(topic, partition, fact, place);
          if ((version.rows.get(key)?.revision ?? -1) <= offset)
            version.rows.set(key, { observation, revision: offset, is_deleted });
        };
        for (const place of fact.superseded) write(place, true);
        if (fact.place !== null) write(fact.place, false);
      }
      own_batches[partition] = { ...batch, step: 'position' };
    } else {
      own_positions[partition] = batch.end;
      own_batches[partition] = null;
    }
  };

  return {
    append: () => {
      const [topic, partition] = [below(topics.length), below(partitions)];
      const facts = log[topic]?.[partition] ?? [];
      const record = below(records_a_partition);
      const before = facts.filter((fact) => fact.record === record);
      const place = random() < 0.2 ? null : below(places.length);
      const stood = new Set(before.flatMap((fact) => fact.place ?? []));
      const superseded = [...stood].filter((each) => each !== place);
      facts.push({ record, place, superseded, began_ms: facts.length * 200 });
    },
    project: () => takeStep(...anyProjector()),
    projectBatch: () => {
      const projector = anyProjector();
      for (let step = 0; step < 3; step += 1) takeStep(...projector);
    },
    crash: () => {
      for (const topic of of(versions[below(versions.length)] ?? 1).batches) topic.fill(null);
    },
    cleanUp: () => {
      const { intents, positions } = of(versions[below(versions.length)] ?? 1);
      for (const [topic, own] of intents.entries()) {
        intents[topic] = own.filter(
          ({ partition, end_offset }) => end_offset > (positions[topic]?.[partition] ?? 0),
        );
      }
    },
    answerStatement: () => {
      // Often the newest, so that others are overtaken for long.
      const at = random() < 0.5 ? waiting.length - 1 : below(waiting.length);
      const [next] = waiting.splice(at, 1);
      next?.();
      return next !== undefined;
    },
    views: {
      changesSince: async (version, since) => {
        let offsets: number[][] = [];
        let intents: Intent[][] = topics.map(() => []);
        const readPositions = (): void => {
          offsets = of(version).positions.map((own) => [...own]);
        };
        const readIntents = (): void => {
          if (since === null) return;
          intents = of(version).intents.map((own, topic) =>
            own.filter(({ partition, end_offset }) => end_offset > (since[topic]?.[partition] ?? 0)),
          );
        };
        const reads = random() < 0.5 ? [readPositions, readIntents] : [readIntents, readPositions];
        await statement(...reads);
        return {
          position: { log_id: 'a-log-of-its-own', offsets },
          intents,
          is_cut: false,
        } satisfies Changes;
      },
      observationsIn,
      pastIndex: async ({ version, cells: wanted }) => ({
        observations: await observationsIn(version, wanted),
        token: 'range',
      }),
    },
    pause: () => new Promise((resolve) => waiting.push(resolve)),
    positions: (version) => of(version).positions.map((own) => [...own]),
    fold: (offsets, wanted) =>
      log
        .flatMap((of_topic, topic) =>
          of_topic.flatMap((facts, partition) => {
            const newest = new Map<number, Fact>();
            for (const fact of facts.slice(0, offsets[topic]?.[partition] ?? 0))
              newest.set(fact.record, fact);
            return [...newest.values()].flatMap((fact) =>
              fact.place === null ? [] : [observationOf(topic, partition, fact, fact.place)],
            );
          }),
        )
        .filter(({ lat, lon }) => wanted.includes(cellOf(lat, lon)))
        .map(textOf)
        .sort(),
  };
}

function emptyVersion(): Version {
  const each = <T>(value: () => T): T[] => topics.map(value);
  return {
    rows: new Map(),
    intents: each(() => []),
    positions: each(() => Array.from({ length: partitions }, () => 0)),
    batches: each(() => Array.from({ length: partitions }, () => null)),
  };
}

export function textOf({ record_key, began_ms, lat }: Observation): string {
  return `${record_key} ${began_ms} ${lat}`;
}
