import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { NewMessage } from '../../../services/log/event-log.ts';
import type { DeadLetterFact } from '../../../services/log/facts.ts';
import { readLetters } from '../../../services/log/letters/manage.ts';
import { topics } from '../../../services/log/topics.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import type { Store } from '../../../services/store/store.ts';
import { startBench, type Bench } from './bench.ts';

const topic = topics.dead_letter.name;
/** What the log's own book does not count. */
const counted = ['changed_at', 'retries', 'message_bytes'];
const began = Date.parse('2026-11-21T10:00:00.000Z');

/** What is said, one after the other, about few places, so that many are said something of twice and after their end. NOT REAL. */
const said = fc.record({
  topic: fc.constantFrom('hail.observation.v1', 'hail.grid.v1'),
  partition: fc.integer({ min: 0, max: 1 }),
  offset: fc.integer({ min: 0, max: 9 }),
  state: fc.constantFrom<DeadLetterFact['state']>('dead', 'dead', 'retry', 'settled', 'dropped'),
  reason: fc.constantFrom('invalid-fact', 'truncated', 'published-anew', 'overtaken'),
});

describe('the view of dead letters', { timeout: 120_000 }, () => {
  let bench: Bench;
  let facts: DeadLetterFact[];

  before(async () => {
    bench = await startBench();
    // A seed of its own, so that what is drawn has all of the cases that are looked for below.
    const [drawn = []] = fc.sample(fc.array(said, { minLength: 300, maxLength: 300 }), {
      numRuns: 1,
      seed: 20_261_121,
    });
    const opened = new Set<string>();
    facts = drawn.map(({ state, ...each }, at) => {
      const place = `${each.topic}/${each.partition}/${each.offset}`;
      const opens = !opened.has(place);
      opened.add(place);
      return {
        ...each,
        // A letter opens as dead and carries the bytes.
        state: opens ? 'dead' : state,
        key: `NEXRAD_SWDI/${place}`,
        value: opens ? Buffer.alloc(1 + (at % 7)) : null,
        headers: {},
        at: `observations.v${1 + (at % 3)}`,
        error: `sentence ${at}`,
        failed_at: began + at * 1_000,
      };
    });
    const messages = facts.map((fact): NewMessage => ({
      key: fact.key,
      value: bench.codec.encode(topic, fact),
    }));
    messages.splice(150, 0, { key: 'x', value: Buffer.from('no letter') });
    await bench.log.append(topic, messages);
  });
  after(() => bench.stop());

  const seen = async (store: Store): Promise<Record<string, unknown>[]> => {
    const rows = await store.rows<Record<string, unknown>>(
      `SELECT * REPLACE (toUnixTimestamp64Milli(failed_at) AS failed_at, toUnixTimestamp64Milli(changed_at) AS changed_at)
       FROM dead_letters ORDER BY topic, log_partition, log_offset`,
    );
    const numbers = ['log_offset', 'failed_at', 'changed_at', 'retries', 'message_bytes'];
    return rows.map((row) => ({
      ...row,
      ...Object.fromEntries(numbers.map((name) => [name, Number(row[name])])),
    }));
  };

  it('says of each message what the log says of it, a row a message; a broken letter makes none', async () => {
    await bench.project('letters');
    const rows = await seen(bench.store('letters'));
    const { letters, unreadable } = await readLetters({ ...bench, clock: systemClock });
    assert.equal(unreadable, 1);
    assert.deepEqual(
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !counted.includes(name)))),
      letters.map((letter) => ({
        ...{ topic: letter.topic, log_partition: letter.partition, log_offset: letter.offset },
        ...{ state: letter.state, reason: letter.reason, error: letter.error, judged_by: letter.at },
        ...{ settled_as: letter.settled_as ?? '', message_key: letter.key, failed_at: letter.failed_at },
      })),
    );
    assert.deepEqual([...new Set(rows.map(({ state }) => state))].sort(), [
      'dead',
      'dropped',
      'retry',
      'settled',
    ]);
  });

  it('counts retries, the bytes of the message and when its state was said last, none after its end', async () => {
    const rows = await seen(bench.store('letters'));
    for (const row of rows) {
      const about = facts.filter(
        (fact) =>
          fact.topic === row['topic'] &&
          fact.partition === row['log_partition'] &&
          fact.offset === row['log_offset'],
      );
      const end = about.findIndex(({ state }) => state === 'settled' || state === 'dropped');
      const counts = about.slice(0, end === -1 ? about.length : end + 1);
      assert.deepEqual(
        [row['retries'], row['changed_at'], row['message_bytes']],
        [
          counts.filter(({ state }) => state === 'retry').length,
          counts.at(-1)?.failed_at,
          about[0]?.value?.length,
        ],
      );
    }
  });

  it('is the same made again, in other batches, twice over', async () => {
    const first = await seen(bench.store('letters'));
    await bench.project('again', { batch_messages: 60 });
    const again = bench.store('again');
    assert.deepEqual(await seen(again), first);
    await again.command('INSERT INTO dead_letters_v1 SELECT * FROM dead_letters_v1');
    assert.deepEqual(await seen(again), first);
    await again.command('OPTIMIZE TABLE dead_letters_v1 FINAL');
    assert.deepEqual(await seen(again), first);
  });
});
