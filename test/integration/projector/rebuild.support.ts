import { pino } from 'pino';
import { cellOf, cellOfMicro } from '../../../services/hail/geo/geohash.ts';
import { latToMicro, lonToMicro } from '../../../services/hail/geo/place.ts';
import type { Observation, ObservationFact } from '../../../services/hail/observation.ts';
import { createDeadLetters } from '../../../services/projector/dead-letters.ts';
import { prepareStore, viewOptions } from '../../../services/projector/prepare.ts';
import type { RebuildDeps, RebuildEvent } from '../../../services/projector/rebuild/deps.ts';
import { runVersions, type Versions } from '../../../services/projector/versions.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import { createPatience } from '../../../services/runtime/patience.ts';
import {
  createRevisions,
  liveText,
  radarDrafts,
  truthOf,
  type StoredFact,
} from '../../unit/projector/history.ts';
import type { Bench, Run } from './bench.ts';

const output = pino({ level: 'silent' });

/** The projector as its process runs it: versions are taken up as they are listed. */
export async function beginVersions(
  bench: Bench,
  database: string,
  run: Pick<Run, 'batch_messages' | 'afterStep' | 'log'> & {
    hold_lease_ms?: number;
    /** The views for analysts follow the pointer, as they do in the process. */
    follow_views?: boolean;
  } = {},
): Promise<Versions & { failed: () => unknown }> {
  const { codec } = bench;
  const log = run.log ?? bench.log;
  const store = bench.store(database);
  const stopping = new AbortController();
  const views = run.follow_views === true ? { views: viewOptions(bench.config(database)) } : {};
  await prepareStore(bench.config(database), store, systemClock);
  const dead_letters = createDeadLetters({ log, codec, clock: systemClock, output });
  const patiently = createPatience({ clock: systemClock, output }, stopping.signal);
  const { afterStep, batch_messages = 500, hold_lease_ms = 15_000 } = run;
  const versions = await runVersions(
    {
      ...{ log, codec, store, dead_letters, clock: systemClock, output, patiently },
      ...(afterStep === undefined ? {} : { afterStep }),
    },
    { batch_messages, signal: stopping.signal, hold_lease_ms, look_ms: 50, ...views },
  );
  let failure: unknown;
  versions.done.catch((error: unknown) => (failure = error));
  return {
    done: versions.done,
    failed: () => failure,
    leave: async () => {
      stopping.abort();
      await versions.leave();
    },
  };
}

export function rebuildDeps(
  bench: Bench,
  database: string,
  say: (event: RebuildEvent) => void = () => undefined,
): RebuildDeps {
  const { signal } = new AbortController();
  const store = bench.store(database);
  const views = viewOptions(bench.config(database));
  return { log: bench.log, store, clock: systemClock, random: () => 0.5, say, views, signal };
}

/** `v1.<log>.<positions>.<of grids>` or the same with `~` and a second reading: the positions of observations. */
export function readToken(token: string): { from: number[]; to: number[] | null } {
  const [, from = '', to] = /^v1\.[0-9a-f]{8}\.([0-9a-z.-]+)(?:~([0-9a-z.-]+))?$/.exec(token) ?? [];
  const numbers = (text: string): number[] =>
    (text.split('.')[0] ?? '').split('-').map((part) => parseInt(part, 36));
  return { from: numbers(from), to: to === undefined ? null : numbers(to) };
}

/** An answer in the words of `truthOf`, without the revision, which answers do not carry. */
export function textOf(observations: readonly Observation[]): string[] {
  return observations
    .map((row) =>
      liveText({ ...row, began_at: row.began_ms, lat: latToMicro(row.lat), lon: lonToMicro(row.lon) }, 0),
    )
    .sort();
}

/** The plain fold of the log up to a position, in the same words, as far as it lies in some cells. */
export function foldAt(
  facts: readonly StoredFact[],
  positions: readonly number[],
  cells: readonly number[],
): string[] {
  const before = facts.filter(({ partition, offset }) => offset < (positions[partition] ?? 0));
  return truthOf(before)
    .live.filter((text) => {
      const [, , lat, lon] = text.split(' ').map(Number);
      return cells.includes(cellOfMicro(lat ?? NaN, lon ?? NaN));
    })
    .map((text) => text.replace(/ \d+$/, ' 0'))
    .sort();
}

/**
 * NOT REAL beyond its first round: the recorded radar rows, then round after round of made-up corrections of each, for ever: moved, of
 * another size, without a size, withdrawn, back again.
 */
export function* endlessHistory(): Generator<ObservationFact> {
  const revise = createRevisions();
  for (let round = 0; ; round += 1) {
    for (const [index, draft] of radarDrafts().entries()) {
      const turn = (round + index) % 7;
      const lat = (draft.lat ?? 30) + 0.05 * ((round + index) % 4);
      if (round === 0) yield revise(draft);
      else if (turn === 0) yield revise({ ...draft, ...nothing, status: 'withdrawn' });
      else if (turn === 1) yield revise({ ...draft, size_in: null });
      else if (turn === 2) yield revise({ ...draft, size_in: (draft.size_in ?? 1) + 0.125 * (round % 9) });
      else yield revise({ ...draft, lat });
    }
  }
}

const nothing = { began_at: null, ended_at: null, lat: null, lon: null, size_in: null };

/** Every cell that the endless history ever touches: its places come round after so many. */
export function endlessCells(): number[] {
  const cells = radarDrafts().flatMap(({ lat, lon }) =>
    lat === null || lon === null ? [] : [0, 1, 2, 3].map((step) => cellOf(lat + 0.05 * step, lon)),
  );
  return [...new Set(cells)];
}
