import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createSqliteLog } from '../../../../services/log/sqlite/sqlite-log.ts';
import { isHailmarkError } from '../../../../services/runtime/errors.ts';

const topic = {
  name: 'hail.test.v1',
  partitions: 1,
  compacted: false,
  retention_ms: null,
  max_message_bytes: 9 * 1024 * 1024,
};

describe('the log file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hailmark-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps its id and its messages over a restart, and a new one has another id', async () => {
    const first = await createSqliteLog({ folder, clock: () => 1_489_285_560_000 });
    await first.ensureTopics([topic]);
    await first.append(topic.name, [{ key: 'k', value: Buffer.from('v') }]);
    await first.close();
    const again = await createSqliteLog({ folder });
    assert.equal(again.id, first.id);
    for await (const page of again.scan(topic.name)) {
      assert.deepEqual(
        page.map(({ offset, appended_at }) => ({ offset, appended_at })),
        [{ offset: 0, appended_at: 1_489_285_560_000 }],
      );
    }
    assert.deepEqual(await again.endOffsets(topic.name), [1]);
    await again.close();
    const other = await createSqliteLog({ folder: join(folder, 'other') });
    assert.notEqual(other.id, first.id);
    await other.close();
  });

  it('is refused with a sentence when another version laid it out', async () => {
    const file = new DatabaseSync(join(folder, 'log.sqlite'));
    file.exec(
      'CREATE TABLE messages (topic TEXT, partition INTEGER, offset INTEGER); PRAGMA user_version = 99',
    );
    file.close();
    await assert.rejects(createSqliteLog({ folder }), (error: Error) => {
      return isHailmarkError(error, 'HAIL_DATA_DIR') && error.message.includes('layout 99');
    });
  });

  it('is refused with a sentence when it is no log', async () => {
    writeFileSync(
      join(folder, 'log.sqlite'),
      'hail fell here, and this is not a database at all'.repeat(100),
    );
    await assert.rejects(createSqliteLog({ folder }), (error: Error) => {
      return isHailmarkError(error, 'HAIL_DATA_DIR') && error.message.includes('restore it');
    });
  });

  it('ends a page after 16 MiB of values, so that a page of large messages is not all of them', async () => {
    const log = await createSqliteLog({ folder });
    await log.ensureTopics([topic]);
    const value = Buffer.alloc(8 * 1024 * 1024, 1);
    for (let count = 0; count < 5; count += 1) await log.append(topic.name, [{ key: 'k', value }]);
    const sizes: number[] = [];
    for await (const page of log.scan(topic.name)) sizes.push(page.length);
    assert.deepEqual(sizes, [2, 2, 1]);
    await log.close();
  });

  it('gives back values of any length side by side, around the one from which they are read row by row', async () => {
    const log = await createSqliteLog({ folder });
    await log.ensureTopics([topic]);
    const lengths = [0, 1, 4_096, null, 4_097, 300_000];
    // Short ones alone make a piece that is read as one; so does each length beside short ones, or not.
    for (const most of [1, 3, 4, 5, 6]) {
      const sent = lengths.slice(0, most).map((length, at) => ({
        key: `k${at}`,
        value: length === null ? null : Buffer.alloc(length, at + most),
      }));
      const [first] = await log.append(topic.name, sent);
      const from = [first?.offset ?? 0];
      const read: { key: string; value: Buffer | null }[] = [];
      for await (const page of log.scan(topic.name, { from }))
        read.push(
          ...page.map(({ key, value }) => ({ key, value: value === null ? null : Buffer.from(value) })),
        );
      assert.deepEqual(read, sent);
    }
    await log.close();
  });

  it('lets the write-ahead log be cut while readers stand between two pages', async () => {
    const log = await createSqliteLog({ folder });
    await log.ensureTopics([topic]);
    const messages = Array.from({ length: 2_000 }, (_, n) => ({ key: `k${n}`, value: Buffer.alloc(1_000) }));
    await log.append(topic.name, messages);
    const reading = log.scan(topic.name, { page_messages: 10 })[Symbol.asyncIterator]();
    await reading.next();
    for (let count = 0; count < 15; count += 1) await log.append(topic.name, messages);
    await reading.next();
    const wal_bytes = statSync(join(folder, 'log.sqlite-wal')).size;
    assert.ok(wal_bytes < 16 * 1024 * 1024, `${wal_bytes} bytes after 32 MB of messages`);
    await log.close();
  });

  it('keeps one message of each key of a compacted topic, whatever was appended', async () => {
    const log = await createSqliteLog({ folder });
    await log.ensureTopics([{ ...topic, compacted: true }]);
    for (let round = 0; round < 20; round += 1) {
      const messages = Array.from({ length: 100 }, (_, n) => ({
        key: `k${n % 7}`,
        value: Buffer.from([round]),
      }));
      await log.append(topic.name, messages);
    }
    let stored = 0;
    for await (const page of log.scan(topic.name)) stored += page.length;
    assert.equal(stored, 7);
    assert.deepEqual(await log.endOffsets(topic.name), [2_000]);
    await log.close();
  });

  it('costs next to nothing while nothing happens', async () => {
    const log = await createSqliteLog({ folder });
    await log.ensureTopics([topic]);
    const stop = new AbortController();
    const followers = Array.from({ length: 4 }, async () => {
      for await (const page of log.scan(topic.name, { follow: true, signal: stop.signal }))
        assert.ok(page.length > 0);
    });
    // The least of several looks: the compiler and the collector of garbage work beside some of them, asking all the time beside every one.
    let least_us = Infinity;
    for (let look = 0; look < 8 && least_us >= 150_000; look += 1) {
      const before = process.cpuUsage();
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { user, system } = process.cpuUsage(before);
      least_us = Math.min(least_us, user + system);
    }
    stop.abort();
    await Promise.all(followers);
    assert.ok(least_us < 150_000, `${least_us} µs of 500 ms`);
    await log.close();
  });

  it('ends its followers and members when it is closed', async () => {
    const log = await createSqliteLog({ folder });
    await log.ensureTopics([topic]);
    const following = (async () => {
      for await (const page of log.scan(topic.name, { follow: true })) assert.ok(page.length > 0);
    })();
    const member = await log.join({
      group: 'g',
      topics: [topic.name],
      batch_messages: 10,
      startAt: () => Promise.resolve(0),
      onBatch: () => Promise.resolve(),
    });
    await log.close();
    await following;
    await member.done;
    await log.close();
  });

  it(
    'gives up what waits for a file that another program holds when it is closed',
    { timeout: 14_000 },
    async () => {
      const log = await createSqliteLog({ folder });
      await log.ensureTopics([topic]);
      const holder = new DatabaseSync(join(folder, 'log.sqlite'));
      holder.exec('BEGIN IMMEDIATE');
      const refused = assert.rejects(
        log.append(topic.name, [{ key: 'k', value: Buffer.from('v') }]),
        (error) => isHailmarkError(error, 'HAIL_LOG_UNAVAILABLE'),
      );
      await log.close();
      await refused;
      holder.close();
      const again = await createSqliteLog({ folder });
      assert.deepEqual(await again.endOffsets(topic.name), [0]);
      await again.close();
    },
  );
});
