import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createCodec, type Codec } from '../../services/log/codec.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { topics } from '../../services/log/topics.ts';
import { createDeadLetters } from '../../services/projector/dead-letters.ts';
import { runProjections } from '../../services/projector/loop.ts';
import { prepareStore } from '../../services/projector/prepare.ts';
import { pause, systemClock } from '../../services/runtime/clock.ts';
import { readConfig, type Config } from '../../services/runtime/config.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { createPatience } from '../../services/runtime/patience.ts';
import { readPositions } from '../../services/store/positions.ts';
import { createStore } from '../../services/store/store.ts';
import { viewOf } from '../integration/projector/view.ts';
import { copySchemas, type FieldJson } from '../support/schema-folder.ts';
import { dumpTables } from '../support/store-tables.ts';
import { correctedHistory, keyOf, radarDrafts, truthOf, type StoredFact } from '../unit/projector/history.ts';
import type { RealServices } from './services.ts';

const observation = topics.observation.name;

/** The codec against a registry: what the local one does, a Confluent one does. */
export function registryContract(services: () => RealServices): void {
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`${services().registry_url}${path}`)).json();
  const codecWith = async (field: FieldJson | null): Promise<Codec> => {
    const schemas = copySchemas();
    if (field !== null) schemas.editFields(observation, (fields) => [...fields, field]);
    const codec = createCodec({
      registry_url: services().registry_url,
      schemas_folder: schemas.folder,
      registry_timeout_ms: 20_000,
    });
    schemas.stop();
    await codec.registerAll();
    return codec;
  };

  it('takes every schema once and holds it to FULL_TRANSITIVE', async () => {
    await codecWith(null);
    await codecWith(null);
    for (const { name } of Object.values(topics)) {
      assert.deepEqual(await ask(`/subjects/${name}-value/versions`), [1], name);
      assert.deepEqual(await ask(`/config/${name}-value`), { compatibilityLevel: 'FULL_TRANSITIVE' }, name);
    }
  });

  it('carries facts there and back, and knows an id that nobody has registered', async () => {
    const codec = await codecWith(null);
    const [fact] = correctedHistory(radarDrafts());
    assert.ok(fact);
    const bytes = codec.encode(observation, fact);
    const decoded = await (await codecWith(null)).decode(observation, bytes);
    assert.deepEqual(JSON.parse(JSON.stringify(decoded)), { outcome: 'ok', fact });
    bytes.writeInt32BE(2_000_000_000, 1);
    const unknown = await codec.decode(observation, bytes);
    assert.ok(unknown.outcome === 'dead' && unknown.reason === 'unknown-schema');
  });

  it('takes a field with a default, and refuses one without', async () => {
    await codecWith({ name: 'duration_ms', type: ['null', 'long'], default: null });
    assert.deepEqual(await ask(`/subjects/${observation}-value/versions`), [1, 2]);
    await assert.rejects(codecWith({ name: 'width_mi', type: 'double' }), (error) =>
      isHailmarkError(error, 'HAIL_SCHEMA_CHANGED'),
    );
  });
}

/** Migrations and a projection against a store: from the log to the tables, as a plain fold of the log has it. */
export function projectionContract(
  services: () => RealServices,
  openLog: (config: Config) => Promise<EventLog>,
): void {
  const configOf = ({ registry_url, clickhouse_url, ...account }: RealServices): Config =>
    readConfig({
      SCHEMA_REGISTRY_URL: registry_url,
      CLICKHOUSE_URL: clickhouse_url,
      CLICKHOUSE_USER: account.clickhouse_user,
      CLICKHOUSE_PASSWORD: account.clickhouse_password,
      CLICKHOUSE_DATABASE: 'contract',
    });
  let config: Config;
  before(() => {
    config = configOf(services());
  });

  it('runs the migrations, again too, and projects observations with their corrections', async () => {
    const log = await openLog(config);
    const store = createStore(config, { timeout_ms: 60_000 });
    const stopping = new AbortController();
    try {
      await log.ensureTopics(Object.values(topics));
      const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
      await codec.registerAll();
      const messages = correctedHistory(radarDrafts()).map((fact) => ({
        key: keyOf(fact),
        value: codec.encode(observation, fact),
      }));
      await log.append(observation, messages);

      const output = pino({ level: 'silent' });
      await prepareStore(config, store, systemClock);
      const projections = await prepareStore(config, store, systemClock);
      const deps = {
        ...{ log, codec, store, clock: systemClock, output },
        dead_letters: createDeadLetters({ log, codec, clock: systemClock, output }),
        patiently: createPatience({ clock: systemClock, output }, stopping.signal),
      };
      const members = await runProjections(deps, projections, {
        batch_messages: 100,
        signal: stopping.signal,
      });
      const failed = Promise.all(members.map(({ done }) => done)).then(() => {
        throw new Error('the projector ended before it had read everything');
      });
      const ends = await log.endOffsets(observation);
      const passed = async (): Promise<void> => {
        for (;;) {
          const positions = await readPositions(store, 'observations', 1);
          const reached = ends.every((end, partition) =>
            positions.some((each) => each.partition === partition && each.next_offset >= end),
          );
          if (reached || stopping.signal.aborted) return;
          await pause(50);
        }
      };
      await Promise.race([passed(), failed]);
      failed.catch(() => undefined);

      const facts: StoredFact[] = [];
      for await (const page of log.scan(observation)) {
        for (const { partition, offset, value } of page) {
          const decoded = await codec.decode(observation, value);
          assert.ok(decoded.outcome === 'ok');
          facts.push({ fact: decoded.fact, partition, offset });
        }
      }
      assert.equal(facts.length, messages.length);
      assert.deepEqual(viewOf(await dumpTables(store)), truthOf(facts));
      stopping.abort();
      for (const member of members) await member.leave();
    } finally {
      stopping.abort();
      await store.close();
      await log.close();
    }
  });
}

/** All that real services are held to beside the log's own contract. */
export function realServicesContract(
  services: () => RealServices,
  openLog: (config: Config) => Promise<EventLog>,
): void {
  describe('the registry', () => registryContract(services));
  describe('the store', () => projectionContract(services, openLog));
}
