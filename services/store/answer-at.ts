import { pause } from '../runtime/clock.ts';
import type { Observation } from '../hail/observation.ts';
import { readIntentsAfter, type Intent } from './cell_changes/intents.ts';
import { readObservations } from './observations/query.ts';
import { readPositions } from './positions.ts';
import { tableName } from './projections.ts';
import type { Store } from './store.ts';

/** How often and how long an answer waits for a batch that is writing into its cells. */
const wait_ms = 25;
const tries = 20;

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

interface Positions {
  log_id: string;
  /** Next offset by topic and partition, in the question's order of topics. */
  offsets: number[][];
}

/**
 * Reads the observations of some cells together with the log position they are the truth at. Positions, cells, then intents and positions
 * again: a batch that was under way meanwhile says in its intent which cells it touches. Touches none of ours: the answer is exact.
 * Touches them: wait briefly and read again; past that the token is a range, because rows of an open batch may or may not be in it.
 */
export async function readAtPosition(store: Store, question: AnswerQuestion): Promise<PositionedAnswer> {
  const own = new Set(question.cells);
  const intent_table = tableName('cell_changes', question.version);
  const read = (): Promise<Positions> => newestPositions(store, question.version, question.topics);
  for (let attempt = 1; ; attempt += 1) {
    const before = await read();
    const observations = await readObservations(store, {
      table: tableName('observations', question.version),
      cells: question.cells,
      from_ms: question.from_ms,
      until_ms: question.until_ms,
      mrms_product: question.mrms_product,
    });
    const intents = await intentsBeyond(store, intent_table, question.topics, before);
    const after = await read();
    const covered = after.offsets.every((ends, at) =>
      coverAll(intents[at] ?? [], before.offsets[at] ?? [], ends),
    );
    if (!covered && attempt < tries) continue;
    const touching = !covered || intents.flat().some(({ cells }) => cells.some((cell) => own.has(cell)));
    if (!touching) return { observations, token: token(before.log_id, before.offsets) };
    if (attempt >= tries) {
      const reach = after.offsets.map((offsets, at) =>
        offsets.map((offset, partition) =>
          Math.max(
            offset,
            ...(intents[at] ?? [])
              .filter((each) => each.partition === partition)
              .map(({ end_offset }) => end_offset),
          ),
        ),
      );
      return { observations, token: `${token(before.log_id, before.offsets)}~${positionsText(reach)}` };
    }
    await pause(wait_ms);
  }
}

async function newestPositions(store: Store, version: number, topics: readonly string[]): Promise<Positions> {
  const offsets = new Map(topics.map((topic) => [topic, new Map<number, number>()]));
  let log_id = '';
  for (const position of await readPositions(store, 'observations', version)) {
    const of = offsets.get(position.topic);
    if (of === undefined) continue;
    of.set(position.partition, Math.max(of.get(position.partition) ?? 0, position.next_offset));
    log_id = position.log_id;
  }
  const listed = [...offsets.values()].map((of) =>
    Array.from({ length: Math.max(-1, ...of.keys()) + 1 }, (_, partition) => of.get(partition) ?? 0),
  );
  return { log_id, offsets: listed };
}

function intentsBeyond(
  store: Store,
  table: string,
  topics: readonly string[],
  { offsets }: Positions,
): Promise<Intent[][]> {
  return Promise.all(topics.map((topic, at) => readIntentsAfter(store, table, topic, offsets[at] ?? [])));
}

/** True when the intents that were read reach every offset between the two readings of the positions. */
function coverAll(intents: readonly Intent[], before: readonly number[], after: readonly number[]): boolean {
  return after.every((end, partition) => {
    let reached = before[partition] ?? 0;
    for (const intent of intents) {
      if (intent.partition === partition && intent.first_offset <= reached)
        reached = Math.max(reached, intent.end_offset);
    }
    return reached >= end;
  });
}

function token(log_id: string, offsets: Positions['offsets']): string {
  return `v1.${log_id.slice(0, 8) || 'none'}.${positionsText(offsets)}`;
}

function positionsText(offsets: Positions['offsets']): string {
  return offsets.map((of) => of.map((offset) => offset.toString(36)).join('-') || '0').join('.');
}
