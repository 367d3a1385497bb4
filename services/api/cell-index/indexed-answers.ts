import { cellOf } from '../../hail/geo/geohash.ts';
import type { Observation } from '../../hail/observation.ts';
import type { AnswerQuestion, PositionedAnswer } from '../../store/answer-at.ts';
import type { Changes } from '../../store/cell_changes/changes-since.ts';
import { coverAll, tokenOf, type DataPosition } from '../../store/data-position.ts';
import type { CellIndex } from './cell-index.ts';
import { unpackCell } from './packed-cell.ts';

/** What an answer asks the store for. */
export interface CellViews {
  changesSince: (version: number, since: DataPosition['offsets'] | null) => Promise<Changes>;
  /** All observations of some cells, of all time. */
  observationsIn: (version: number, cells: readonly number[]) => Promise<Observation[]>;
  /** One reading of all cells in one statement, exact or a range, whatever the index holds. */
  pastIndex: (question: AnswerQuestion) => Promise<PositionedAnswer>;
}

export interface IndexedAnswers {
  read: (views: CellViews, question: AnswerQuestion) => Promise<PositionedAnswer>;
}

/** How often and how long an answer waits for a batch that is writing into cells that it has to read. */
const wait_ms = 25;
const least_tries = 3;
const most_tries = 20;
const most_wait_ms = 500;

/**
 * The observations of some cells at a position: cells that are held from memory, the others from the store and then held. Every answer asks
 * where the store stands before anything else, so none is older than what anybody could have known when it was asked for, and none is
 * given while the store is away. Held cells are exact at that position, also while a batch writes into them; cells that are read are exact
 * where no batch that has gone on beyond it touches them.
 */
export function createIndexedAnswers(deps: {
  index: CellIndex;
  /** Milliseconds that only go forward. */
  now_ms: () => number;
  pause: (span_ms: number) => Promise<void>;
  /** Told once of each answer how many of its cells were held and how many had to be read. */
  onLook?: (held: number, missing: number) => void;
}): IndexedAnswers {
  const { index, now_ms, pause, onLook } = deps;
  return {
    read: async (views, question) => {
      const { version } = question;
      const until_ms = now_ms() + most_wait_ms;
      for (let attempt = 1; attempt <= most_tries; attempt += 1) {
        await follow(index, views, version);
        const position = index.position(version);
        // Another answer, of the version before or after a switch, came in between.
        if (position === null) continue;
        const { observations, missing } = heldOf(index, question);
        if (attempt === 1) onLook?.(question.cells.length - missing.length, missing.length);
        if (missing.length === 0) return { observations, token: tokenOf(position) };

        const expected = index.expect(missing);
        try {
          const read = await views.observationsIn(version, missing);
          const changes = await views.changesSince(version, position.offsets);
          const { touched, is_exact, is_open } = judge(position, changes, missing);
          if (touched !== null) index.enter(expected, touched, byCell(read));
          if (is_exact) {
            for (const each of read) if (isWithin(each, question)) observations.push(each);
            return { observations, token: tokenOf(position) };
          }
          if (attempt >= least_tries && now_ms() >= until_ms) break;
          if (is_open) await pause(wait_ms);
        } finally {
          index.forget(expected);
        }
      }
      return views.pastIndex(question);
    },
  };
}

function heldOf(
  index: CellIndex,
  question: AnswerQuestion,
): { observations: Observation[]; missing: number[] } {
  const observations: Observation[] = [];
  const missing: number[] = [];
  for (const cell of question.cells) {
    const packed = index.get(cell);
    if (packed === undefined) missing.push(cell);
    else for (const each of unpackCell(packed, question)) observations.push(each);
  }
  return { observations, missing };
}

/** So often the two tables of one statement may be read in the wrong order before what is held is given up. */
const most_uncovered = 3;

async function follow(index: CellIndex, views: CellViews, version: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const since = index.position(version)?.offsets ?? null;
    const changes = await views.changesSince(version, since);
    if (index.follow(version, since, changes)) return;
    if (changes.is_cut || attempt >= most_uncovered) {
      index.skipTo(version, changes.position);
      return;
    }
  }
}

interface Judged {
  /** Cells that batches beyond the position may have changed; null where nobody knows. */
  touched: ReadonlySet<number> | null;
  /** True where what was read is true at the position. */
  is_exact: boolean;
  /** True where a batch that touches what was read is still under way. */
  is_open: boolean;
}

/** Whether cells that were read are what they were at a position, by what has happened from there until after they were read. */
function judge(
  before: DataPosition,
  { position, intents, is_cut }: Changes,
  read: readonly number[],
): Judged {
  const known =
    !is_cut && position.log_id === before.log_id && coverAll(intents, before.offsets, position.offsets);
  if (!known) return { touched: null, is_exact: false, is_open: false };
  const own = new Set(read);
  const touching = intents.flatMap((of, topic) =>
    of
      .filter(({ cells }) => cells.some((cell) => own.has(cell)))
      .map((intent) => ({ ...intent, at: position.offsets[topic]?.[intent.partition] ?? 0 })),
  );
  return {
    touched: new Set(touching.flatMap(({ cells }) => cells)),
    is_exact: touching.length === 0,
    is_open: touching.some(({ end_offset, at }) => end_offset > at),
  };
}

function byCell(observations: readonly Observation[]): Map<number, Observation[]> {
  const cells = new Map<number, Observation[]>();
  for (const each of observations) {
    const cell = cellOf(each.lat, each.lon);
    const own = cells.get(cell);
    if (own === undefined) cells.set(cell, [each]);
    else own.push(each);
  }
  return cells;
}

function isWithin({ began_ms }: Observation, { from_ms, until_ms }: AnswerQuestion): boolean {
  return began_ms >= from_ms && began_ms < until_ms;
}
