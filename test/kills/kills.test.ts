import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryLog } from '../support/temporary-log.ts';
import { runKills } from './run.ts';

const seed = Number(process.env['HAILMARK_TEST_SEED'] ?? randomInt(2 ** 31));

// The run in small; `npm run kills` is the whole of it, on either twin. What Kafka adds is in test/long/kafka.test.ts and test/contract.
describe(`a projector killed at every point while facts flow (HAILMARK_TEST_SEED=${seed})`, () => {
  it('leaves tables that are the plain fold of the log', { timeout: 600_000 }, async () => {
    const { log, folder, dispose } = await temporaryLog();
    const module = join(import.meta.dirname, '../contract/event-log.sqlite.ts');
    const report = await runKills({
      log,
      elsewhere: { module, connection: folder },
      observations: 4_000,
      rounds: 1,
      random_kills: 4,
      seed,
      say: () => undefined,
    });
    await dispose();
    assert.ok(Object.values(report.named).every((hits) => hits === 1));
    assert.equal(report.random, 4);
    assert.ok(report.facts > 4_000);
    const none = { lost: 0, doubled: 0, ghosts: 0 };
    assert.deepEqual(report.differences, {
      'v1 at rest': none,
      'v2 at rest': none,
      'v1 delivered once more': none,
      'v2 delivered once more': none,
    });
  });
});
