import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { createLimiter } from '../../../services/api/limits/limiter.ts';
import { createSharedCounter, type SharedCounter } from '../../../services/api/limits/shared-counter.ts';
import { pause, systemClock } from '../../../services/runtime/clock.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startRedis, why_no_redis, type RedisServer } from '../../support/redis.ts';
import { answering, key, now_ms, startInProcess, verify, type InProcessApi } from './in-process.ts';

const made = createCleanup();
after(() => made.stop());
const output = pino({ level: 'silent' });
/** That Redis answers late, because the machine is busy, is none of what is tried here. */
const patience_ms = 20_000;
const limits = { key_id: '0badcafe', per_minute: 60, per_day: 1_000 };

interface Process {
  api: InProcessApi;
  counter: SharedCounter;
  /** What the metric hook was told. */
  away: boolean[];
}

/** The app with a connection of its own, as every API process has one. */
async function startProcess(redis: RedisServer, per_minute = 60): Promise<Process> {
  const away: boolean[] = [];
  const counter = createSharedCounter(
    { clock: systemClock, output, onAway: (is_away) => void away.push(is_away) },
    { redis_url: redis.url, patience_ms },
  );
  made.keep({ stop: counter.close });
  await counter.tried;
  const api = made.keep(
    await startInProcess({
      ...answering,
      limiter: createLimiter({ counter, clock: () => now_ms }),
      keys: {
        find: (presented) =>
          presented === key
            ? {
                ...{ key_id: '0badcafe', key_sha256: '', partner: 'test', created_at: 0 },
                ...{ revoked_at: null, expires_at: null, replaced_by: null, per_minute, per_day: 1_000 },
              }
            : null,
        isLoaded: () => true,
        position: () => 0,
        loaded: Promise.resolve(),
        done: Promise.resolve(),
      },
    }),
  );
  return { api, counter, away };
}

async function statusesOf(api: InProcessApi, count: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const response = await api.get(verify);
      await response.arrayBuffer();
      return response.status;
    }),
  );
}

const answered = (statuses: readonly number[]): number => statuses.filter((status) => status === 200).length;

describe('limits on one Redis', { skip: why_no_redis ?? false, timeout: 200_000 }, () => {
  it('are counted together by two API processes', async () => {
    const redis = made.keep(await startRedis());
    const [one, two] = [await startProcess(redis), await startProcess(redis)];
    const [of_one, of_two] = await Promise.all([statusesOf(one.api, 50), statusesOf(two.api, 50)]);
    assert.equal(answered(of_one) + answered(of_two), 60);
    assert.ok(answered(of_one) > 0 && answered(of_two) > 0);
    assert.deepEqual([one.counter.countedIn(), two.counter.countedIn()], ['redis', 'redis']);
  });

  it('are counted by each process for itself while Redis is away, which it says, and together again after', async () => {
    const redis = made.keep(await startRedis());
    const { api, counter, away } = await startProcess(redis, 5);
    assert.equal(answered(await statusesOf(api, 3)), 3);
    await redis.kill();
    // The process knows its own three, and refuses nobody for want of Redis.
    assert.equal(answered(await statusesOf(api, 10)), 2);
    assert.equal(counter.countedIn(), 'memory-while-redis-is-away');
    const page = await api.get('/readyz', { headers: {} });
    assert.equal(page.status, 200);
    const said = (await page.json()) as { limits_counted_in: string };
    assert.equal(said.limits_counted_in, 'memory-while-redis-is-away');
    await redis.start();
    while (counter.countedIn() !== 'redis') await pause(10);
    // This Redis lost its counts.
    assert.equal(answered(await statusesOf(api, 10)), 5);
    assert.deepEqual(away, [true, false]);
  });

  it('begin a day with what was counted before, where Redis has lost it, once for all processes', async () => {
    const redis = made.keep(await startRedis());
    const [one, two] = [await startProcess(redis), await startProcess(redis)];
    const limiters = [one, two].map(({ counter }) => createLimiter({ counter, clock: () => now_ms }));
    for (const limiter of limiters) await limiter.beginDay('2026-11-21', new Map([['0badcafe', 998]]));
    const decisions = [];
    for (const limiter of [...limiters, ...limiters]) decisions.push(await limiter.admit(limits));
    assert.deepEqual(
      decisions.map((each) => (each.outcome === 'refused' ? each.reason : 'admitted')),
      ['admitted', 'admitted', 'day-rate-limit', 'day-rate-limit'],
    );
  });

  it('give back what did not count, and owe nothing to a window that is over', async () => {
    const redis = made.keep(await startRedis());
    const { counter } = await startProcess(redis);
    const first = await counter.add('w', 60);
    assert.equal((await counter.add('w', 60)).count, 2);
    await first.takeBack();
    assert.equal((await counter.add('w', 60)).count, 2);
    const short = await counter.add('short', 1);
    // The window that follows is long, so that it is still the same below.
    while ((await counter.add('short', 60)).count !== 1) await pause(20);
    await short.takeBack();
    assert.equal((await counter.add('short', 60)).count, 2);
  });
});
