import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { AppDeps } from '../../../services/api/app.ts';
import { createLimiter } from '../../../services/api/limits/limiter.ts';
import { createMemoryCounter } from '../../../services/api/limits/window-counter.ts';
import type { ApiKeyFact, ApiRequestFact } from '../../../services/log/facts.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { answering, errorOf, now_ms, startInProcess, verify, type InProcessApi } from './in-process.ts';

const made = createCleanup();
after(() => made.stop());

const lookup = verify.replace('/v1/property/verify', '/api/v1/lookup');

/** Two partners by their keys' names: each name is its key and its id. */
function partners(limits: Partial<ApiKeyFact> = {}): AppDeps['keys'] {
  const fact = (key_id: string): ApiKeyFact => ({
    ...{ key_id, key_sha256: '', partner: key_id, per_minute: 60, per_day: 1_000, created_at: 0 },
    ...{ revoked_at: null, expires_at: null, replaced_by: null },
    ...limits,
  });
  return {
    find: (presented) => (['acme', 'other'].includes(presented) ? fact(presented) : null),
    isLoaded: () => true,
    position: () => 0,
    loaded: Promise.resolve(),
    done: Promise.resolve(),
  };
}

async function start(deps: Partial<AppDeps> = {}): Promise<InProcessApi> {
  return made.keep(await startInProcess({ ...answering, keys: partners(), ...deps }));
}

const as = (partner: string): RequestInit => ({ headers: { Authorization: `Bearer ${partner}` } });

async function statuses(api: InProcessApi, path: string, count: number, partner = 'acme'): Promise<number[]> {
  const found: number[] = [];
  for (let times = 0; times < count; times += 1) {
    const response = await api.get(path, as(partner));
    await response.arrayBuffer();
    found.push(response.status);
  }
  return found;
}

describe('rate limits', () => {
  it('refuse the 61st request of a minute, say when to come again, and leave other partners alone', async () => {
    const api = await start();
    assert.deepEqual(new Set(await statuses(api, verify, 60)), new Set([200]));
    const refused = await api.get(verify, as('acme'));
    assert.equal(refused.status, 429);
    const { code, message, detail } = await errorOf(refused);
    const seconds = Number(refused.headers.get('Retry-After'));
    assert.ok(seconds >= 1 && seconds <= 60);
    assert.equal(code, 'rate_limited');
    assert.deepEqual(detail, { retry_after_seconds: seconds, reason: 'minute-rate-limit' });
    assert.equal(message, `Rate limit exceeded (minute-rate-limit); try again in ${seconds} seconds.`);
    assert.equal(refused.headers.get('RateLimit-Policy'), '"minute";q=60;w=60, "day";q=1000;w=86400');
    assert.equal(refused.headers.get('RateLimit'), `"minute";r=0;t=${seconds}`);

    const flat = await api.get(lookup, as('acme'));
    assert.equal(flat.status, 429);
    assert.deepEqual(await flat.json(), {
      error: 'rate_limited (minute-rate-limit)',
      retry_after: Number(flat.headers.get('Retry-After')),
    });
    const neighbour = await api.get(verify, as('other'));
    assert.equal(neighbour.status, 200);
    assert.match(neighbour.headers.get('RateLimit') ?? '', /^"minute";r=59;t=\d+, "day";r=999;t=1800$/);
  });

  it('hold against a flood: of 300 requests at once 60 are answered', async () => {
    const api = await start();
    const flood = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const response = await api.get(verify, as('acme'));
        await response.arrayBuffer();
        return response.status;
      }),
    );
    assert.equal(flood.filter((status) => status === 200).length, 60);
    assert.equal(flood.filter((status) => status === 429).length, 240);
    assert.deepEqual(await statuses(api, verify, 1, 'other'), [200]);
  });

  it('count 200, 400 and 422, and neither 401 nor 5xx', async () => {
    let locate: AppDeps['geocoder']['locate'] = () => Promise.resolve({ outcome: 'no_match' });
    const api = await start({
      keys: partners({ per_minute: 3 }),
      geocoder: { locate: (...asked) => locate(...asked) },
    });
    locate = () => Promise.resolve({ outcome: 'unavailable' });
    for (let times = 0; times < 5; times += 1) {
      assert.deepEqual(await statuses(api, verify, 1), [500]);
      assert.deepEqual(await statuses(api, verify, 1, 'nobody'), [401]);
    }
    locate = () => Promise.resolve({ outcome: 'no_match' });
    assert.deepEqual(await statuses(api, verify, 1), [422]);
    assert.deepEqual(await statuses(api, '/v1/property/verify?address=', 1), [400]);
    locate = answering.geocoder?.locate ?? locate;
    // The limit comes before the parameters: the fourth is not told what is wrong with it.
    assert.deepEqual(await statuses(api, verify, 1), [200]);
    assert.deepEqual(await statuses(api, '/v1/property/verify?address=', 1), [429]);
  });

  it('refuse past the day with the seconds to midnight UTC', async () => {
    const api = await start({ keys: partners({ per_day: 1 }) });
    assert.deepEqual(await statuses(api, verify, 1), [200]);
    const refused = await api.get(verify, as('acme'));
    assert.deepEqual((await errorOf(refused)).detail, {
      retry_after_seconds: 1_800,
      reason: 'day-rate-limit',
    });
    assert.equal(refused.headers.get('RateLimit'), '"day";r=0;t=1800');
  });

  it('say nothing on open operations, which have none', async () => {
    const api = await start({ keys: partners({ per_minute: 1 }) });
    for (let times = 0; times < 3; times += 1) {
      const response = await api.get('/v1/meta/methodology', { headers: {} });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('RateLimit'), null);
    }
  });
});

describe('usage', () => {
  it('has one fact for each request with a key, and none without', async () => {
    const facts: ApiRequestFact[] = [];
    const limiter = createLimiter({ counter: createMemoryCounter(), clock: () => now_ms });
    const api = await start({
      keys: partners({ per_minute: 2 }),
      usage: { record: (fact) => void facts.push(fact) },
      limiter,
    });
    const answered = await api.get(verify, as('acme'));
    const of_answered = answered.headers.get('X-Request-Id');
    await answered.arrayBuffer();
    await statuses(api, '/v1/property/history?address=', 1);
    await statuses(api, lookup, 1);
    await statuses(api, verify, 1, 'nobody');
    await statuses(api, '/v1/meta/health', 1);
    assert.deepEqual(
      facts.map(({ key_id, operation, status, geohash_4 }) => [key_id, operation, status, geohash_4]),
      [
        // 9v1z: the cell of downtown San Antonio, reckoned by halving the globe, not by the code that is tested.
        ['acme', 'verify', 200, '9v1z'],
        ['acme', 'history', 400, null],
        ['acme', 'lookup', 429, null],
      ],
    );
    const [first] = facts;
    assert.ok(first);
    assert.equal(first.request_id, of_answered);
    assert.equal(first.at, now_ms);
    assert.equal(first.methodology_version, answered.headers.get('X-Methodology-Version'));
  });
});
