import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { createCodec } from '../../services/log/codec.ts';
import { topics } from '../../services/log/topics.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { createCleanup } from '../support/cleanup.ts';
import { examples, schemas_folder } from '../unit/log/examples.ts';
import { startImpostor, startRegistry, temporaryFolder, type TestServer } from './codec.registry.ts';

const observation = topics.observation.name;
const away = (error: unknown): boolean => isHailmarkError(error, 'HAIL_REGISTRY_UNAVAILABLE');

describe('the codec and a registry in trouble', () => {
  const cleanup = createCleanup();
  let registry: TestServer;
  let bytes: Buffer;
  const sample = examples(observation, 'valid')[0]?.content as ObservationFact;

  before(async () => {
    registry = cleanup.keep(await startRegistry(cleanup.keep(temporaryFolder()).folder));
    const codec = createCodec({ registry_url: registry.url });
    await codec.registerAll();
    bytes = codec.encode(observation, sample);
  });
  after(() => cleanup.stop());

  const impostors: [string, Parameters<typeof startImpostor>[0]][] = [
    ['fails inside', (_, response) => void response.writeHead(500).end('{"error_code":50001}')],
    ['asks for a password', (_, response) => void response.writeHead(401).end('{"error_code":40101}')],
    ['is a page with status 200', (_, response) => void response.writeHead(200).end('<html>sign in</html>')],
    ['is a page with status 404', (_, response) => void response.writeHead(404).end('<html>not here</html>')],
    ['never answers', () => undefined],
    ['hangs up', (request) => void request.socket.destroy()],
  ];
  for (const [what, answer] of impostors) {
    it(`never takes a message for dead while the registry ${what}`, async () => {
      const impostor = await startImpostor(answer);
      try {
        const codec = createCodec({ registry_url: impostor.url, registry_timeout_ms: 100 });
        await assert.rejects(codec.decode(observation, bytes), away);
        await assert.rejects(codec.registerAll(), away);
      } finally {
        await impostor.stop();
      }
    });
  }

  it('waits for nothing it knows, and goes on when the registry is back', async () => {
    const { folder } = cleanup.keep(temporaryFolder());
    const first = await startRegistry(folder);
    const knowing = createCodec({ registry_url: first.url });
    await knowing.registerAll();
    const own = knowing.encode(observation, sample);
    assert.equal((await knowing.decode(observation, own)).outcome, 'ok');
    const unknowing = createCodec({ registry_url: first.url });
    await first.stop();
    assert.equal((await knowing.decode(observation, own)).outcome, 'ok');
    await assert.rejects(unknowing.decode(observation, own), away);
    cleanup.keep(await startRegistry(folder, Number(new URL(first.url).port)));
    assert.equal((await unknowing.decode(observation, own)).outcome, 'ok');
  });

  it('stops the operator when the registry refuses a schema, or holds the subject to less', async () => {
    const { folder } = cleanup.keep(temporaryFolder());
    cpSync(schemas_folder, folder, { recursive: true });
    const path = join(folder, `${observation}.avsc`);
    const schema = JSON.parse(readFileSync(path, 'utf8')) as { fields: object[] };
    schema.fields.push({ name: 'without_default', type: 'string' });
    writeFileSync(path, JSON.stringify(schema));
    const changed = createCodec({ registry_url: registry.url, schemas_folder: folder });
    await assert.rejects(changed.registerAll(), (error: Error) => {
      return isHailmarkError(error, 'HAIL_SCHEMA_CHANGED') && error.message.includes(observation);
    });
    await fetch(`${registry.url}/config/${topics.api_key.name}-value`, {
      method: 'PUT',
      body: '{"compatibility":"BACKWARD"}',
    });
    await assert.rejects(createCodec({ registry_url: registry.url }).registerAll(), (error: Error) => {
      return isHailmarkError(error, 'HAIL_SCHEMA_CHANGED') && error.message.includes('FULL_TRANSITIVE');
    });
  });
});
