import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createCodec, type Codec } from '../../services/log/codec.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import type { DeadLetterFact } from '../../services/log/facts.ts';
import { readLines, type LogLine, type LogQuery } from '../../services/log/log-lines.ts';
import { createSqliteLog } from '../../services/log/sqlite/sqlite-log.ts';
import { topics } from '../../services/log/topics.ts';
import { startRegistry, temporaryFolder } from '../contract/codec.registry.ts';
import { createCleanup } from '../support/cleanup.ts';
import { createRevisions, keyOf, radarDrafts } from '../unit/projector/history.ts';

const observation = topics.observation.name;
const dead_letter = topics.dead_letter.name;
const day = Date.parse('2026-11-20T00:00:00Z');
const hour_ms = 3_600_000;

describe('the lines of a log', { timeout: 200_000 }, () => {
  const cleanup = createCleanup();
  const facts = radarDrafts().map(createRevisions());
  let now = day;
  let log: EventLog;
  let codec: Codec;

  before(async () => {
    const registry = cleanup.keep(await startRegistry(cleanup.keep(temporaryFolder()).folder));
    codec = createCodec({ registry_url: registry.url });
    await codec.registerAll();
    log = await createSqliteLog({ folder: cleanup.keep(temporaryFolder()).folder, clock: () => now });
    cleanup.keep({ stop: () => log.close() });
    await log.ensureTopics(Object.values(topics));
    await log.append(
      observation,
      facts.map((fact) => ({ key: keyOf(fact), value: codec.encode(observation, fact) })),
    );
  });
  after(() => cleanup.stop());

  const linesOf = async (change: Partial<LogQuery> = {}): Promise<LogLine[]> => {
    const query: LogQuery = {
      ...{ topic: observation, partition: null, key: null, from: { offset: 0 }, to: null, follow: false },
      ...change,
    };
    const lines: LogLine[] = [];
    for await (const line of readLines({ log, codec }, query)) lines.push(line);
    return lines;
  };

  it('are every message as its fact, partition by partition, each in its order', async () => {
    const lines = await linesOf();
    assert.equal(lines.length, facts.length);
    const places = lines.map(({ partition, offset }) => partition * 1e6 + offset);
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one - other),
    );
    const by_key = new Map(facts.map((fact) => [keyOf(fact), fact]));
    for (const line of lines) {
      assert.deepEqual(Object.keys(line), ['partition', 'offset', 'appended_at', 'key', 'fact']);
      assert.deepEqual('fact' in line && line.fact, by_key.get(line.key));
      assert.equal(line.appended_at, '2026-11-20T00:00:00.000Z');
    }
  });

  it('keep to a partition, a key and offsets', async () => {
    const all = await linesOf();
    const [first] = facts;
    assert.ok(first);
    for (const [change, is_meant] of [
      [{ partition: 2 }, ({ partition }) => partition === 2],
      [
        { partition: 2, from: { offset: 1 }, to: { offset: 3 } },
        (at) => at.partition === 2 && at.offset > 0 && at.offset < 3,
      ],
      [{ to: { offset: 2 } }, ({ offset }) => offset < 2],
      [{ from: { offset: 1 }, to: { offset: 1e9 } }, ({ offset }) => offset > 0],
      [{ from: { offset: 1e9 } }, () => false],
      [{ from: { offset: 2 }, to: { offset: 1 } }, () => false],
      [{ from: 'end' }, () => false],
      [{ key: keyOf(first) }, ({ key }) => key === keyOf(first)],
    ] satisfies [Partial<LogQuery>, (line: LogLine) => boolean][]) {
      assert.deepEqual(await linesOf(change), all.filter(is_meant), JSON.stringify(change));
    }
    assert.ok((await linesOf({ key: keyOf(first) })).length > 0);
  });

  it('keep to a time by each message of its own, also where the clock was set back', async () => {
    const topic = topics.feed_poll.name;
    for (const hour of [1, 2, 5, 3, 4, 6]) {
      now = day + hour * hour_ms;
      await log.append(topic, [{ key: `at ${hour}`, value: null }]);
    }
    const keys = async (from: LogQuery['from'], to: LogQuery['to']): Promise<string[]> =>
      (await linesOf({ topic, from, to })).map(({ key }) => key);
    const at = (hour: number): { at_ms: number } => ({ at_ms: day + hour * hour_ms });
    assert.deepEqual(await keys(at(3), at(5)), ['at 3', 'at 4']);
    assert.deepEqual(await keys(at(5), null), ['at 5', 'at 6']);
    assert.deepEqual(await keys({ offset: 2 }, at(5)), ['at 3', 'at 4']);
    assert.deepEqual(await keys(at(2), { offset: 3 }), ['at 2', 'at 5']);
    assert.deepEqual(await keys({ offset: 0 }, at(1)), []);
  });

  it('say of what is no fact why, with its bytes; bytes within facts are base64 too', async () => {
    const letter: DeadLetterFact = {
      ...{ state: 'dead', topic: observation, partition: 3, offset: 41, key: 'NOAA_SED/679888' },
      ...{ value: Buffer.from([0, 1, 254]), headers: { from: 'elsewhere' }, at: 'observations.v1' },
      ...{ reason: 'foreign', error: 'the first byte is 1', failed_at: 1_795_166_224_000 },
    };
    now = day;
    await log.append(dead_letter, [
      { key: letter.key, value: codec.encode(dead_letter, letter), headers: { by: 'a test' } },
      { key: 'k', value: Buffer.from('{"json":1}') },
      { key: 'k', value: null },
    ]);
    const place = { partition: 0, appended_at: '2026-11-20T00:00:00.000Z' };
    assert.deepEqual(await linesOf({ topic: dead_letter }), [
      {
        ...{ ...place, offset: 0, key: letter.key, headers: { by: 'a test' } },
        fact: { ...letter, value: 'AAH+' },
      },
      {
        ...{ ...place, offset: 1, key: 'k', undecodable: 'foreign' },
        ...{ error: "the first byte is 123, not the wire format's 0", value: 'eyJqc29uIjoxfQ==' },
      },
      {
        ...{ ...place, offset: 2, key: 'k', undecodable: 'tombstone' },
        ...{ error: 'the message has no value', value: null },
      },
    ]);
  });

  it('are read no further than they are taken', async () => {
    let pages = 0;
    const counting: Pick<EventLog, 'scan' | 'endOffsets'> = {
      endOffsets: log.endOffsets,
      async *scan(topic, options) {
        for await (const page of log.scan(topic, options)) {
          pages += 1;
          yield page;
        }
      },
    };
    const topic = topics.api_key.name;
    const many = Array.from({ length: 1_000 }, (_, index) => ({ key: `many/${index}`, value: null }));
    await log.append(topic, many);
    const query: LogQuery = {
      ...{ topic, partition: null, key: null, from: { offset: 0 }, to: null, follow: false },
    };
    let lines = 0;
    for await (const line of readLines({ log: counting, codec }, query)) {
      assert.equal(line.offset, lines);
      lines += 1;
      assert.equal(pages, Math.ceil(lines / 200));
    }
    assert.equal(lines, 1_000);
  });
});
