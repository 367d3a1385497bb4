import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ApiKeyFact, ApiRequestFact } from '../../../services/log/facts.ts';
import { apiKeysProjection } from '../../../services/projector/projections/api-keys.ts';
import { apiRequestsProjection } from '../../../services/projector/projections/api-requests.ts';
import { apiKeyColumns } from '../../../services/store/api_keys/row.ts';
import { apiRequestColumns } from '../../../services/store/api_requests/row.ts';

const schemas = join(import.meta.dirname, '../../../schemas/clickhouse');
const key: ApiKeyFact = {
  key_id: '5f3a09c1',
  key_sha256: 'e86262334d4b0dfe2890bf62b098947fa67ca9ec222c4c959e05242b8dfeaf8e',
  partner: 'Example Roofing',
  per_minute: 60,
  per_day: 1_000,
  created_at: Date.parse('2026-11-20T09:17:04.000Z'),
  revoked_at: null,
  expires_at: Date.parse('2026-11-21T09:17:04.000Z'),
  replaced_by: '9c41d07e',
};
const request: ApiRequestFact = {
  request_id: '3f0d4c1e-8f5b-4c8e-9f5a-6a0f3b1c2d4e',
  key_id: '5f3a09c1',
  operation: 'verify',
  status: 200,
  duration_ms: 41.37,
  methodology_version: 'v2',
  geohash_4: null,
  at: Date.parse('2026-11-21T10:05:30.123Z'),
};

/** Columns of a schema file in their order, and their comments. */
function columnsOf(file: string): [string, string][] {
  const sql = readFileSync(join(schemas, `${file}.sql`), 'utf8');
  return [...sql.matchAll(/^ {4}(\w+) .*COMMENT '(.+)',?$/gm)].map(([, name = '', comment = '']) => [
    name,
    comment,
  ]);
}

describe('a fact of hail.api-key.v1', () => {
  const projection = apiKeysProjection(1);
  const project = (fact: ApiKeyFact, under = fact.key_id): ReturnType<typeof projection.project> =>
    projection.project('hail.api-key.v1', fact, under, { topic: 'hail.api-key.v1', partition: 0, offset: 7 });

  it('becomes its row without the hash', () => {
    const outcome = project(key);
    assert.ok(outcome.outcome === 'ok');
    const { rows } = projection.batch([outcome.change]);
    assert.deepEqual([rows?.table, rows?.columns], ['api_keys_v1', apiKeyColumns]);
    assert.deepEqual(rows?.rows, [
      [
        ...['5f3a09c1', 'Example Roofing', 60, 1_000, '2026-11-20 09:17:04.000'],
        ...[null, '2026-11-21 09:17:04.000', '9c41d07e', 0, 7],
      ],
    ]);
    assert.equal(JSON.stringify(rows).includes(key.key_sha256), false);
  });

  it('is dead under the id of another key, or with limits that are none', () => {
    assert.equal(project(key, 'ffffffff').outcome, 'dead');
    assert.equal(project({ ...key, per_minute: 0 }).outcome, 'dead');
    assert.equal(project({ ...key, per_day: -1 }).outcome, 'dead');
    assert.equal(project({ ...key, key_id: 'x' }).outcome, 'dead');
  });
});

describe('a fact of hail.api-request.v1', () => {
  const projection = apiRequestsProjection(1);
  const project = (fact: ApiRequestFact, under = fact.request_id): ReturnType<typeof projection.project> =>
    projection.project('hail.api-request.v1', fact, under, {
      ...{ topic: 'hail.api-request.v1', partition: 4, offset: 11 },
    });

  it('becomes its row', () => {
    const outcome = project(request);
    assert.ok(outcome.outcome === 'ok');
    const { rows } = projection.batch([outcome.change]);
    assert.deepEqual([rows?.table, rows?.columns], ['api_requests_v1', apiRequestColumns]);
    assert.deepEqual(rows?.rows, [
      [
        ...['3f0d4c1e-8f5b-4c8e-9f5a-6a0f3b1c2d4e', '5f3a09c1', 'verify', 200, 41.37, 'v2', ''],
        ...['2026-11-21 10:05:30.123', 4, 11],
      ],
    ]);
  });

  it('is dead where it is no request', () => {
    for (const wrong of [
      { status: 99 },
      { status: 600 },
      { duration_ms: -1 },
      { key_id: 'hm_live_' },
      { geohash_4: '9v1' },
      { geohash_4: '9v1a' },
    ])
      assert.equal(project({ ...request, ...wrong }).outcome, 'dead', JSON.stringify(wrong));
    assert.equal(project(request, 'another').outcome, 'dead');
    assert.equal(project({ ...request, status: null, geohash_4: '9v1z' }).outcome, 'ok');
  });
});

describe('the tables of keys and requests', () => {
  it('have a column for each field of their rows, explained to analysts', () => {
    for (const [file, columns] of [
      ['0012_api_keys', apiKeyColumns],
      ['0013_api_requests', apiRequestColumns],
    ] as const) {
      const found = columnsOf(file);
      assert.deepEqual(
        found.map(([name]) => name),
        columns,
      );
      for (const [name, comment] of found) assert.ok(comment.length > 10, name);
    }
  });
});
