import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { consumeGroup, type GroupSeat, type PartitionSource } from '../../../services/log/consume.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';

const away = new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log file is held by another program (NOT REAL).');
const holding = { topic: 'hail.observation.v1', partition: 0, generation: 1 };

/** A seat that holds one partition, and a source that has one batch of nothing in it. */
function parts(commits: (() => Promise<boolean>)[]): {
  seat: GroupSeat;
  source: PartitionSource;
  committed: number[];
} {
  const committed: number[] = [];
  return {
    committed,
    seat: {
      enter: () => Promise.resolve(),
      beat: () => Promise.resolve(),
      unsettled: () => false,
      awaiting: () => false,
      settle: () => Promise.resolve([holding]),
      holds: () => true,
      commit: async (_, next_offset) => {
        const answer = (await commits.shift()?.()) ?? true;
        committed.push(next_offset);
        return answer;
      },
      leave: () => Promise.resolve(),
    },
    source: {
      read: ({ next }) =>
        Promise.resolve(next === 0 ? { messages: [], end_offset: 7, high_watermark: 7 } : null),
      lookout: () => (_places, _limit_ms, signal) => pause(60_000, signal),
    },
  };
}

describe('a member of a group', () => {
  it('waits with a batch that is done while the log takes no commit, and neither ends nor does it again', async () => {
    const refuse = (): Promise<boolean> => Promise.reject(away);
    const { committed, ...of } = parts([refuse, refuse]);
    const told: unknown[] = [];
    const batches: number[] = [];
    const turned = Promise.withResolvers<undefined>();
    const member = await consumeGroup(
      of,
      {
        ...{ group: 'test', topics: [holding.topic], batch_messages: 10 },
        startAt: () => Promise.resolve(0),
        onBatch: ({ end_offset }) => {
          batches.push(end_offset);
          return Promise.resolve();
        },
        onAway: (error) => told.push(error),
        onTurn: () => turned.resolve(undefined),
      },
      new AbortController().signal,
    );
    await Promise.race([turned.promise, member.done]);
    assert.deepEqual(told, [away, away]);
    assert.deepEqual(batches, [7]);
    assert.deepEqual(committed, [7]);
    await member.leave();
    await member.done;
  });

  it('ends on a commit that no waiting mends', async () => {
    const broken = new Error('the commit is a mistake of ours (NOT REAL)');
    const member = await consumeGroup(
      parts([() => Promise.reject(broken)]),
      {
        ...{ group: 'test', topics: [holding.topic], batch_messages: 10 },
        startAt: () => Promise.resolve(0),
        onBatch: () => Promise.resolve(),
      },
      new AbortController().signal,
    );
    await assert.rejects(member.done, broken);
  });
});
