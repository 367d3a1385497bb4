import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { max_append_messages } from '../../../services/log/event-log.ts';
import { makeTopic, numbered, readAll } from '../../contract/event-log.support.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memory-log.ts';

const message = { key: 'owned', value: Buffer.from('once') };
const made = (): MemoryLog => createMemoryLog({ clock: () => 0 });

// The contract's own suite starts processes, which a log in memory cannot reach; these are its promises that need none.
describe('the log in memory', () => {
  it('keeps the order of each key, in one partition, at dense offsets', async () => {
    const log = made().open();
    const { name } = await makeTopic(log);
    const told = await log.append(name, numbered(100, 7));
    const stored = await readAll(log, name, { page_messages: 9 });
    assert.equal(stored.length, 100);
    for (const [partition, end] of (await log.endOffsets(name)).entries()) {
      const own = stored.filter((each) => each.partition === partition);
      assert.deepEqual(
        own.map(({ offset }) => offset),
        [...Array(end).keys()],
      );
    }
    numbered(100, 7).forEach(({ value }, at) => {
      const found = stored.find((each) => each.value?.equals(value) === true);
      assert.deepEqual({ partition: found?.partition, offset: found?.offset }, told[at]);
    });
  });

  it('scans from and until given offsets, and no further than the end at the call', async () => {
    const log = made().open();
    const { name } = await makeTopic(log, { partitions: 1 });
    await log.append(name, numbered(50, 4));
    const pages = log.scan(name, { from: [45] });
    await log.append(name, numbered(5, 4));
    const seen: number[] = [];
    for await (const page of pages) seen.push(...page.map(({ offset }) => offset));
    assert.deepEqual(seen, [45, 46, 47, 48, 49]);
    assert.equal((await readAll(log, name, { from: [10], until: [30] })).length, 20);
  });

  it('follows what other handles append until it is told to stop', async () => {
    const memory = made();
    const log = memory.open();
    const { name } = await makeTopic(log);
    const stop = new AbortController();
    let seen = 0;
    const following = (async () => {
      for await (const page of log.scan(name, { follow: true, signal: stop.signal })) {
        seen += page.length;
        if (seen === 3) await memory.open().append(name, numbered(4, 3));
        if (seen === 7) stop.abort();
      }
    })();
    await log.append(name, numbered(3, 3));
    await following;
    assert.equal(seen, 7);
  });

  it('keeps the newest message of each key of a compacted topic, at its offset', async () => {
    const log = made().open();
    const { name } = await makeTopic(log, { compacted: true, partitions: 1 });
    await log.append(name, numbered(50, 5));
    assert.deepEqual(await log.endOffsets(name), [50]);
    const offsets = (await readAll(log, name, { from: [47] })).map(({ offset }) => offset);
    assert.deepEqual(offsets, [47, 48, 49]);
  });

  it('refuses an unknown topic, an append of too many messages and one that is too large', async () => {
    const log = made().open();
    const { name } = await makeTopic(log, { max_message_bytes: 100 });
    await assert.rejects(log.append('nowhere', [message]), (error) =>
      isHailmarkError(error, 'HAIL_UNKNOWN_TOPIC'),
    );
    await assert.rejects(log.append(name, numbered(max_append_messages + 1, 3)), RangeError);
    await assert.rejects(log.append(name, [message, { key: 'k', value: Buffer.alloc(100) }]), (error) =>
      isHailmarkError(error, 'HAIL_MESSAGE_TOO_LARGE'),
    );
    assert.equal((await readAll(log, name)).length, 0);
  });

  it("gives a resource to one at a time, frees a dead one's at once and refuses its late appends", async () => {
    const memory = made();
    const [dying, next] = [memory.open(), memory.open()];
    const { name } = await makeTopic(next);
    const lost = (error: unknown): boolean => isHailmarkError(error, 'HAIL_OWNERSHIP_LOST');
    const former = await dying.claim('feed/one');
    await assert.rejects(next.claim('feed/one'), (error) => isHailmarkError(error, 'HAIL_OWNED_ELSEWHERE'));
    await dying.append(name, [message], former);
    dying.die();
    const owner = await next.claim('feed/one');
    assert.ok(owner.epoch > former.epoch);
    await assert.rejects(dying.append(name, [message], former), lost);
    await next.append(name, [message], owner);
    await owner.release();
    await owner.release();
    await assert.rejects(next.append(name, [message], owner), lost);
    assert.ok((await dying.claim('feed/one')).epoch > owner.epoch);
  });
});
