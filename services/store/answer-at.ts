import { pause } from '../runtime/clock.ts';
import type { Observation } from '../hail/observation.ts';
import { readChangesSince, type Changes } from './cell_changes/changes-since.ts';
import { readObservations } from './observations/query.ts';
import { coverAll, rangeTokenOf, tokenOf } from './data-position.ts';
import { tableName } from './projections.ts';
import type { Store } from './store.ts';

/**
 * How often and how long an answer waits for a batch that is writing into its cells. Both end it: where the store is slow, asking it twenty
 * times over is what keeps it slow.
 */
const wait_ms = 25;
const least_tries = 3;
const most_tries = 20;
const most_wait_ms = 500;

export interface AnswerQuestion {
  /** The serving version of the projection `observations`. */
  version: number;
  /** The topics whose facts are in the answer, in the order of the token. */
  topics: readonly string[];
  cells: readonly number[];
  from_ms: number;
  until_ms: number;
  /** The product that answers are made from. */
  mrms_product: string;
}

export interface PositionedAnswer {
  observations: Observation[];
  /** What the answer stands on: short and opaque to clients, the same for the same log and positions. */
  token: string;
}

/**
 * Reads the observations of some cells together with the log position they are the truth at. Positions, cells, then intents and positions
 * again: a batch that was under way meanwhile says in its intent which cells it touches. Touches none of ours: the answer is exact.
 * Touches them: wait briefly and read again; past that the token is a range, because rows of an open batch may or may not be in it.
 */
export async function readAtPosition(
  store: Store,
  question: AnswerQuestion,
  tries = most_tries,
): Promise<PositionedAnswer> {
  const { version, topics, cells } = question;
  const own = new Set(cells);
  const until_ms = performance.now() + most_wait_ms;
  for (let attempt = 1; ; attempt += 1) {
    const { position } = await readChangesSince(store, version, topics, null);
    const observations = await readObservations(store, {
      ...question,
      table: tableName('observations', version),
    });
    const changes = await readChangesSince(store, version, topics, position.offsets);
    const is_last = attempt >= tries || (attempt >= least_tries && performance.now() >= until_ms);
    const covered = !changes.is_cut && coverAll(changes.intents, position.offsets, changes.position.offsets);
    if (!covered && !is_last) continue;
    const touching =
      !covered || changes.intents.flat().some((each) => each.cells.some((cell) => own.has(cell)));
    if (!touching) return { observations, token: tokenOf(position) };
    if (is_last) return { observations, token: rangeTokenOf(position, reachOf(changes)) };
    await pause(wait_ms);
  }
}

/** How far the batches reach that may be in an answer. */
function reachOf({ position, intents }: Changes): number[][] {
  return position.offsets.map((offsets, at) =>
    offsets.map((offset, partition) =>
      (intents[at] ?? [])
        .filter((each) => each.partition === partition)
        .reduce((reach, { end_offset }) => Math.max(reach, end_offset), offset),
    ),
  );
}
