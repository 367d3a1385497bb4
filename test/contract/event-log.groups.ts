import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { HailmarkError } from '../../services/runtime/errors.ts';
import type { EventLog, GroupMember, GroupOptions, MessageBatch } from '../../services/log/event-log.ts';
import { startLogProcess } from './event-log.process.ts';
import { eventually, makeTopic, numbered, sum, type LogTwin } from './event-log.support.ts';

interface Consumer {
  member: GroupMember;
  batches: MessageBatch[];
  values: () => string[];
  partitions: () => Set<number>;
}

/** Joins, resuming from the group's commit, and remembers what came. */
async function consume(
  log: EventLog,
  group: string,
  topic: string,
  changes: Partial<GroupOptions> = {},
): Promise<Consumer> {
  const batches: MessageBatch[] = [];
  const { onBatch, ...rest } = changes;
  const member = await log.join({
    group,
    topics: [topic],
    batch_messages: 10,
    startAt: async (_, partition) => (await log.committed(group, topic))[partition] ?? 0,
    onBatch: async (batch) => {
      await onBatch?.(batch);
      batches.push(batch);
    },
    ...rest,
  });
  return {
    member,
    batches,
    values: () => batches.flatMap(({ messages }) => messages.map(({ value }) => String(value))),
    partitions: () => new Set(batches.map(({ partition }) => partition)),
  };
}

/** What the contract says of groups: sharing, handing over, redelivering, committing. */
export function groupContract(twin: () => LogTwin): void {
  it('hands a lone member everything, in order, in bounded batches, and shows no lag at the end', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log);
    const group = randomUUID();
    await log.append(name, numbered(100, 9));
    assert.deepEqual(await log.committed(group, name), [null, null, null]);
    const { member, batches } = await consume(log, group, name);
    await eventually('all is committed', async () => sum(await log.committed(group, name)) === 100);
    await log.append(name, numbered(20, 9, 100));
    await eventually(
      'what came later is committed',
      async () => sum(await log.committed(group, name)) === 120,
    );
    await member.leave();
    await member.done;
    assert.deepEqual(await log.committed(group, name), await log.endOffsets(name));
    const next = [0, 0, 0];
    for (const { partition, messages, first_offset, end_offset, high_watermark } of batches) {
      assert.equal(first_offset, next[partition]);
      assert.equal(end_offset, first_offset + messages.length);
      assert.ok(messages.length >= 1 && messages.length <= 10);
      assert.ok(high_watermark >= end_offset);
      next[partition] = end_offset;
    }
    assert.deepEqual(next, await log.endOffsets(name));
  });

  it('does not give again what was committed, and starts where the consumer says', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log, { partitions: 1 });
    const group = randomUUID();
    await log.append(name, numbered(30, 3));
    const first = await consume(log, group, name);
    await eventually('all is committed', async () => sum(await log.committed(group, name)) === 30);
    await first.member.leave();
    await log.append(name, numbered(5, 3, 30));
    const second = await consume(log, group, name);
    await eventually('the rest comes', () => second.values().length === 5);
    await second.member.leave();
    assert.equal(second.batches[0]?.first_offset, 30);
    const asked: [string, number][] = [];
    const startAt = (topic: string, partition: number): Promise<number> => {
      asked.push([topic, partition]);
      return Promise.resolve(12);
    };
    const third = await consume(log, group, name, { startAt });
    await eventually('all from there comes', () => third.values().length === 23);
    await third.member.leave();
    assert.equal(third.batches[0]?.first_offset, 12);
    assert.deepEqual(asked, [[name, 0]]);
  });

  it('shares partitions among members and never has two of them in one partition', async () => {
    const { log, open } = twin();
    const { name } = await makeTopic(log, { partitions: 4 });
    const group = randomUUID();
    const other = await open();
    const busy = new Map<number, number>();
    let most_at_once = 0;
    const onBatch = async ({ partition }: MessageBatch): Promise<void> => {
      busy.set(partition, (busy.get(partition) ?? 0) + 1);
      most_at_once = Math.max(most_at_once, ...busy.values());
      await new Promise((resolve) => setImmediate(resolve));
      busy.set(partition, (busy.get(partition) ?? 0) - 1);
    };
    let appended = 0;
    const appendSome = async (): Promise<void> => {
      await log.append(name, numbered(40, 40, appended));
      appended += 40;
    };
    const asked: number[] = [];
    const startAt = async (_: string, partition: number): Promise<number> => {
      asked.push(partition);
      return (await log.committed(group, name))[partition] ?? 0;
    };
    const first = await consume(log, group, name, { onBatch, startAt });
    await appendSome();
    await eventually('the first has all partitions', () => first.partitions().size === 4);
    const second = await consume(other, group, name, { onBatch });
    await eventually('the second has its share', async () => {
      await appendSome();
      return second.partitions().size === 2;
    });
    await eventually('all is committed', async () => sum(await log.committed(group, name)) === appended);
    const shared_from = first.batches.length;
    await appendSome();
    await eventually(
      'all is committed again',
      async () => sum(await log.committed(group, name)) === appended,
    );
    const firsts = new Set(first.batches.slice(shared_from).map(({ partition }) => partition));
    assert.equal(firsts.size, 2);
    assert.ok([...firsts].every((partition) => !second.partitions().has(partition)));
    await second.member.leave();
    await appendSome();
    await eventually(
      'the first takes all over',
      async () => sum(await log.committed(group, name)) === appended,
    );
    await first.member.leave();
    await other.close();
    const handed_over = [...second.partitions()].sort();
    assert.deepEqual(asked.slice(0, 4).sort(), [0, 1, 2, 3]);
    assert.deepEqual(
      asked.slice(4).sort(),
      handed_over,
      'what comes back is asked for anew, what stayed is not',
    );
    const values = [...first.values(), ...second.values()];
    assert.equal(values.length, appended, 'living members hand over without giving anything twice');
    assert.equal(new Set(values).size, appended);
    assert.equal(most_at_once, 1);
  });

  it('hands a partition over only when the batch in flight is done', async () => {
    const { log, open } = twin();
    const { name } = await makeTopic(log, { partitions: 2 });
    const group = randomUUID();
    const other = await open();
    await log.append(name, numbered(40, 20));
    const ends = await log.endOffsets(name);
    let let_go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (let_go = resolve));
    let in_hand: MessageBatch | undefined;
    const first = await consume(log, group, name, {
      batch_messages: 100,
      onBatch: async (batch) => {
        in_hand ??= batch;
        await held;
        assert.equal(batch.isStale(), false, 'it is still ours while it is in hand');
      },
    });
    await eventually('the first has a batch in hand', () => in_hand !== undefined);
    const second = await consume(other, group, name);
    let_go();
    await eventually('all is committed', async () => sum(await log.committed(group, name)) === sum(ends));
    assert.equal(first.values().length + second.values().length, sum(ends));
    assert.ok(in_hand !== undefined && first.partitions().has(in_hand.partition));
    await Promise.all([first.member.leave(), second.member.leave()]);
    await other.close();
  });

  it('gives a batch again that was not committed when its member was killed', async () => {
    const killed = twin();
    const { name } = await makeTopic(killed.log, { partitions: 1 });
    const group = randomUUID();
    await killed.log.append(name, numbered(25, 5));
    const child = startLogProcess(killed, { task: 'consume', topic: name, group, hold: true });
    await child.said('batch');
    child.goOn();
    await eventually(
      'a second batch is in hand',
      () => child.words.filter(({ said }) => said === 'batch').length === 2,
    );
    await child.kill9();
    assert.deepEqual(await killed.log.committed(group, name), [10]);
    const next = await consume(killed.log, group, name);
    await eventually('the rest is done', async () => sum(await killed.log.committed(group, name)) === 25);
    await next.member.leave();
    assert.equal(next.batches[0]?.first_offset, 10);
    assert.equal(next.values().length, 15);
  });

  it('lets several members of one process wait for a killed one side by side', async () => {
    const killed = twin();
    const { name } = await makeTopic(killed.log, { partitions: 2 });
    await killed.log.append(name, numbered(40, 20));
    const groups = [randomUUID(), randomUUID()];
    const children = groups.map((group) =>
      startLogProcess(killed, { task: 'consume', topic: name, group, hold: true }),
    );
    await Promise.all(children.map((child) => child.said('batch')));
    await Promise.all(children.map((child) => child.kill9()));
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 1);
    const consumers = await Promise.all(groups.map((group) => consume(killed.log, group, name)));
    for (const group of groups) {
      await eventually('all is done', async () => sum(await killed.log.committed(group, name)) === 40);
    }
    clearInterval(turning);
    assert.ok(turns > 0, 'waiting leaves the event loop to others');
    await Promise.all(consumers.map(({ member }) => member.leave()));
  });

  it('waits for a start that cannot be read yet, and stops a member whose start is an error', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log, { partitions: 1 });
    await log.append(name, numbered(5, 5));
    const away = new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The record of what is done is away (NOT REAL).');
    const starts = [() => Promise.reject(away), () => Promise.reject(away), () => Promise.resolve(2)];
    const told: unknown[] = [];
    const { member, values } = await consume(log, randomUUID(), name, {
      startAt: () => starts.shift()?.() ?? Promise.resolve(0),
      onAway: (error) => told.push(error),
    });
    await eventually('it begins where the record says at last', () => values().length === 3);
    await member.leave();
    await member.done;
    // The log itself may be away for a moment as well.
    assert.equal(told.filter((error) => error === away).length, 2);
    const broken = new Error('the record of what is done is damaged (NOT REAL)');
    const next = await consume(log, randomUUID(), name, { startAt: () => Promise.reject(broken) });
    await assert.rejects(next.member.done, broken);
  });

  it('tells each time a member has gone round, after its batches and also where nothing comes', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log, { partitions: 1 });
    await log.append(name, numbered(5, 5));
    const handled: number[] = [];
    const turns: number[] = [];
    const { member, values } = await consume(log, randomUUID(), name, {
      onBatch: ({ messages }) => {
        handled.push(messages.length);
        return Promise.resolve();
      },
      onTurn: () => turns.push(handled.length),
    });
    await eventually('all is handled', () => values().length === 5);
    const until_now = turns.length;
    await eventually('it goes round twice more without news', () => turns.length >= until_now + 2);
    assert.equal(turns.at(-1), handled.length);
    await member.leave();
  });

  it('stops a member whose batch fails, with its error and without the commit', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log, { partitions: 1 });
    const group = randomUUID();
    await log.append(name, numbered(25, 5));
    const failure = new Error('the second batch cannot be stored');
    const { member, batches } = await consume(log, group, name, {
      onBatch: ({ first_offset }) => (first_offset === 10 ? Promise.reject(failure) : Promise.resolve()),
    });
    await assert.rejects(member.done, failure);
    assert.equal(batches.length, 1);
    assert.deepEqual(await log.committed(group, name), [10]);
    const next = await consume(log, group, name);
    await eventually('another member goes on', async () => sum(await log.committed(group, name)) === 25);
    await next.member.leave();
  });

  it('finishes the batch in hand when it is told to leave', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log, { partitions: 1 });
    const group = randomUUID();
    await log.append(name, numbered(25, 5));
    const stop = new AbortController();
    const { member, batches } = await consume(log, group, name, {
      signal: stop.signal,
      onBatch: async (batch) => {
        stop.abort();
        await Promise.resolve();
        assert.equal(batch.isStale(), false);
      },
    });
    await member.done;
    assert.equal(batches.length, 1);
    assert.deepEqual(await log.committed(group, name), [10]);
  });

  it("takes a stalled member's partition, and the stalled one learns that it lost it", async () => {
    const stalled = twin();
    const { name } = await makeTopic(stalled.log, { partitions: 1 });
    const group = randomUUID();
    await stalled.log.append(name, numbered(10, 5));
    const child = startLogProcess(stalled, { task: 'consume', topic: name, group, hold: true });
    await child.said('batch');
    const next = await consume(stalled.log, group, name);
    child.signal('SIGSTOP');
    await eventually('the other takes over', () => next.values().length === 10);
    await stalled.log.append(name, numbered(10, 5, 10));
    await eventually('and goes on', async () => sum(await stalled.log.committed(group, name)) === 20);
    child.goOn();
    child.signal('SIGCONT');
    assert.equal((await child.said('released')).stale, true);
    child.signal('SIGTERM');
    await child.said('done');
    assert.deepEqual(await stalled.log.committed(group, name), [20], 'the late batch moved nothing back');
    await stalled.log.append(name, numbered(5, 5, 20));
    await eventually('it goes on alone', async () => sum(await stalled.log.committed(group, name)) === 25);
    await next.member.leave();
    assert.deepEqual(
      next.batches.map(({ first_offset }) => first_offset),
      [0, 10, 20],
    );
  });
}
