import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { requireValidDocument } from '../../../services/api/http/validation.ts';
import { readOpenApiDocument } from '../../../services/api/openapi-document.ts';
import { rose } from '../../../services/hail/geo/bearing.ts';
import { publishers } from '../../../services/hail/publisher.ts';
import { roofTypes } from '../../../services/hail/roof/roof-type.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { temporaryFolder } from '../../support/local-services.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const document = readOpenApiDocument({ public_base_url: 'https://hail.test/hailmark' });
const root = JSON.parse(document.bytes.toString('utf8')) as { [name: string]: Json };

function at(...path: string[]): Json {
  let node: Json = root;
  for (const name of path) {
    assert.ok(typeof node === 'object' && node !== null && !Array.isArray(node), path.join('/'));
    const next: Json | undefined = node[name];
    assert.notEqual(next, undefined, path.join('/'));
    node = next ?? null;
  }
  return node;
}

function visit(node: Json, see: (node: { [name: string]: Json }) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) see(node);
  for (const child of Object.values(node)) visit(child, see);
}

const keyed = ['/property/verify', '/property/history', '/property/score', '/lookup'];
const free = ['/meta/health', '/meta/methodology', '/openapi.json'];

describe('openapi.json', () => {
  it('is 3.1.0 and declares the operations of this version and no other', () => {
    assert.equal(root['openapi'], '3.1.0');
    const paths = at('paths') as Record<string, Json>;
    assert.deepEqual(Object.keys(paths).sort(), [...keyed, ...free].sort());
    for (const path of Object.keys(paths))
      assert.deepEqual(Object.keys(at('paths', path) as object), ['get'], path);
  });

  it('asks for a key where the contract does', () => {
    for (const path of keyed) assert.equal(document.isKeyed(path), true, path);
    for (const path of free) assert.equal(document.isKeyed(path), false, path);
    assert.equal(at('components', 'securitySchemes', 'api_key', 'in'), 'query');
    const { description } = at('components', 'securitySchemes', 'api_key') as { description: string };
    assert.match(description, /[Dd]eprecated/);
  });

  it('resolves every reference', () => {
    let references = 0;
    visit(root, (node) => {
      const reference = node['$ref'];
      if (typeof reference !== 'string') return;
      references += 1;
      at(...reference.replace('#/', '').split('/'));
    });
    assert.ok(references > 20);
  });

  it('has an example in every response with a body', () => {
    visit(root, (node) => {
      const body = node['application/json'];
      if (body === undefined) return;
      assert.ok(
        typeof body === 'object' && body !== null && 'examples' in body,
        JSON.stringify(body).slice(0, 200),
      );
    });
  });

  it('declares bounds and defaults of the contract', () => {
    const declared = Object.fromEntries(
      keyed.map((path) => [
        path,
        Object.fromEntries(document.queryParameters(path).map(({ name, schema }) => [name, schema as Json])),
      ]),
    );
    const radius = { type: 'number', exclusiveMinimum: 0, maximum: 25, default: 5 };
    const size = { type: 'number', minimum: 0, maximum: 10, default: 0.75 };
    const verify = declared['/property/verify'];
    const history = declared['/property/history'];
    assert.deepEqual(Object.keys(verify ?? {}), [
      'address',
      'date_of_loss',
      'window_days',
      'radius_mi',
      'min_size_in',
    ]);
    assert.deepEqual(Object.keys(history ?? {}), [
      'address',
      'since',
      'until',
      'radius_mi',
      'min_size_in',
      'limit',
    ]);
    const score = declared['/property/score'];
    assert.deepEqual(Object.keys(score ?? {}), ['address', 'roof_age', 'roof_type', 'radius_mi']);
    assert.deepEqual(score?.['radius_mi'], radius);
    assert.deepEqual(score['roof_age'], { type: 'integer', minimum: 0, maximum: 100, default: 10 });
    assert.deepEqual(score['roof_type'], {
      type: 'string',
      enum: [...roofTypes],
      default: 'asphalt_shingle',
    });
    assert.deepEqual(Object.keys(declared['/lookup'] ?? {}), ['address']);
    for (const operation of [verify, history]) {
      assert.deepEqual([operation?.['radius_mi'], operation?.['min_size_in']], [radius, size]);
    }
    assert.deepEqual(verify?.['window_days'], { type: 'integer', minimum: 1, maximum: 180, default: 45 });
    assert.deepEqual(history?.['limit'], { type: 'integer', minimum: 1, maximum: 5000, default: 500 });
    assert.equal(document.defaultOf('/property/history', 'since'), '2015-01-01');
  });

  it('names the sixteen bearings and the six publishers as the domain does', () => {
    const verify_event = at('components', 'schemas', 'VerifyEvent', 'allOf') as Json[];
    const own = verify_event[1] as { properties: { bearing: { enum: string[] } } };
    assert.deepEqual(own.properties.bearing.enum, [...rose]);
    assert.deepEqual(at('components', 'schemas', 'Meta', 'properties', 'data_sources', 'items', 'enum'), [
      ...publishers,
    ]);
  });

  it('gives no object both names of its own and a type for all others', () => {
    // An optional property is no string: what strict TypeScript generators make of both does not compile.
    visit(root, (node) => {
      const both = 'properties' in node && typeof node['additionalProperties'] === 'object';
      assert.equal(both, false, JSON.stringify(node).slice(0, 200));
    });
  });

  it('says what the contract leaves open', () => {
    const text = document.bytes.toString('utf8');
    for (const sentence of [
      'exclusive: with `window_days=1` it covers the day before and the date of loss itself',
      'An evening in the United States lies on the next UTC day',
      'straddles midnight UTC',
      'Below 0.50 it shows no weaker MRMS hail',
    ]) {
      assert.ok(text.includes(sentence), sentence);
    }
  });

  it('names the public base URL in servers and links, and nothing relative or of an example is left', () => {
    assert.deepEqual(at('servers'), [
      { url: 'https://hail.test/hailmark/api/v1', description: 'The whole API' },
      { url: 'https://hail.test/hailmark/v1', description: 'The shorter form' },
    ]);
    assert.equal(at('externalDocs', 'url'), 'https://hail.test/hailmark/docs');
    for (const path of ['/lookup', '/openapi.json'])
      assert.deepEqual(at('paths', path, 'get', 'servers'), [{ url: 'https://hail.test/hailmark/api/v1' }]);
    assert.equal(document.bytes.toString('utf8').includes('hail.example.com'), false);
    assert.ok(document.bytes.toString('utf8').includes('https://hail.test/hailmark/methodology'));
  });

  it('has a strong ETag of the bytes as served', () => {
    const other = readOpenApiDocument({ public_base_url: 'https://other.test' });
    assert.match(document.etag, /^"[\w-]{43}"$/);
    assert.notEqual(other.etag, document.etag);
    assert.equal(readOpenApiDocument({ public_base_url: 'https://other.test' }).etag, other.etag);
  });

  it('declares every status and header of the contract at every operation', () => {
    const ok = ['Cache-Control', 'X-Request-Id'];
    const answer = [
      ...ok,
      'X-Methodology-Version',
      'X-Data-Position',
      'X-Data-Coverage',
      'X-Address-Corrections',
    ];
    for (const path of [...keyed, ...free]) {
      const responses = at('paths', path, 'get', 'responses') as Record<string, Json>;
      const statuses = keyed.includes(path)
        ? ['400', '401', '405', '422', '429', '500', '503']
        : ['400', '405', '500', '503'];
      for (const status of ['200', ...statuses]) assert.ok(status in responses, `${path} ${status}`);
      const declared = at('paths', path, 'get', 'responses', '200', 'headers') as object;
      for (const name of keyed.includes(path)
        ? [...answer, 'Deprecation', 'Link', 'RateLimit', 'RateLimit-Policy']
        : ok)
        assert.ok(name in declared, `${path} ${name}`);
    }
    for (const name of Object.keys(at('components', 'responses') as object)) {
      const declared = at('components', 'responses', name, 'headers') as object;
      for (const header of ok) assert.ok(header in declared, `${name} ${header}`);
    }
  });

  it('gives each header an example', () => {
    for (const [name, header] of Object.entries(at('components', 'headers') as Record<string, object>))
      assert.ok('example' in header, name);
  });
});

describe('an openapi.json that no API can be served by', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'openapi.json');
  after(() => rmSync(folder, { recursive: true, force: true }));

  const sentence = async (content: string | null): Promise<string> => {
    if (content === null) rmSync(file, { force: true });
    else writeFileSync(file, content);
    try {
      await requireValidDocument(readOpenApiDocument({ public_base_url: 'https://hail.test', file }));
      return 'it is taken';
    } catch (error) {
      assert.ok(isHailmarkError(error, 'HAIL_NOT_STARTED'), String(error));
      return error.message;
    }
  };
  const changed = (change: (whole: { [name: string]: Json }) => void): string => {
    const whole = JSON.parse(document.bytes.toString('utf8')) as { [name: string]: Json };
    change(whole);
    return JSON.stringify(whole);
  };

  it('is taken as it came', async () => {
    assert.equal(await sentence(changed(() => undefined)), 'it is taken');
  });

  it('ends a start with one sentence that says what is wrong and what to do', async (t) => {
    // The validator's library prints the places of a wrong document itself.
    t.mock.method(console, 'error', () => undefined);
    const cases: [content: string | null, why: RegExp][] = [
      [null, /it cannot be read \(ENOENT\)/],
      ['{"openapi": "3.1.0", ', /it is not JSON/],
      ['[]', /it has no paths or no components/],
      [changed((whole) => delete whole['info']), /it is no valid OpenAPI document/],
      [changed((whole) => (whole['openapi'] = '2.0')), /it is no valid OpenAPI document/],
      [
        changed((whole) => {
          (whole['paths'] as { [name: string]: Json })['/more'] = {
            get: { responses: { 200: { $ref: '#/components/responses/Nothing' } } },
          };
        }),
        /it is no valid OpenAPI document/,
      ],
    ];
    for (const [content, why] of cases) {
      const message = await sentence(content);
      assert.match(message, why);
      assert.match(
        message,
        /^The API cannot start on schemas\/openapi\.json: .* Put back the file of this version\.$/,
      );
    }
  });

  it('ends it too where an operation is missing that this version has', () => {
    assert.throws(
      () => {
        writeFileSync(
          file,
          changed((whole) => delete (whole['paths'] as { [name: string]: Json })['/lookup']),
        );
        readOpenApiDocument({ public_base_url: 'https://hail.test', file }).isKeyed('/lookup');
      },
      (error) =>
        isHailmarkError(error, 'HAIL_NOT_STARTED') && error.message.includes('declares no GET /lookup'),
    );
  });
});
