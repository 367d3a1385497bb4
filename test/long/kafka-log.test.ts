import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CompressionTypes, Kafka, logLevel } from 'kafkajs';
import type { EventLog, GroupMember } from '../../services/log/event-log.ts';
import { pause } from '../../services/runtime/clock.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { kafkaIsMissing, startTestKafka, type TestKafka } from '../support/kafka.ts';
import { within } from '../support/within.ts';
import { openTwin } from '../contract/event-log.kafka.ts';
import { startLogProcess } from '../contract/event-log.process.ts';
import {
  eventually,
  makeTopic,
  numbered,
  readAll,
  sum,
  topicSpec,
  type LogTwin,
} from '../contract/event-log.support.ts';

/** What only the twin on Kafka has: marks of transactions, compaction by the broker, a broker that goes away, foreign producers. */
describe(
  'the log on Apache Kafka, beyond the contract',
  { skip: await kafkaIsMissing(), timeout: 900_000 },
  () => {
    let kafka: TestKafka;
    let log: EventLog;
    let twin: LogTwin;
    let foreign: Kafka;

    before(async () => {
      kafka = await startTestKafka({ 'log.cleaner.backoff.ms': '200' });
      log = await openTwin(kafka.brokers);
      foreign = new Kafka({ brokers: [kafka.brokers], logLevel: logLevel.NOTHING });
      twin = {
        log,
        open: () => openTwin(kafka.brokers),
        elsewhere: {
          module: join(import.meta.dirname, '../contract/event-log.kafka.ts'),
          connection: kafka.brokers,
        },
        dispose: () => Promise.resolve(),
      };
    });
    after(async () => {
      await log.close();
      await kafka.stop();
    });

    it('reads past the marks that transactions leave, to the very end', async () => {
      const { name } = await makeTopic(log);
      const owner = await log.claim(`feed/${randomUUID()}`);
      for (let from = 0; from < 50; from += 10) await log.append(name, numbered(10, 10, from), owner);
      const ends = await log.endOffsets(name);
      assert.ok(sum(ends) > 50, 'marks take offsets');
      assert.equal((await readAll(log, name)).length, 50);
      const group = randomUUID();
      const got: string[] = [];
      let next = [0, 0, 0];
      const member = await log.join({
        group,
        topics: [name],
        batch_messages: 4,
        startAt: () => Promise.resolve(0),
        onBatch: ({ partition, first_offset, end_offset, messages }) => {
          assert.equal(first_offset, next[partition]);
          next = next.with(partition, end_offset);
          got.push(...messages.map(({ value }) => String(value)));
          return Promise.resolve();
        },
      });
      await eventually(
        'the commit reaches the end',
        async () => sum(await log.committed(group, name)) === sum(ends),
      );
      await member.leave();
      assert.deepEqual(next, ends);
      assert.equal(new Set(got).size, 50);
      await owner.release();
    });

    it('never shows what a transaction gave up', async () => {
      const { name } = await makeTopic(log, { partitions: 1 });
      const producer = foreign.producer({
        transactionalId: randomUUID(),
        idempotent: true,
        maxInFlightRequests: 1,
      });
      await producer.connect();
      const given_up = await producer.transaction();
      await given_up.send({ topic: name, messages: [{ key: 'a', value: 'given up' }] });
      await given_up.abort();
      await log.append(name, [{ key: 'b', value: Buffer.from('between') }]);
      const kept = await producer.transaction();
      await kept.send({ topic: name, messages: [{ key: 'c', value: 'kept' }] });
      await kept.commit();
      await producer.disconnect();
      await eventually('the marks are there', async () => sum(await log.endOffsets(name)) === 5);
      assert.deepEqual(
        (await readAll(log, name)).map(({ value }) => String(value)),
        ['between', 'kept'],
      );
    });

    it('refuses an owner that was stopped and taken for dead, at the broker', async () => {
      const { name } = await makeTopic(log);
      const resource = `feed/${randomUUID()}`;
      const child = startLogProcess(twin, { task: 'own', topic: name, resource });
      await child.said('owns');
      child.signal('SIGSTOP');
      const owner = await log.claim(resource);
      child.goOn();
      child.signal('SIGCONT');
      assert.equal((await child.said('late append')).code, 'HAIL_OWNERSHIP_LOST');
      await log.append(name, [{ key: 'owned', value: Buffer.from('by this process') }], owner);
      assert.deepEqual(
        (await readAll(log, name)).map(({ value }) => String(value)),
        ['by the child', 'by this process'],
      );
      await owner.release();
    });

    it('has every acknowledged append after the broker was killed, and its members go on by themselves', async () => {
      const { name } = await makeTopic(log);
      const acknowledged: string[] = [];
      const read = new Set<string>();
      const group = randomUUID();
      let trouble = 0;
      const member = await log.join({
        group,
        topics: [name],
        batch_messages: 50,
        startAt: async (_, partition) => (await log.committed(group, name))[partition] ?? 0,
        onBatch: ({ messages }) => {
          for (const { value } of messages) read.add(String(value));
          return Promise.resolve();
        },
        onAway: () => (trouble += 1),
      });
      let killing: Promise<void> | null = null;
      for (let from = 0; from < 600; from += 10) {
        if (from === 200) killing = kafka.killAndRestart();
        const messages = numbered(10, 10, from);
        for (;;) {
          try {
            await log.append(name, messages);
            break;
          } catch (error) {
            assert.ok(isHailmarkError(error, 'HAIL_LOG_UNAVAILABLE'), String(error));
          }
        }
        acknowledged.push(...messages.map(({ value }) => String(value)));
      }
      await killing;
      const stored = new Set((await readAll(log, name)).map(({ value }) => String(value)));
      assert.deepEqual(
        acknowledged.filter((value) => !stored.has(value)),
        [],
      );
      await untilOrEnded(member, 'it has read all of it', () => read.size === acknowledged.length);
      assert.ok(trouble > 0, 'it was told that the log was away');
      await member.leave();
    });

    it('keeps a member whose broker is killed while it asks where to begin', async () => {
      const { name } = await makeTopic(log);
      await log.append(name, numbered(30, 10));
      const group = randomUUID();
      const read = new Set<string>();
      const killing: Promise<void>[] = [];
      const starting: Promise<void>[] = [];
      const member = await log.join({
        group,
        topics: [name],
        batch_messages: 50,
        startAt: async (_, partition) => {
          if (killing.length === 0) killing.push(kafka.kill());
          await Promise.all(killing);
          return (await log.committed(group, name))[partition] ?? 0;
        },
        onBatch: ({ messages }) => {
          for (const { value } of messages) read.add(String(value));
          return Promise.resolve();
        },
        // The broker comes back only after the member has met its absence, so that it does meet it.
        onAway: () => {
          if (killing.length > 0 && starting.length === 0) starting.push(kafka.start());
        },
      });
      await untilOrEnded(member, 'it has read all of it', () => read.size === 30);
      assert.equal(starting.length, 1);
      await Promise.all(starting);
      await member.leave();
    });

    it('reads a topic that the broker has compacted: the newest of each key, holes and all', async () => {
      const spec = topicSpec({ compacted: true, partitions: 1 });
      const admin = foreign.admin();
      await admin.connect();
      await admin.createTopics({
        topics: [
          {
            topic: spec.name,
            numPartitions: 1,
            configEntries: [
              { name: 'cleanup.policy', value: 'compact' },
              { name: 'min.cleanable.dirty.ratio', value: '0.01' },
              { name: 'segment.ms', value: '100' },
            ],
          },
        ],
      });
      await admin.disconnect();
      let number = 0;
      await eventually('the broker has removed older messages', async () => {
        await log.append(spec.name, numbered(20, 4, number));
        number += 20;
        return (await readAll(log, spec.name)).length < number;
      });
      const stored = await readAll(log, spec.name);
      const newest = new Map(stored.map(({ key, value }) => [key, String(value)]));
      for (let key = 0; key < 4; key += 1)
        assert.equal(newest.get(`key-${key}`), `key-${key}/${number - 4 + key}`);
      assert.deepEqual(await log.endOffsets(spec.name), [number]);
    });

    it('reads what a foreign producer compressed, without key or headers', async () => {
      const { name } = await makeTopic(log, { partitions: 1 });
      const producer = foreign.producer();
      await producer.connect();
      const messages = Array.from({ length: 50 }, (_, index) => ({ value: `${'hail '.repeat(20)}${index}` }));
      await producer.send({ topic: name, messages, compression: CompressionTypes.GZIP });
      await producer.disconnect();
      const stored = await readAll(log, name, { from: [7] });
      assert.deepEqual(
        stored.map(({ key, value, headers }) => [key, String(value), headers]),
        messages.slice(7).map(({ value }) => ['', value, {}]),
      );
    });
  },
);

/** Waits for the condition as long as the member runs: one that has ended will never bring it about, however long one waits. */
async function untilOrEnded(member: GroupMember, what: string, condition: () => boolean): Promise<void> {
  const over = new AbortController();
  const ended = member.done.finally(() => over.abort());
  const waiting = async (): Promise<void> => {
    while (!condition() && !over.signal.aborted) await pause(10, over.signal);
  };
  await within(what, Promise.race([waiting(), ended]));
  // The error that it ended with says more than that it ended.
  if (!condition()) await ended;
  assert.ok(condition(), `the member has ended before: ${what}`);
}
