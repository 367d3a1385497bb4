import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createCodec } from '../../services/log/codec.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { startTestService, type TestService } from '../support/service.ts';

const at = Date.parse('2026-08-29T03:00:00Z');
const hour_ms = 3_600_000;

describe('a service whose clock is set', { timeout: 240_000 }, () => {
  let service: TestService;
  before(async () => {
    const HAILMARK_CLOCK_OFFSET_MS = String(at - Date.now());
    service = await startTestService({ env: { NOAA_SED_FIRST_YEAR: '2017', HAILMARK_CLOCK_OFFSET_MS } });
    await service.untilQueryable();
  });
  after(() => service.stop());

  /** Within the hour that the test may take at most: any other clock of this machine is months away. */
  const isThen = (instant: number): boolean => instant >= at && instant < at + hour_ms;

  it('dates facts by it: polls, readings, keys', async () => {
    const log = await openLog(service.config);
    try {
      const codec = createCodec({ registry_url: service.registry_url });
      let facts = 0;
      for (const { name } of [topics.feed_poll, topics.observation, topics.api_key]) {
        for await (const page of log.scan(name)) {
          for (const { value } of page) {
            const decoded = await codec.decode(name, value);
            assert.ok(decoded.outcome === 'ok');
            facts += 1;
            const { fact } = decoded;
            if ('began_at' in fact && 'feed' in fact)
              assert.ok(isThen(fact.began_at) && isThen(fact.ended_at));
            else if ('provenance' in fact) assert.ok(isThen(fact.provenance.retrieved_at));
            else if ('created_at' in fact) assert.ok(isThen(fact.created_at));
            else assert.fail('a fact of another kind');
          }
        }
      }
      assert.ok(facts > 100);
    } finally {
      await log.close();
    }
  });

  it('dates answers by it: what is today, and what is fresh', async () => {
    const answer = await service.get('/v1/property/history', {
      address: '7360 E 6th St, Somerset, TX 78069',
      since: '2026-08-01',
    });
    const { data } = (await answer.json()) as {
      data: { window: { until: string }; events: { total: number } };
    };
    assert.equal(data.window.until, '2026-08-29');
    assert.ok(data.events.total > 0);
    const health = await service.get('/v1/meta/health');
    const { feeds } = ((await health.json()) as { data: { feeds: { feed: string; status: string }[] } }).data;
    assert.equal(feeds.find(({ feed }) => feed === 'radar_hail')?.status, 'fresh');
  });
});
