import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import avro from 'avsc';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { createCodec, type Codec, type UndecodableReason } from '../../services/log/codec.ts';
import type { FactOfTopic } from '../../services/log/facts.ts';
import { topics, type TopicName } from '../../services/log/topics.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { createCleanup } from '../support/cleanup.ts';
import { examples } from '../unit/log/examples.ts';
import { startRegistry, temporaryFolder, type TestServer } from './codec.registry.ts';

const observation = topics.observation.name;

describe('the codec', () => {
  const cleanup = createCleanup();
  let registry: TestServer;
  let codec: Codec;

  before(async () => {
    const { folder } = cleanup.keep(temporaryFolder());
    registry = cleanup.keep(await startRegistry(folder));
    codec = createCodec({ registry_url: registry.url });
    await codec.registerAll();
  });
  after(() => cleanup.stop());

  /** Registers a schema as another writer would, and returns its id. */
  const registerAs = async (subject: string, body: object): Promise<number> => {
    const response = await fetch(`${registry.url}/subjects/${subject}/versions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
    return ((await response.json()) as { id: number }).id;
  };
  const envelope = (id: number, body: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.writeInt32BE(id, 1);
    return Buffer.concat([head, body]);
  };
  const reasonOf = async (
    value: Buffer | null,
    topic: TopicName = observation,
  ): Promise<UndecodableReason> => {
    const decoded = await codec.decode(topic, value);
    assert.equal(decoded.outcome, 'dead');
    assert.ok(decoded.error.length > 0);
    return decoded.reason;
  };
  const sample = (): ObservationFact => examples(observation, 'valid')[0]?.content as ObservationFact;

  for (const { name: topic } of Object.values(topics)) {
    for (const { name, content } of examples(topic, 'valid')) {
      it(`carries ${topic} ${name} there and back`, async () => {
        const bytes = codec.encode(topic, content as FactOfTopic[typeof topic]);
        assert.equal(bytes.readUInt8(0), 0);
        const decoded = await codec.decode(topic, bytes);
        assert.equal(decoded.outcome, 'ok');
        assert.deepEqual(plain(decoded.fact), plain(content));
        assert.deepEqual(codec.decodeKnown(topic, bytes), decoded);
      });
    }
    for (const { name, content } of examples(topic, 'invalid')) {
      it(`refuses ${topic} ${name}, naming the field and not its value`, () => {
        const { wrong, fact } = content as { wrong: string[]; fact: FactOfTopic[typeof topic] };
        assert.throws(
          () => codec.encode(topic, fact),
          (error: Error) => {
            assert.ok(isHailmarkError(error, 'HAIL_INVALID_FACT'));
            assert.equal(error.message, `A fact of ${topic} does not fit its schema at ${wrong.join(', ')}.`);
            return true;
          },
        );
      });
    }
  }

  it('refuses a number that is none', () => {
    assert.throws(
      () => codec.encode(observation, { ...sample(), lat: Number.NaN, lon: Number.POSITIVE_INFINITY }),
      (error: Error) => isHailmarkError(error, 'HAIL_INVALID_FACT') && error.message.endsWith('at lat, lon.'),
    );
  });

  it('tells what is no fact by a stable reason', async () => {
    const bytes = codec.encode(observation, sample());
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(0xff, 5);
    assert.equal(await reasonOf(null), 'tombstone');
    assert.equal(await reasonOf(Buffer.alloc(0)), 'short');
    assert.equal(await reasonOf(bytes.subarray(0, 5)), 'short');
    assert.equal(await reasonOf(Buffer.from('{"json":"of somebody"}')), 'foreign');
    assert.equal(await reasonOf(bytes.subarray(0, -1)), 'undecodable');
    assert.equal(await reasonOf(Buffer.concat([bytes, Buffer.from([0])])), 'undecodable');
    assert.equal(await reasonOf(damaged), 'undecodable');
    assert.equal(await reasonOf(envelope(999_999, bytes.subarray(5))), 'unknown-schema');
    assert.equal(await reasonOf(bytes, topics.api_key.name), 'wrong-subject');
    assert.equal(codec.decodeKnown(observation, null)?.outcome, 'dead');
  });

  it('takes a long beyond exact numbers for undecodable, not for a near one', async () => {
    const key = {
      ...(examples(topics.api_key.name, 'valid')[0]?.content as FactOfTopic['hail.api-key.v1']),
      created_at: 1,
    };
    const bytes = codec.encode(topics.api_key.name, { ...key, revoked_at: null });
    // The last fields are created_at (1, one byte) and the branch of revoked_at.
    const huge = Buffer.concat([
      bytes.subarray(0, -2),
      Buffer.from('ffffffffffffffff7f', 'hex'),
      Buffer.from([0]),
    ]);
    assert.equal(await reasonOf(huge, topics.api_key.name), 'undecodable');
  });

  it('takes a schema that is no record of ours for the wrong subject', async () => {
    const id = await registerAs('somebody-value', { schema: '"string"' });
    assert.equal(await reasonOf(envelope(id, Buffer.from([2, 0x41]))), 'wrong-subject');
  });

  it('learns an id that was unknown before, because it may be registered later', async () => {
    const other = await createCodecWithField();
    const own = codec.encode(observation, sample());
    const next_id = own.readInt32BE(1) + 100;
    assert.equal(await reasonOf(envelope(next_id, own.subarray(5))), 'unknown-schema');
    const asked = registry.asked.length;
    assert.equal(await reasonOf(envelope(next_id, own.subarray(5))), 'unknown-schema');
    assert.ok(registry.asked.length > asked);
    assert.ok(other.id > own.readInt32BE(1));
    const decoded = await codec.decode(observation, envelope(other.id, other.body));
    assert.equal(decoded.outcome, 'ok');
    assert.deepEqual(
      plain(decoded.fact),
      plain(sample()),
      'a field that this reader does not know is passed over',
    );
  });

  /** A later version of the schema with one more field, and the sample as it writes it. */
  const createCodecWithField = async (): Promise<{ id: number; body: Buffer }> => {
    const latest = await fetch(`${registry.url}/subjects/${observation}-value/versions/latest`);
    const { schema } = (await latest.json()) as { schema: string };
    const record = JSON.parse(schema) as { fields: object[] };
    record.fields.push({ name: 'duration_ms', type: ['null', 'long'], default: null });
    const id = await registerAs(`${observation}-value`, { schema: JSON.stringify(record) });
    const type = avro.Type.forSchema(record as unknown as avro.Schema);
    return { id, body: type.toBuffer({ ...sample(), duration_ms: 60_000 }) };
  };

  it('asks the registry once for an id, whatever number of messages carries it', async () => {
    const fresh = createCodec({ registry_url: registry.url });
    const bytes = codec.encode(observation, sample());
    assert.equal(fresh.decodeKnown(observation, bytes), null);
    const asked = registry.asked.length;
    const many = await Promise.all(Array.from({ length: 50 }, () => fresh.decode(observation, bytes)));
    assert.ok(many.every(({ outcome }) => outcome === 'ok'));
    assert.equal(registry.asked.length - asked, 1);
    assert.equal(fresh.decodeKnown(observation, bytes)?.outcome, 'ok');
  });

  it('registers the same schema again without another version, and encodes only after it has', async () => {
    const versions = async (): Promise<unknown> =>
      (await fetch(`${registry.url}/subjects/${topics.feed_poll.name}-value/versions`)).json();
    const fresh = createCodec({ registry_url: registry.url });
    assert.throws(
      () => fresh.encode(observation, sample()),
      (error) => isHailmarkError(error, 'HAIL_NOT_STARTED'),
    );
    await fresh.registerAll();
    assert.deepEqual(await versions(), [1]);
    assert.deepEqual(fresh.encode(observation, sample()), codec.encode(observation, sample()));
    const level = await (await fetch(`${registry.url}/config/${observation}-value`)).json();
    assert.deepEqual(level, { compatibilityLevel: 'FULL_TRANSITIVE' });
  });
});

/** Facts as plain values: decoded records are of classes of their own. */
function plain(fact: unknown): unknown {
  return JSON.parse(JSON.stringify(fact));
}
