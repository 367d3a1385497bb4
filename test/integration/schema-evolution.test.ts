import assert from 'node:assert/strict';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { createCodec, type Codec } from '../../services/log/codec.ts';
import type { DeadLetterFact } from '../../services/log/facts.ts';
import { releaseSchemas } from '../../services/log/release-schemas.ts';
import { checkSchemas } from '../../services/log/released-schemas.ts';
import { topics } from '../../services/log/topics.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { createCleanup } from '../support/cleanup.ts';
import { copySchemas, type SchemaFolder } from '../support/schema-folder.ts';
import { createRevisions, keyOf, radarDrafts, truthOf } from '../unit/projector/history.ts';
import { startBench, type Bench } from './projector/bench.ts';
import { viewOf } from './projector/view.ts';

const observation = topics.observation.name;
const names = Object.values(topics).map(({ name }) => name);
/** How many versions are released, so that the next real one changes no test. */
const last =
  checkSchemas(join(import.meta.dirname, '../../schemas/avro'), names).topics.find(
    ({ topic }) => topic === observation,
  )?.versions ?? 0;
const duration = { name: 'duration_ms', type: ['null', 'long'], default: null };

/** A fact as the next version has it. */
type LaterFact = ObservationFact & { duration_ms: number | null };

describe('a schema that changes', { timeout: 250_000 }, () => {
  const cleanup = createCleanup();
  let bench: Bench;
  let later: SchemaFolder;
  let later_codec: Codec;
  const old_facts = radarDrafts().map(createRevisions());
  const new_facts = old_facts.map((fact, index): LaterFact => ({
    ...fact,
    record_key: `${fact.record_key}/again`,
    duration_ms: index,
  }));

  const codecOf = ({ folder }: SchemaFolder): Codec =>
    createCodec({ registry_url: bench.local.registry_url, schemas_folder: folder });
  const registered = async (topic: string): Promise<number[]> => {
    const response = await fetch(`${bench.local.registry_url}/subjects/${topic}-value/versions`);
    return (await response.json()) as number[];
  };

  before(async () => {
    bench = cleanup.keep(await startBench());
    await bench.appendFacts(old_facts);
    later = cleanup.keep(copySchemas());
    later.editFields(observation, (fields) => [...fields, duration]);
    assert.deepEqual(releaseSchemas(later.folder, names), {
      released: [{ topic: observation, version: last + 1 }],
      problems: [],
    });
    later_codec = codecOf(later);
    await later_codec.registerAll();
    await bench.log.append(
      observation,
      new_facts.map((fact) => ({ key: keyOf(fact), value: later_codec.encode(observation, fact) })),
    );
  });
  after(() => cleanup.stop());

  it('by a field with a default passes the check and the registry', async () => {
    assert.deepEqual(checkSchemas(later.folder, names).problems, []);
    assert.deepEqual(await registered(observation), [1, 2]);
    assert.deepEqual(await registered(topics.feed_poll.name), [1], 'what has not changed has no new version');
  });

  it('projects old and new messages, by the old reader and by the new one alike', async () => {
    const facts = await bench.facts();
    assert.equal(facts.length, old_facts.length + new_facts.length, 'the old reader reads all of them');
    const by_old = await bench.project('by_old');
    const by_new = await bench.project('by_new', { codec: later_codec });
    assert.deepEqual(by_new, by_old);
    assert.deepEqual(viewOf(by_new), truthOf(facts));
    assert.equal((await bench.log.endOffsets(topics.dead_letter.name))[0], 0, 'nothing is a dead letter');
  });

  it('reads the default in old messages and the value in new ones, and old readers know nothing of either', async () => {
    const durations: (number | null)[] = [];
    for await (const page of bench.log.scan(observation)) {
      for (const { key, value } of page) {
        const by_new = await later_codec.decode(observation, value);
        const by_old = await bench.codec.decode(observation, value);
        assert.ok(by_new.outcome === 'ok' && by_old.outcome === 'ok');
        const { duration_ms, ...rest } = { ...by_new.fact } as LaterFact;
        assert.equal(JSON.stringify(by_old.fact), JSON.stringify(rest));
        assert.equal(duration_ms !== null, key.endsWith('/again'));
        durations.push(duration_ms);
      }
    }
    assert.deepEqual(
      durations.filter((each) => each !== null).sort((one, other) => one - other),
      new_facts.map((_, index) => index),
    );
  });

  it('lets processes of the old schema start and write while the new one is there', async () => {
    const old = createCodec({ registry_url: bench.local.registry_url });
    await old.registerAll();
    const [fact] = old_facts;
    assert.ok(fact);
    const bytes = old.encode(observation, fact);
    assert.deepEqual(bytes, bench.codec.encode(observation, fact), 'under the id that it had');
    const decoded = await later_codec.decode(observation, bytes);
    assert.ok(decoded.outcome === 'ok');
    assert.equal((decoded.fact as LaterFact).duration_ms, null);
    assert.deepEqual(await registered(observation), [1, 2]);
  });

  it('is read by every version that was ever released: letters, before and after they had a state', async () => {
    const first = cleanup.keep(copySchemas());
    for (const topic of names)
      copyFileSync(join(first.folder, `released/${topic}/1.avsc`), join(first.folder, `${topic}.avsc`));
    const first_codec = codecOf(first);
    await first_codec.registerAll();
    const topic = topics.dead_letter.name;
    const { state, ...letter }: DeadLetterFact = {
      ...{ state: 'dropped', topic: observation, partition: 3, offset: 41, key: 'NOAA_SED/679888' },
      ...{ value: Buffer.from([0, 1, 2]), headers: { from: 'elsewhere' }, at: 'observations.v1' },
      ...{ reason: 'foreign', error: 'the first byte is 1', failed_at: 1_795_166_224_000 },
    };
    const by_first = await first_codec.decode(topic, bench.codec.encode(topic, { ...letter, state }));
    assert.ok(by_first.outcome === 'ok');
    assert.deepEqual({ ...by_first.fact }, letter);
    const by_newest = await bench.codec.decode(topic, first_codec.encode(topic, letter as DeadLetterFact));
    assert.ok(by_newest.outcome === 'ok');
    assert.deepEqual({ ...by_newest.fact }, { ...letter, state: 'dead' });
  });

  const refused: [string, (schemas: SchemaFolder) => void, RegExp][] = [
    [
      'by a field without default',
      (schemas) => schemas.editFields(observation, (all) => [...all, { name: 'width_mi', type: 'double' }]),
      /the field width_mi of the working file .* has no default: only fields with defaults come or go/,
    ],
    [
      'by the loss of a field without default',
      (schemas) => schemas.editFields(observation, (all) => all.filter(({ name }) => name !== 'record_id')),
      /the field record_id of version \d is gone .* had no default/,
    ],
    [
      'by another type',
      (schemas) =>
        schemas.editFields(observation, (all) =>
          all.map((each) => (each.name === 'lat' ? { ...each, type: ['null', 'string'] } : each)),
        ),
      /the field lat is null or double in version \d and null or string/,
    ],
    [
      'by another name',
      (schemas) =>
        schemas.editFields(observation, (all) =>
          all.map((each) => (each.name === 'slice' ? { ...each, name: 'part' } : each)),
        ),
      /the field slice of version \d is called part/,
    ],
  ];
  for (const [how, change, sentence] of refused) {
    it(`${how} is refused by the check, by the release and by the registry`, async () => {
      const schemas = cleanup.keep(copySchemas());
      const known = await registered(observation);
      const released = readdirSync(join(schemas.folder, 'released', observation));
      change(schemas);
      const { problems } = checkSchemas(schemas.folder, names);
      assert.match(problems.filter((each) => each.includes(`version ${last} `)).join('\n'), sentence);
      assert.deepEqual(releaseSchemas(schemas.folder, names), { released: [], problems });
      assert.deepEqual(readdirSync(join(schemas.folder, 'released', observation)), released);
      await assert.rejects(codecOf(schemas).registerAll(), (error) =>
        isHailmarkError(error, 'HAIL_SCHEMA_CHANGED'),
      );
      assert.deepEqual(await registered(observation), known);
    });
  }
});
