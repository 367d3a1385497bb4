import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { max_append_messages } from '../../services/log/event-log.ts';
import { startLogProcess } from './event-log.process.ts';
import { eventually, makeTopic, numbered, readAll, sum, type LogTwin } from './event-log.support.ts';

/** What the contract says of appending, keeping and reading. */
export function messageContract(twin: () => LogTwin): void {
  it('keeps the order of each key, in one partition, at dense offsets', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log);
    const first = await log.append(name, numbered(700, 11));
    const second = await log.append(name, numbered(300, 11, 700));
    const stored = await readAll(log, name);
    assert.equal(stored.length, 1_000);
    const ends = await log.endOffsets(name);
    ends.forEach((end, partition) => {
      const offsets = stored.filter((each) => each.partition === partition).map(({ offset }) => offset);
      assert.deepEqual(offsets, [...Array(end).keys()]);
    });
    for (let key = 0; key < 11; key += 1) {
      const own = stored.filter((each) => each.key === `key-${key}`);
      assert.equal(new Set(own.map(({ partition }) => partition)).size, 1);
      const numbers = own.map(({ value }) => Number(String(value).split('/')[1]));
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
    }
    const told = [...first, ...second];
    numbered(1_000, 11).forEach(({ value }, index) => {
      const at = stored.find((each) => each.value?.equals(value) === true);
      assert.deepEqual({ partition: at?.partition, offset: at?.offset }, told[index]);
    });
  });

  it('keeps appends in the order of their calls, awaited or not', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        log.append(name, [{ key: 'one', value: Buffer.from(`${index}`) }]),
      ),
    );
    const values = (await readAll(log, name)).map(({ value }) => Number(String(value)));
    assert.deepEqual(values, [...Array(40).keys()]);
  });

  it('gives back bytes, keys, headers and tombstones as they were', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log, { partitions: 1 });
    const every_byte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const headers = { 'dlq.reason': 'short', accent: 'é' };
    const sent = [
      { key: 'NOAA_SED/679888', value: every_byte, headers },
      { key: 'København/☂/𝒽', value: Buffer.alloc(0) },
      { key: '', value: Buffer.from('an empty key') },
      { key: 'NOAA_SED/679888', value: null },
    ];
    const before = Date.now();
    await log.append(name, sent);
    const stored = await readAll(log, name);
    assert.deepEqual(
      stored.map(({ key, value }) => ({ key, value })),
      sent.map(({ key, value }) => ({ key, value })),
    );
    assert.deepEqual(
      stored.map((each) => each.headers),
      [headers, {}, {}, {}],
    );
    for (const { topic, appended_at } of stored) {
      assert.equal(topic, name);
      assert.ok(appended_at >= before - 1_000 && appended_at <= Date.now() + 1_000);
    }
  });

  it('carries a large message and refuses one over the limit before anything is written', async () => {
    const { log } = twin();
    const limit = 9 * 1024 * 1024;
    const { name } = await makeTopic(log, { max_message_bytes: limit });
    const large = Buffer.alloc(limit - 1, 0xa5);
    await log.append(name, [{ key: 'k', value: large }]);
    const too_large = [
      { key: 'k', value: Buffer.from('small') },
      { key: 'k', value: Buffer.alloc(limit) },
    ];
    await assert.rejects(log.append(name, too_large), (error) =>
      isHailmarkError(error, 'HAIL_MESSAGE_TOO_LARGE'),
    );
    const stored = await readAll(log, name);
    assert.equal(stored.length, 1);
    assert.ok(stored[0]?.value?.equals(large));
  });

  it('refuses an unknown topic and an append of too many messages', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log);
    const one = [{ key: 'k', value: null }];
    await assert.rejects(log.append('contract.nowhere', one), (error) =>
      isHailmarkError(error, 'HAIL_UNKNOWN_TOPIC'),
    );
    await assert.rejects(log.endOffsets('contract.nowhere'), (error) =>
      isHailmarkError(error, 'HAIL_UNKNOWN_TOPIC'),
    );
    await assert.rejects(log.append(name, numbered(max_append_messages + 1, 3)), RangeError);
    assert.equal((await log.append(name, numbered(max_append_messages, 3))).length, max_append_messages);
    assert.equal((await log.append(name, [])).length, 0);
    assert.equal(sum(await log.endOffsets(name)), max_append_messages);
  });

  it('leaves a topic that exists as it is', async () => {
    const { log } = twin();
    const spec = await makeTopic(log, { partitions: 2 });
    await log.append(spec.name, numbered(10, 5));
    await log.ensureTopics([{ ...spec, partitions: 5 }]);
    assert.equal((await log.endOffsets(spec.name)).length, 2);
    assert.equal((await readAll(log, spec.name)).length, 10);
  });

  it('scans in bounded pages, from and until given offsets, and no further than the end at the call', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log, { partitions: 1 });
    await log.append(name, numbered(100, 4));
    const sizes: number[] = [];
    const pages = log.scan(name, { from: [10], until: [75], page_messages: 30 });
    await log.append(name, numbered(5, 4));
    let expected = 10;
    for await (const page of pages) {
      sizes.push(page.length);
      for (const { offset } of page) assert.equal(offset, expected++);
    }
    assert.deepEqual(sizes, [30, 30, 5]);
    const until_now = log.scan(name, { from: [100] });
    await log.append(name, numbered(7, 4));
    const seen: number[] = [];
    for await (const page of until_now) seen.push(...page.map(({ offset }) => offset));
    assert.deepEqual(seen, [100, 101, 102, 103, 104]);
    assert.deepEqual(await readAll(log, name, { from: [112] }), []);
  });

  it('follows what other handles append until it is told to stop', async () => {
    const { log, open } = twin();
    const { name } = await makeTopic(log);
    const other = await open();
    const stop = new AbortController();
    const seen: string[] = [];
    await log.append(name, numbered(3, 3));
    const following = (async () => {
      for await (const page of log.scan(name, { follow: true, signal: stop.signal })) {
        seen.push(...page.map(({ value }) => String(value)));
      }
    })();
    await eventually('what was there is read', () => seen.length === 3);
    await other.append(name, numbered(4, 3, 3));
    await eventually('what the other handle appended is read', () => seen.length === 7);
    await log.append(name, numbered(2, 3, 7));
    await eventually('what this handle appended is read', () => seen.length === 9);
    stop.abort();
    await following;
    assert.equal(new Set(seen).size, 9);
    await other.close();
  });

  it('keeps at least the newest message of each key of a compacted topic, and its offsets', async () => {
    const { log } = twin();
    const { name } = await makeTopic(log, { compacted: true, partitions: 1 });
    await log.append(name, numbered(50, 5));
    await log.append(name, [{ key: 'key-2', value: null }]);
    assert.deepEqual(await log.endOffsets(name), [51]);
    const newest = new Map(
      (await readAll(log, name)).map(({ key, value, offset }) => [key, { value, offset }]),
    );
    assert.deepEqual(newest.get('key-2'), { value: null, offset: 50 });
    for (const key of [0, 1, 3, 4]) {
      assert.deepEqual(newest.get(`key-${key}`), {
        value: Buffer.from(`key-${key}/${45 + key}`),
        offset: 45 + key,
      });
    }
    const late = await readAll(log, name, { from: [47], page_messages: 2 });
    assert.ok(late.every(({ offset }) => offset >= 47));
    assert.deepEqual(
      late.slice(-3).map(({ offset }) => offset),
      [48, 49, 50],
    );
  });

  it('has every acknowledged append after its writer was killed', async () => {
    const child_twin = twin();
    const { name } = await makeTopic(child_twin.log);
    const child = startLogProcess(child_twin, { task: 'append-until-killed', topic: name, prefix: 'killed' });
    const acknowledged = (): number =>
      child.words.reduce((most, word) => (word.said === 'appended' ? Math.max(most, word.count) : most), 0);
    await eventually('the child has appended for a while', () => acknowledged() >= 200);
    await child.kill9();
    const stored = new Set((await readAll(child_twin.log, name)).map(({ value }) => String(value)));
    for (let number = 0; number < acknowledged(); number += 1) assert.ok(stored.has(`killed/${number}`));
    assert.equal(stored.size % 10, 0, 'an append is there as a whole or not at all');
    assert.equal((await child_twin.log.append(name, numbered(1, 1))).length, 1);
  });

  it('loses nothing of writers in several processes', async () => {
    const several = twin();
    const { name } = await makeTopic(several.log);
    const count = 3_000;
    const children = ['a', 'b'].map((prefix) =>
      startLogProcess(several, { task: 'append', topic: name, prefix, count, batch: 100 }),
    );
    for (let from = 0; from < count; from += 100) await several.log.append(name, numbered(100, 7, from));
    await Promise.all(children.map((child) => child.said('done')));
    const stored = await readAll(several.log, name);
    assert.equal(stored.length, 3 * count);
    assert.equal(new Set(stored.map(({ value }) => String(value))).size, 3 * count);
    assert.equal(sum(await several.log.endOffsets(name)), 3 * count);
  });

  it('has one id for all who open it', async () => {
    const { log, open } = twin();
    const other = await open();
    assert.equal(other.id, log.id);
    assert.ok(log.id.length > 0);
    await other.close();
  });
}
