import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { openJournal } from '../../infra/local/registry/store.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { startLocalServices, temporaryFolder, type LocalServices } from '../support/local-services.ts';

interface Field {
  name: string;
  type: unknown;
  default?: unknown;
}
const record = (name: string, fields: Field[]): string =>
  JSON.stringify({ type: 'record', name, namespace: 'hail', fields });
const place: Field[] = [
  { name: 'lat', type: 'double' },
  { name: 'lon', type: 'double' },
];

describe('the local schema registry', () => {
  let local: LocalServices;
  before(async () => {
    local = await startLocalServices();
  });
  after(() => local.stop());

  const call = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; type: string | null; body: unknown }> => {
    const response = await fetch(`${local.registry_url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.json(),
    };
  };
  const register = (subject: string, schema: string): ReturnType<typeof call> =>
    call('POST', `/subjects/${encodeURIComponent(subject)}/versions`, { schema });
  const failed = ({ status, body }: Awaited<ReturnType<typeof call>>): [number, unknown] => [
    status,
    (body as { error_code?: number }).error_code,
  ];

  it('serves the stock client: registers, encodes, decodes with an evolved schema', async () => {
    const client = new SchemaRegistry({ host: local.registry_url });
    const options = { compatibility: COMPATIBILITY.FULL_TRANSITIVE, subject: 'client-value' };
    const first = await client.register({ type: SchemaType.AVRO, schema: record('Client', place) }, options);
    const evolved = [...place, { name: 'size_in', type: ['null', 'double'], default: null }];
    const second = await client.register(
      { type: SchemaType.AVRO, schema: record('Client', evolved) },
      options,
    );
    assert.notEqual(second.id, first.id);
    const bytes = await client.encode(first.id, { lat: 35, lon: -97 });
    assert.equal(bytes.readUInt8(0), 0);
    assert.equal(bytes.readUInt32BE(1), first.id);
    const reader = JSON.parse(record('Client', evolved)) as never;
    const fresh = new SchemaRegistry({ host: local.registry_url });
    const value = (await fresh.decode(bytes, { AVRO: { readerSchema: reader } })) as Record<string, unknown>;
    assert.deepEqual({ ...value }, { lat: 35, lon: -97, size_in: null });
    await assert.rejects(
      client.register(
        { type: SchemaType.AVRO, schema: record('Client', [...evolved, { name: 'must', type: 'int' }]) },
        options,
      ),
      (error) => error instanceof Error && 'status' in error && error.status === 409,
    );
    assert.deepEqual((await call('GET', '/config/client-value')).body, {
      compatibilityLevel: 'FULL_TRANSITIVE',
    });
  });

  it('gives one schema one id, whatever the subject, the white space and the order of keys', async () => {
    const schema = record('Same', place);
    const { body: one } = await register('same-a', schema);
    const { name, ...rest } = JSON.parse(schema) as { name: string };
    const other = JSON.stringify({ ...rest, name }, null, 2);
    assert.notEqual(other, schema);
    assert.deepEqual((await register('same-b', other)).body, one);
    assert.deepEqual((await register('same-a', other)).body, one);
    assert.deepEqual((await call('GET', '/subjects/same-a/versions')).body, [1]);
    const looked_up = await call('POST', '/subjects/same-b', { schema });
    assert.equal(looked_up.status, 200);
    assert.deepEqual(Object.keys(looked_up.body as object).sort(), ['id', 'schema', 'subject', 'version']);
    const { id } = one as { id: number };
    assert.deepEqual((await call('GET', `/schemas/ids/${id}/versions`)).body, [
      { subject: 'same-a', version: 1 },
      { subject: 'same-b', version: 1 },
    ]);
  });

  it('answers every read', async () => {
    const schema = record('Read', place);
    const { body } = await register('dir/read value', schema);
    const { id } = body as { id: number };
    const subject = encodeURIComponent('dir/read value');
    const { body: latest, type } = await call('GET', `/subjects/${subject}/versions/latest`);
    assert.equal(type, 'application/vnd.schemaregistry.v1+json');
    assert.deepEqual(latest, { subject: 'dir/read value', version: 1, id, schema });
    assert.deepEqual((await call('GET', `/subjects/${subject}/versions/1`)).body, latest);
    assert.deepEqual((await call('GET', `/subjects/${subject}/versions/1/schema`)).body, JSON.parse(schema));
    assert.deepEqual((await call('GET', `/schemas/ids/${id}`)).body, { schema });
    assert.deepEqual((await call('GET', '/schemas/types')).body, ['AVRO']);
    assert.deepEqual((await call('GET', '/')).body, {});
    assert.ok(((await call('GET', '/subjects')).body as string[]).includes('dir/read value'));
    assert.deepEqual((await call('GET', '/config')).body, { compatibilityLevel: 'BACKWARD' });
  });

  it("refuses with Confluent's codes", async () => {
    await register('codes', record('Codes', place));
    const schema = record('Codes', [...place, { name: 'extra', type: 'int' }]);
    for (const [method, path, body, expected] of [
      ['GET', '/subjects/nobody/versions', undefined, [404, 40401]],
      ['GET', '/subjects/codes/versions/9', undefined, [404, 40402]],
      ['GET', '/subjects/codes/versions/none', undefined, [422, 42202]],
      ['GET', '/schemas/ids/99999', undefined, [404, 40403]],
      ['POST', '/subjects/codes', { schema }, [404, 40403]],
      ['GET', '/config/codes', undefined, [404, 40408]],
      ['PUT', '/config/codes', { compatibility: 'SOMETIMES' }, [422, 42203]],
      ['POST', '/subjects/codes/versions', { schema: '{"type":"nothing"}' }, [422, 42201]],
      ['POST', '/subjects/codes/versions', { schema: '{' }, [422, 42201]],
      ['POST', '/subjects/codes/versions', { schema: '{}', schemaType: 'PROTOBUF' }, [422, 42201]],
      ['POST', '/subjects/codes/versions', { schema: '"int"', references: [{}] }, [422, 42201]],
      ['POST', '/subjects/codes/versions', { schema }, [409, 409]],
      ['GET', '/subjects/%E0%A4%A/versions', undefined, [400, 400]],
      ['GET', '//', undefined, [404, 404]],
    ] as const) {
      assert.deepEqual(failed(await call(method, path, body)), expected, `${method} ${path}`);
    }
    assert.deepEqual((await call('GET', '/subjects/codes/versions')).body, [1]);
  });

  it('holds each level to what it says', async () => {
    // Versions of one record: v2 dropped `lon`, which had no default; v3 takes it up again without one.
    const v1 = record('Level', [
      { name: 'lat', type: 'double' },
      { name: 'lon', type: 'double' },
    ]);
    const v2 = record('Level', [{ name: 'lat', type: 'double' }]);
    const optional = record('Level', [
      { name: 'lat', type: 'double' },
      { name: 'lon', type: 'double', default: 0 },
    ]);
    const allowed: [string, string, string, boolean][] = [
      ['BACKWARD', v1, v2, true],
      ['BACKWARD', v2, v1, false],
      ['FORWARD', v1, v2, false],
      ['FORWARD', v2, v1, true],
      ['FULL', v1, v2, false],
      ['FULL', v2, optional, true],
      ['NONE', v1, '"string"', true],
    ];
    for (const [at, [level, old, next, compatible]] of allowed.entries()) {
      const subject = `level-${at}`;
      await call('PUT', `/config/${subject}`, { compatibility: level });
      await register(subject, old);
      const check = await call('POST', `/compatibility/subjects/${subject}/versions/latest`, {
        schema: next,
      });
      assert.equal((check.body as { is_compatible: boolean }).is_compatible, compatible, `${level} ${at}`);
      assert.equal((await register(subject, next)).status, compatible ? 200 : 409, `${level} ${at}`);
    }
    // v1 → optional → v2 is forward at every step; from v1 to v2 it is not.
    for (const [level, status] of [
      ['FORWARD', 200],
      ['FORWARD_TRANSITIVE', 409],
    ] as const) {
      const subject = `steps-${level}`;
      await call('PUT', `/config/${subject}`, { compatibility: level });
      await register(subject, v1);
      await register(subject, optional);
      assert.equal((await register(subject, v2)).status, status, level);
    }
  });

  it('knows all it acknowledged after being killed', async () => {
    const first = await startLocalServices();
    const post = async (n: number): Promise<number> => {
      const response = await fetch(`${first.registry_url}/subjects/k${n}/versions`, {
        method: 'POST',
        body: JSON.stringify({ schema: record(`K${n}`, place) }),
      });
      return ((await response.json()) as { id: number }).id;
    };
    const acknowledged = new Map<number, number>();
    const writing = (async () => {
      for (let n = 0; ; n += 1) {
        acknowledged.set(n, await post(n));
        if (n === 20) void first.kill9();
      }
    })();
    await assert.rejects(writing);
    const again = await startLocalServices({ data_dir: first.data_dir });
    for (const [n, id] of acknowledged) {
      const response = await fetch(`${again.registry_url}/subjects/k${n}/versions/1`);
      assert.equal(((await response.json()) as { id: number }).id, id);
    }
    await again.stop();
    rmSync(first.data_dir, { recursive: true, force: true });
  });
});

describe("the registry's journal", () => {
  const folders: string[] = [];
  const emptyFolder = (): string => {
    const folder = temporaryFolder();
    folders.push(folder);
    return folder;
  };
  after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  it('cuts off a torn last line, says so, and goes on', () => {
    const folder = emptyFolder();
    const entry = { kind: 'version', subject: 's', version: 1, id: 1 } as const;
    const journal = openJournal(folder);
    journal.append([entry]);
    journal.close();
    const path = join(folder, 'registry.jsonl');
    const { size } = statSync(path);
    appendFileSync(path, '{"kind":"vers');
    const again = openJournal(folder);
    assert.equal(again.torn_bytes, 13);
    assert.equal(statSync(path).size, size);
    assert.deepEqual(again.entries, [entry]);
    again.append([{ ...entry, version: 2 }]);
    again.close();
    const third = openJournal(folder);
    assert.equal(third.torn_bytes, 0);
    assert.equal(third.entries.length, 2);
    third.close();
  });

  it('stops on a damaged line in the middle, and changes nothing', () => {
    const folder = emptyFolder();
    const path = join(folder, 'registry.jsonl');
    const damaged = '{"kind":"ver\n{"kind":"level","subject":null,"level":"FULL"}\n';
    writeFileSync(path, damaged);
    assert.throws(
      () => openJournal(folder),
      (error) => isHailmarkError(error, 'HAIL_DATA_DIR') && error.message.includes('Line 1 of'),
    );
    assert.equal(readFileSync(path, 'utf8'), damaged);
  });
});
