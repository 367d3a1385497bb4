import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { DeadLetterFact } from '../../../services/log/facts.ts';
import { deadLettersProjection } from '../../../services/projector/projections/dead-letters.ts';
import { deadLetterColumns } from '../../../services/store/dead_letters/row.ts';

const schema = join(import.meta.dirname, '../../../schemas/clickhouse/0020_dead_letters.sql');
const letter: DeadLetterFact = {
  state: 'dead',
  topic: 'hail.observation.v1',
  partition: 3,
  offset: 1_207,
  key: 'NEXRAD_SWDI/KEWX/2026-08-29T01:08:12Z/G2',
  value: Buffer.from('NOT REAL'),
  headers: {},
  at: 'observations.v1',
  reason: 'invalid-fact',
  error: 'the place is none',
  failed_at: Date.parse('2026-11-21T10:05:30.123Z'),
};

describe('a letter of hail.dead-letter.v1', () => {
  const projection = deadLettersProjection(1);
  const project = (fact: DeadLetterFact): ReturnType<typeof projection.project> =>
    projection.project('hail.dead-letter.v1', fact, fact.key, {
      ...{ topic: 'hail.dead-letter.v1', partition: 0, offset: 11 },
    });
  const rowOf = (fact: DeadLetterFact): unknown => {
    const outcome = project(fact);
    assert.ok(outcome.outcome === 'ok');
    const { rows } = projection.batch([outcome.change]);
    assert.deepEqual([rows?.table, rows?.columns], ['dead_letters_v1', deadLetterColumns]);
    return rows?.rows[0];
  };

  it('becomes its row with the size of the message and without its bytes', () => {
    assert.deepEqual(rowOf(letter), [
      ...['hail.observation.v1', 3, 1_207, 11, 'dead', letter.key, 'invalid-fact', 'the place is none'],
      ...['observations.v1', '2026-11-21 10:05:30.123', 8],
    ]);
    assert.equal((rowOf({ ...letter, state: 'retry', value: null }) as unknown[]).at(-1), null);
  });

  it('about keys and requests keeps neither key nor words of what may be a secret', () => {
    for (const topic of ['hail.api-key.v1', 'hail.api-request.v1'])
      assert.deepEqual(rowOf({ ...letter, topic, key: 'hm_live_secret', error: 'hm_live_secret' }), [
        ...[topic, 3, 1_207, 11, 'dead', '', 'invalid-fact', ''],
        ...['observations.v1', '2026-11-21 10:05:30.123', 8],
      ]);
  });

  it('is left out where it is about no message, and never dead itself', () => {
    for (const wrong of [
      { topic: '' },
      { partition: -1 },
      { partition: 65_536 },
      { offset: -1 },
      { failed_at: 1e15 },
    ])
      assert.equal(project({ ...letter, ...wrong }).outcome, 'drop', JSON.stringify(wrong));
  });

  it('has a column for each field of its row, explained to analysts', () => {
    const columns = [...readFileSync(schema, 'utf8').matchAll(/^ {4}(\w+) .*COMMENT '(.+)',?$/gm)];
    assert.deepEqual(
      columns.map(([, name]) => name),
      deadLetterColumns,
    );
    for (const [, name, comment = ''] of columns) assert.ok(comment.length > 10, name);
  });
});
