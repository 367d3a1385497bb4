import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCodec, type Codec } from '../../services/log/codec.ts';
import type { FactOfTopic } from '../../services/log/facts.ts';
import { readReleased, type ReleasedVersion } from '../../services/log/released-files.ts';
import { topics, type TopicName } from '../../services/log/topics.ts';
import { createCleanup } from '../support/cleanup.ts';
import { examples, schemas_folder } from '../unit/log/examples.ts';
import { startRegistry, temporaryFolder } from './codec.registry.ts';

const names = Object.values(topics).map(({ name }) => name);
const { versions: released } = readReleased(schemas_folder);
const most = Math.max(...[...released.values()].map((versions) => versions.length));

/** The version of a topic that stood when `age` releases of it had been made, or its newest. */
function versionAt(topic: TopicName, age: number): ReleasedVersion {
  const versions = released.get(topic) ?? [];
  const version = versions[Math.min(age, versions.length - 1)];
  assert.ok(version, `${topic} is released`);
  return version;
}

describe('the codec among processes of every release', () => {
  const cleanup = createCleanup();
  let newest: Codec;
  /** One codec for each age of the schemas, oldest first. */
  const codecs: Codec[] = [];

  before(async () => {
    const registry = cleanup.keep(await startRegistry(cleanup.keep(temporaryFolder()).folder));
    for (let age = 0; age < most; age += 1) {
      const folder = join(cleanup.keep(temporaryFolder()).folder, 'schemas');
      mkdirSync(folder);
      for (const topic of names) writeFileSync(join(folder, `${topic}.avsc`), versionAt(topic, age).text);
      codecs.push(createCodec({ registry_url: registry.url, schemas_folder: folder }));
    }
    newest = createCodec({ registry_url: registry.url });
    // The newest starts first, so that the older ones find a registry that is ahead of them.
    for (const codec of [newest, ...codecs]) await codec.registerAll();
  });
  after(() => cleanup.stop());

  for (const topic of names) {
    it(`reads every released example of ${topic}, and is read by every release`, async () => {
      for (const [age, codec] of codecs.entries()) {
        for (const { name, content } of versionAt(topic, age).examples)
          await agrees(codec, newest, topic, content, `${name} of release ${age + 1}`);
        for (const { name, content } of examples(topic, 'valid'))
          await agrees(newest, codec, topic, content, `${name} by release ${age + 1}`);
      }
    });
  }

  async function agrees(
    writer: Codec,
    reader: Codec,
    topic: TopicName,
    content: unknown,
    what: string,
  ): Promise<void> {
    const decoded = await reader.decode(topic, writer.encode(topic, content as FactOfTopic[typeof topic]));
    assert.ok(decoded.outcome === 'ok', what);
    const read = plain(decoded.fact);
    const written = plain(content);
    const common = Object.keys(read).filter((name) => name in written);
    assert.ok(common.length > 0);
    for (const name of common) assert.deepEqual(read[name], written[name], `${what} at ${name}`);
  }
});

function plain(fact: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(fact)) as Record<string, unknown>;
}
