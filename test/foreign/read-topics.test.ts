import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createCodec, type Codec } from '../../services/log/codec.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import type { FactOfTopic } from '../../services/log/facts.ts';
import { topics, type TopicName } from '../../services/log/topics.ts';
import { openTwin } from '../contract/event-log.kafka.ts';
import { createCleanup } from '../support/cleanup.ts';
import { kafkaIsMissing, startTestKafka, type TestKafka } from '../support/kafka.ts';
import { startLocalServices, type LocalServices } from '../support/local-services.ts';
import { examples } from '../unit/log/examples.ts';
import { pythonIsMissing, pythonWithPackages } from './python.ts';

const run = promisify(execFile);

interface Line {
  topic: TopicName;
  partition: number;
  offset: number;
  key: string;
  fact: unknown;
}

const skip = (await kafkaIsMissing()) || (await pythonIsMissing());

describe("Confluent's client for Python on our topics and our registry", { skip }, () => {
  const made = createCleanup();
  let kafka: TestKafka;
  let local: LocalServices;
  let log: EventLog;
  let codec: Codec;
  let python: string;

  before(async () => {
    // Fetched here where nobody has fetched it before: not a part of the reading.
    python = await pythonWithPackages();
    kafka = made.keep(await startTestKafka());
    local = made.keep(await startLocalServices());
    log = await openTwin(kafka.brokers);
    made.keep({ stop: () => log.close() });
    await log.ensureTopics(Object.values(topics));
    codec = createCodec({ registry_url: local.registry_url });
    await codec.registerAll();
  });
  after(() => made.stop());

  it('reads every topic to its end and prints the fields of every fact', { timeout: 300_000 }, async () => {
    const owner = await log.claim('feed/of-the-test');
    const written: Line[] = [];
    for (const { name: topic } of Object.values(topics)) {
      for (const { name: key, content } of examples(topic, 'valid')) {
        const value = codec.encode(topic, content as FactOfTopic[typeof topic]);
        // Feeds append in transactions, everything else does not.
        const [at] = await log.append(topic, [{ key, value }], written.length % 2 === 0 ? owner : undefined);
        assert.ok(at);
        written.push({ topic, ...at, key, fact: plain(content) });
      }
    }
    const names = Object.values(topics).map(({ name }) => name);
    const { stdout } = await run(
      python,
      [join(import.meta.dirname, 'read_topics.py'), kafka.brokers, local.registry_url, ...names],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    const read = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    assert.deepEqual(read.sort(byPlace), written.sort(byPlace));
    assert.ok(read.length >= 2 * names.length);
    await owner.release();
  });
});

/** A fact as the Python script prints it: bytes as base64. */
function plain(fact: unknown): unknown {
  return JSON.parse(JSON.stringify(fact), (_, value: unknown) => {
    const is_bytes =
      typeof value === 'object' &&
      value !== null &&
      'type' in value &&
      value.type === 'Buffer' &&
      'data' in value;
    return is_bytes ? { base64: Buffer.from(value.data as number[]).toString('base64') } : value;
  }) as unknown;
}

function byPlace(a: Line, b: Line): number {
  return a.topic.localeCompare(b.topic) || a.partition - b.partition || a.offset - b.offset;
}
