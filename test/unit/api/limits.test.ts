import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { rateLimitHeaders } from '../../../services/api/limits/headers.ts';
import { createLimiter, type LimitDecision, type Limiter } from '../../../services/api/limits/limiter.ts';
import { createMemoryCounter } from '../../../services/api/limits/window-counter.ts';

const began_ms = Date.parse('2026-11-21T23:30:00.000Z');
const acme = { key_id: '0badcafe', per_minute: 60, per_day: 1_000 };
const other = { ...acme, key_id: 'ffffffff' };

function refusal(decision: LimitDecision): string | null {
  return decision.outcome === 'refused' ? `${decision.reason} ${decision.retry_after_s}` : null;
}

describe('the limits of a key', () => {
  let limiter: Limiter;

  beforeEach(() => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: began_ms });
    limiter = createLimiter({ counter: createMemoryCounter(), clock: () => Date.now() });
  });
  afterEach(() => mock.timers.reset());

  const admitMany = async (count: number, key = acme): Promise<LimitDecision[]> =>
    Promise.all(Array.from({ length: count }, () => limiter.admit(key)));

  it('let 60 requests in within 60 seconds of the first, and the next ones after that', async () => {
    assert.deepEqual((await admitMany(1)).map(refusal), [null]);
    mock.timers.tick(59_000);
    assert.equal(
      (await admitMany(59)).every(({ outcome }) => outcome === 'admitted'),
      true,
    );
    assert.equal(refusal(await limiter.admit(acme)), 'minute-rate-limit 1');
    // The window is the first request's, whatever came in it since: 999 ms are left of it, then none.
    mock.timers.tick(999);
    assert.equal(refusal(await limiter.admit(acme)), 'minute-rate-limit 1');
    mock.timers.tick(1);
    assert.equal(
      (await admitMany(60)).every(({ outcome }) => outcome === 'admitted'),
      true,
    );
    assert.equal(refusal(await limiter.admit(acme)), 'minute-rate-limit 60');
  });

  it('count days in UTC', async () => {
    const key = { ...acme, per_day: 2 };
    await admitMany(2, key);
    assert.equal(refusal(await limiter.admit(key)), 'day-rate-limit 1800');
    mock.timers.tick(30 * 60_000 - 1);
    assert.equal(refusal(await limiter.admit(key)), 'day-rate-limit 1');
    mock.timers.tick(1);
    assert.deepEqual((await admitMany(2, key)).map(refusal), [null, null]);
    assert.equal(refusal(await limiter.admit(key)), 'day-rate-limit 86400');
  });

  it('do not count what was refused or given back', async () => {
    const key = { ...acme, per_minute: 3, per_day: 4 };
    const [one, two] = await admitMany(3, key);
    // Refused again and again by the minute, the day stands at three.
    for (let times = 0; times < 10; times += 1)
      assert.match(refusal(await limiter.admit(key)) ?? '', /minute/);
    assert.ok(one?.outcome === 'admitted' && two?.outcome === 'admitted');
    await one.giveBack();
    assert.equal(refusal(await limiter.admit(key)), null);
    mock.timers.tick(60_000);
    // Its window is over: nothing is owed to the next one, and the day alone gets its place back.
    await two.giveBack();
    const decisions = await admitMany(3, key);
    assert.deepEqual(decisions.map(refusal), [null, null, 'day-rate-limit 1740']);
  });

  it('are each key for itself, and go by the newest limits', async () => {
    await admitMany(500);
    assert.equal(refusal(await limiter.admit(other)), null);
    assert.notEqual(refusal(await limiter.admit(acme)), null);
    assert.equal(refusal(await limiter.admit({ ...acme, per_minute: 61 })), null);
    assert.notEqual(refusal(await limiter.admit({ ...acme, per_minute: 10 })), null);
  });

  it('go on from what was counted before', async () => {
    await limiter.beginDay('2026-11-21', new Map([['0badcafe', 998]]));
    await limiter.beginDay('2026-11-20', new Map([['ffffffff', 1_000]]));
    assert.deepEqual((await admitMany(3)).map(refusal), [null, null, 'day-rate-limit 1800']);
    assert.equal(refusal(await limiter.admit(other)), null);
  });

  it('stand in the headers of the draft', async () => {
    const decision = await limiter.admit(acme);
    assert.deepEqual(rateLimitHeaders(acme, decision.standings), {
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=59;t=60, "day";r=999;t=1800',
    });
    const [, refused] = await admitMany(2, { ...acme, per_minute: 2 });
    assert.ok(refused);
    assert.equal(rateLimitHeaders(acme, refused.standings).RateLimit, '"minute";r=0;t=60');
  });

  it('are never overshot by requests at once, whichever of them are given back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.record({ together: fc.integer({ min: 1, max: 6 }), fails: fc.boolean() }), {
          maxLength: 12,
        }),
        async (per_minute, per_day, rounds) => {
          const one = createLimiter({ counter: createMemoryCounter(), clock: () => Date.now() });
          let counted = 0;
          for (const { together, fails } of rounds) {
            const decisions = await Promise.all(
              Array.from({ length: together }, () => one.admit({ key_id: 'k', per_minute, per_day })),
            );
            const free = Math.min(per_minute, per_day) - counted;
            const admitted = decisions.filter((each) => each.outcome === 'admitted');
            assert.ok(admitted.length <= free);
            // Nobody was in the way of the first of them.
            if (free > 0) assert.ok(admitted.length >= 1);
            if (fails) for (const each of admitted) await each.giveBack();
            else counted += admitted.length;
          }
        },
      ),
    );
  });
});
