import { isDeepStrictEqual } from 'node:util';
import { topics } from '../../../services/log/topics.ts';
import type { OracleRecord } from '../../support/oracle/records.ts';
import { createFold, type Changes, type Fold, type Positions } from './fold.ts';
import { expectedAnswer, type Asked } from './places.ts';

export interface Answer {
  asked: Asked;
  text: string;
  token: string;
}

export interface Verdict {
  exact: number;
  ranges: number;
  /** Different tokens. */
  tokens: number;
  /** Exact answers before which the hail near their place had changed since the answer before about that place. */
  changed: number;
  /** Range answers that more states of the log than this test tries could explain. */
  too_wide: number;
  /** Answers that are not the fold's, by their tokens. */
  wrong: { token: string; asked: Asked; text: string }[];
}

interface Placed {
  answer: Answer;
  from: Positions;
  to: Positions | null;
}

/** So many states of the log within one range are tried. */
const most_states = 20_000;

/**
 * Holds answers against the plain fold of the log at their tokens: an exact one must equal it; one whose token is a range must equal it at
 * some state in which each partition stands where a batch ends, within the range. `batch_ends` are those by partition, ascending.
 */
export function judge(
  answers: readonly Answer[],
  changes: Changes,
  batch_ends: readonly Positions[],
): Verdict {
  const fold = createFold(changes);
  const placed = answers.map((answer): Placed => ({ answer, ...readPositions(answer.token) }));
  placed.sort((a, b) => total(a.from) - total(b.from));
  requireChain(placed);
  const verdict: Verdict = { exact: 0, ranges: 0, tokens: 0, changed: 0, too_wide: 0, wrong: [] };
  const seen = new Map<number, number>();
  const made = new Map<string, unknown>();
  for (const { answer, from, to } of placed) {
    const { place } = answer.asked;
    fold.moveTo(from);
    const { property, ...answered } = (JSON.parse(answer.text) as { data: Record<string, unknown> }).data;
    if (property === undefined) throw new Error('an answer names no property');
    let is_right: boolean | null;
    if (to === null) {
      verdict.exact += 1;
      const version = fold.version(place);
      if (seen.get(place) !== version) verdict.changed += 1;
      seen.set(place, version);
      // Nothing is worked out twice: many ask the same of the same hail.
      const question = `${version} ${JSON.stringify(answer.asked)}`;
      if (!made.has(question)) made.set(question, expectedAnswer(answer.asked, fold.at(place)));
      is_right = isDeepStrictEqual(answered, made.get(question));
    } else {
      verdict.ranges += 1;
      is_right = isWithin(answered, answer.asked, fold, from, to, batch_ends);
      if (is_right === null) verdict.too_wide += 1;
    }
    if (is_right === false) verdict.wrong.push(answer);
  }
  verdict.tokens = new Set(answers.map(({ token }) => token)).size;
  return verdict;
}

/** Null where too many states lie within. */
function isWithin(
  answered: unknown,
  asked: Asked,
  fold: Fold,
  from: Positions,
  to: Positions,
  batch_ends: readonly Positions[],
): boolean | null {
  // Of two ends with nothing about the place between them one is enough.
  const choices = from.map((begin, stream) => {
    const touched = fold.touches(asked.place, stream, to[stream] ?? 0);
    const ends = [begin];
    for (const end of batch_ends[stream] ?? []) {
      const last = ends.at(-1) ?? begin;
      if (end <= last || end > (to[stream] ?? 0)) continue;
      if (touched.some((offset) => offset >= last && offset < end)) ends.push(end);
    }
    return ends;
  });
  if (choices.reduce((product, { length }) => product * length, 1) > most_states) return null;
  for (const state of statesOf(choices)) {
    const records: OracleRecord[] = fold.atLater(asked.place, state);
    if (isDeepStrictEqual(answered, expectedAnswer(asked, records))) return true;
  }
  return false;
}

function* statesOf(choices: readonly Positions[]): Generator<number[]> {
  const [first, ...rest] = choices;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const end of first) for (const others of statesOf(rest)) yield [end, ...others];
}

/** `v1.<log>.<positions>.<of grids>`, or the same with `~` and how far open batches reach, read as this test understands it. */
export function readPositions(token: string): { from: number[]; to: number[] | null } {
  const [, from, to] = /^v1\.[0-9a-f]{8}\.([0-9a-z.-]+)(?:~([0-9a-z.-]+))?$/.exec(token) ?? [];
  if (from === undefined) throw new Error(`${token} is no token`);
  return { from: positionsOf(from), to: to === undefined ? null : positionsOf(to) };
}

function positionsOf(text: string): number[] {
  const of_topics = text.split('.').map((topic) => topic.split('-').map((part) => parseInt(part, 36)));
  return [topics.observation, topics.grid].flatMap(({ partitions }, at) =>
    Array.from({ length: partitions }, (_, partition) => of_topics[at]?.[partition] ?? 0),
  );
}

/** One store saw the positions grow: of two answers none is ahead in one partition and behind in another. The fold only goes forward. */
function requireChain(placed: readonly Placed[]): void {
  for (const [at, { from, answer }] of placed.entries()) {
    const before = placed[at - 1]?.from ?? [];
    if (before.some((position, stream) => position > (from[stream] ?? 0)))
      throw new Error(`${answer.token} is ahead and behind at once`);
  }
}

function total(positions: Positions): number {
  return positions.reduce((sum, position) => sum + position, 0);
}
