import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import type { DeadLetterFact } from '../../../services/log/facts.ts';
import type { Appended, EventLog, StoredMessage } from '../../../services/log/event-log.ts';
import { laterLetter } from '../../../services/log/letters/state.ts';
import { topics } from '../../../services/log/topics.ts';
import { createDeadLetters } from '../../../services/projector/dead-letters.ts';
import { HailmarkError, isHailmarkError } from '../../../services/runtime/errors.ts';
import { projectionAt, projectionNames } from '../../../services/projector/all-projections.ts';
import { keyOf, createRevisions, radarDrafts, truthOf } from '../../unit/projector/history.ts';
import { poll } from '../../unit/projector/polls.ts';
import { startBench, type Bench } from './bench.ts';
import { viewOf } from './view.ts';

async function letters({ log, codec }: Bench): Promise<DeadLetterFact[]> {
  const found: DeadLetterFact[] = [];
  for await (const page of log.scan(topics.dead_letter.name)) {
    for (const { value } of page) {
      const decoded = await codec.decode(topics.dead_letter.name, value);
      assert.ok(decoded.outcome === 'ok');
      found.push(decoded.fact);
    }
  }
  return found;
}

describe('messages that are no valid facts', { timeout: 250_000 }, () => {
  let bench: Bench;
  let bad: Appended[];
  const observation = topics.observation.name;

  before(async () => {
    bench = await startBench();
    const [first, ...others] = radarDrafts().map(createRevisions());
    assert.ok(first);
    await bench.appendFacts([first, ...others]);
    const encode = (change: Partial<typeof first>): Buffer =>
      bench.codec.encode(observation, { ...first, ...change });
    bad = await bench.log.append(observation, [
      { key: keyOf(first), value: null },
      { key: keyOf(first), value: Buffer.from('{"not":"avro"}'), headers: { from: 'elsewhere' } },
      { key: keyOf(first), value: encode({}).subarray(0, 20) },
      // Would fail every insert of its batch, for ever, if it were let through.
      { key: keyOf(first), value: encode({ evidence: { ...first.evidence, sevprob: 300 } }) },
      { key: 'NEXRAD_SWDI/another', value: encode({}) },
      { key: keyOf({ ...first, publisher: 'SPC_LSR' }), value: encode({ publisher: 'SPC_LSR' }) },
    ]);
    await bench.appendPolls([poll(), poll({ publisher: 'NOAA' })]);
  });
  after(() => bench.stop());

  it('are kept with their bytes and their reason, and cost nobody else anything', async () => {
    const tables = await bench.project('first');
    const valid = (await bench.facts()).filter(({ fact, offset, partition }) => {
      const appended_well = bad.every((each) => each.partition !== partition || each.offset !== offset);
      return appended_well && fact.publisher !== 'SPC_LSR';
    });
    assert.deepEqual(viewOf(tables), truthOf(valid));
    const found = await letters(bench);
    assert.deepEqual(found.map(({ reason, at }) => `${at} ${reason}`).sort(), [
      'feeds.v1 invalid-fact',
      'observations.v1 foreign',
      'observations.v1 invalid-fact',
      'observations.v1 invalid-fact',
      'observations.v1 tombstone',
      'observations.v1 undecodable',
    ]);
    const foreign = found.find(({ reason }) => reason === 'foreign');
    assert.deepEqual(
      [foreign?.value?.toString(), foreign?.headers],
      ['{"not":"avro"}', { from: 'elsewhere' }],
    );
    assert.equal(tables.feed_status.length, 1);
  });

  it('get one letter each, however often they are projected', async () => {
    const before = await letters(bench);
    await bench.store('first').command('TRUNCATE TABLE projector_positions');
    await bench.project('first', { batch_messages: 3 });
    assert.deepEqual(await letters(bench), before);
  });

  it('are never projected again once they have a letter, even if they are valid by then', async () => {
    const [fact] = await bench.facts();
    assert.ok(fact);
    const { partition, offset } = fact;
    const letter: DeadLetterFact = {
      ...{ topic: observation, partition, offset, key: keyOf(fact.fact), value: null, headers: {} },
      ...{
        state: 'dead',
        at: 'observations.v1',
        reason: 'undecodable',
        error: 'by an older version',
        failed_at: 0,
      },
    };
    await bench.log.append(topics.dead_letter.name, [
      { key: letter.key, value: bench.codec.encode(topics.dead_letter.name, letter) },
    ]);
    const tables = await bench.project('after_the_letter');
    const stood = tables.observations.some((line) => {
      const row = JSON.parse(line) as { log_partition: number; revision: number };
      return row.log_partition === partition && row.revision === offset;
    });
    assert.equal(stood, false);
  });

  it('that another process wrote letters for are known after catching up', async () => {
    const deps = { log: bench.log, codec: bench.codec, clock: () => 0, output: pino({ level: 'silent' }) };
    const [one, two] = [createDeadLetters(deps), createDeadLetters(deps)];
    await Promise.all([one.catchUp(), two.catchUp()]);
    const place = { topic: observation, partition: 2, offset: 3 };
    const message = { ...place, key: 'k', value: null, headers: {}, appended_at: 0 };
    await one.write(message, 'x.v1', 'tombstone', '');
    assert.deepEqual([one.has(place), two.has(place)], [true, false]);
    await Promise.all([two.catchUp(), two.catchUp()]);
    assert.equal(two.has(place), true);
    const count = (await letters(bench)).length;
    await two.write(message, 'x.v1', 'tombstone', '');
    assert.equal((await letters(bench)).length, count);
  });

  it('are open until they are settled or dropped, which is final, and are told once by whoever wrote them', async () => {
    const deps = { log: bench.log, codec: bench.codec, clock: () => 0, output: pino({ level: 'silent' }) };
    const told: string[] = [];
    const own = createDeadLetters({ ...deps, onLetter: (topic, reason) => told.push(`${topic} ${reason}`) });
    const other = createDeadLetters(deps);
    await Promise.all([own.catchUp(), other.catchUp()]);
    const grid = topics.grid.name;
    const open = (): number[] => [own, other].map((letters) => letters.open().get(grid) ?? 0);
    const message = (offset: number): StoredMessage => ({
      ...{ topic: grid, partition: 1, offset, key: 'k', value: null, headers: {}, appended_at: 0 },
    });
    for (const offset of [7, 8, 9]) await own.write(message(offset), 'x.v1', 'tombstone', '');
    await own.write(message(9), 'x.v1', 'tombstone', '');
    assert.deepEqual([open(), told], [[3, 0], Array.from({ length: 3 }, () => `${grid} tombstone`)]);
    const say = (offset: number, state: DeadLetterFact['state']): Promise<unknown> => {
      const said = { state, at: 'x', reason: 'x', error: '', failed_at: 0 };
      const letter = laterLetter(message(offset), said);
      return bench.log.append(topics.dead_letter.name, [
        { key: 'k', value: bench.codec.encode(topics.dead_letter.name, letter) },
      ]);
    };
    await say(7, 'retry');
    await say(8, 'settled');
    await say(9, 'dropped');
    await say(9, 'dead');
    await Promise.all([own.catchUp(), other.catchUp()]);
    assert.deepEqual(open(), [1, 1]);
    await say(7, 'settled');
    await Promise.all([own.catchUp(), other.catchUp()]);
    assert.deepEqual(open(), [0, 0]);
  });

  it('are caught up with whenever a partition is taken', async () => {
    let scans = 0;
    const log: EventLog = {
      ...bench.log,
      id: bench.log.id,
      scan: (topic, options) => {
        if (topic === topics.dead_letter.name) scans += 1;
        return bench.log.scan(topic, options);
      },
    };
    await bench.project('taken', { log });
    // Every projection takes every partition of its topics: once for each.
    const read = projectionNames.flatMap((name) => projectionAt(name, 1)?.topics ?? []);
    const partitions = read.flatMap(
      (topic) => Object.values(topics).find(({ name }) => name === topic)?.partitions ?? [],
    );
    assert.equal(
      scans,
      partitions.reduce((sum, each) => sum + each, 0),
    );
  });

  it('stop the projector with one sentence, and no letters, when they are most of a batch', async () => {
    const count = (await letters(bench)).length;
    const garbage = Array.from({ length: 30 }, () => ({
      key: 'NEXRAD_SWDI/x',
      value: Buffer.from('garbage'),
    }));
    await bench.log.append(observation, garbage);
    const [positions_before, running] = [
      await bench.log.endOffsets(topics.dead_letter.name),
      await bench.begin('first'),
    ];
    await assert.rejects(running.done, (error: unknown) => {
      assert.ok(isHailmarkError(error, 'HAIL_SCHEMA_INCIDENT'));
      assert.match(
        error.message,
        /30 of 30 messages of hail\.observation\.v1.*schema incident.*PROJECTOR_BATCH_MESSAGES=19/,
      );
      return true;
    });
    await running.leave();
    assert.equal((await letters(bench)).length, count);
    assert.deepEqual(await bench.log.endOffsets(topics.dead_letter.name), positions_before);
    // The way out that the sentence names.
    await bench.project('first', { batch_messages: 19 });
    assert.equal((await letters(bench)).length, count + 30);
  });

  it('are told from a log that is away: that is waited for', async () => {
    let refusals = 3;
    const log: EventLog = {
      ...bench.log,
      id: bench.log.id,
      endOffsets: (topic) => {
        if (refusals-- > 0)
          return Promise.reject(new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log is away.'));
        return bench.log.endOffsets(topic);
      },
    };
    const tables = await bench.project('log_away', { log });
    assert.ok(refusals < 0 && tables.observations.length > 0);
  });
});
