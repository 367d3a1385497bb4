import type { Clock } from '../runtime/clock.ts';
import { HailmarkError } from '../runtime/errors.ts';
import type { EventLog } from '../log/event-log.ts';
import { readPositions, writePositions, type Position } from '../store/positions.ts';
import type { Store } from '../store/store.ts';
import type { Projection } from './projection.ts';

interface ResumeDeps {
  log: EventLog;
  store: Store;
  clock: Clock;
}

/**
 * Makes sure that a projection's tables are of this log, all partitions at once and before anything is written: revisions are offsets, so
 * the messages of two logs in one table would replace one another at random. Tables without any position are claimed for this log by
 * positions 0, so that a batch that dies before its own position leaves a trace of whose rows these are.
 */
export async function claimTables({ log, store, clock }: ResumeDeps, projection: Projection): Promise<void> {
  const stored = await readPositions(store, projection.name, projection.version);
  const claimed: Position[] = [];
  for (const topic of projection.topics) {
    const ends = await log.endOffsets(topic);
    for (const [partition, end_offset] of ends.entries()) {
      const of = stored.filter((each) => each.topic === topic && each.partition === partition);
      if (of.some(({ log_id, next_offset }) => log_id !== log.id || next_offset > end_offset))
        throw otherLog(projection);
      if (of.length === 0) claimed.push({ topic, partition, log_id: log.id, next_offset: 0 });
    }
    // A partition that this log does not even have.
    if (stored.some((each) => each.topic === topic && each.partition >= ends.length))
      throw otherLog(projection);
  }
  await writePositions(store, projection.name, projection.version, claimed, clock());
}

/** Where a partition is gone on with: the store's own record, never the group's commit. The tables must have been claimed. */
export async function startOf(
  { log, store }: ResumeDeps,
  projection: Projection,
  topic: string,
  partition: number,
): Promise<number> {
  const stored = await readPositions(store, projection.name, projection.version);
  const own = stored.find((each) => each.topic === topic && each.partition === partition);
  if (own?.log_id !== log.id) throw otherLog(projection);
  return own.next_offset;
}

function otherLog({ name, version }: Projection): HailmarkError {
  return new HailmarkError(
    'HAIL_OTHER_LOG',
    `The tables of ${name}.v${version} were made from another log than the one at hand, or from more of it than there is now: bring back ` +
      `that log, or rebuild the views from this one (\`npm run rebuild -- ${name} --accept\` beside a projector that is started again; or, ` +
      'on one machine, stop the service, remove the folder clickhouse below the data folder, start again).',
  );
}
