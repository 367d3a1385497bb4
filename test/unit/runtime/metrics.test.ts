import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { createMetrics } from '../../../services/runtime/metrics.ts';
import { createPatience } from '../../../services/runtime/patience.ts';
import { createWaitMetrics } from '../../../services/runtime/wait-metrics.ts';
import { createLogOutput } from '../../../services/runtime/log-output.ts';

const of_test = { process: 'test', version: '1.2.3' };

/** The values of one metric as lines of the page, without the name. */
async function valuesOf(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const { text } = await metrics.page(1_000);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`hailmark_${name} `) || line.startsWith(`hailmark_${name}{`))
    .map((line) => line.slice(`hailmark_${name}`.length).trim());
}

describe('metrics', () => {
  it('begin counters at 0 for every known combination of labels', async () => {
    const metrics = createMetrics(of_test);
    const asked = metrics.counter('asked_total', 'Asked.', {
      operation: ['verify', 'score'],
      status: ['200'],
    });
    const plain = metrics.counter('plain_total', 'Plain.', {});
    const unknown = metrics.counter('unknown_total', 'Unknown.', { feed: [] });
    asked.add({ operation: 'score', status: '200' }, 3);
    plain.add({});
    assert.deepEqual(await valuesOf(metrics, 'asked_total'), [
      '{operation="verify",status="200"} 0',
      '{operation="score",status="200"} 3',
    ]);
    assert.deepEqual(await valuesOf(metrics, 'plain_total'), ['1']);
    assert.deepEqual(await valuesOf(metrics, 'unknown_total'), []);
    unknown.add({ feed: 'nws_alerts' }, 0);
    assert.deepEqual(await valuesOf(metrics, 'unknown_total'), ['{feed="nws_alerts"} 0']);
  });

  it('leave a gauge out of which nothing has been said, and the values that were replaced', async () => {
    const metrics = createMetrics(of_test);
    const up = metrics.gauge('up', 'Up.', []);
    const lag = metrics.gauge('lag', 'Lag.', ['partition']);
    assert.deepEqual(await valuesOf(metrics, 'up'), []);
    up.set({}, 0);
    assert.deepEqual(await valuesOf(metrics, 'up'), ['0']);
    up.replace([]);
    assert.deepEqual(await valuesOf(metrics, 'up'), []);
    lag.set({ partition: '0' }, 5);
    lag.replace([[{ partition: '1' }, 7]]);
    assert.deepEqual(await valuesOf(metrics, 'lag'), ['{partition="1"} 7']);
  });

  it('ask at a scrape, and leave out what fails or is late', async () => {
    const failed: string[] = [];
    const metrics = createMetrics(of_test, (reading) => failed.push(reading));
    const gauge = metrics.gauge('read', 'Read.', ['reading']);
    const shown = new Map<string, number | null>();
    const show = (reading: string) => (value: number | null) => {
      shown.set(reading, value);
      if (value !== null) gauge.set({ reading }, value);
    };
    metrics.atScrape('well', () => 4, show('well'));
    metrics.atScrape('broken', () => Promise.reject(new Error('broken')), show('broken'));
    let asked = 0;
    const hanging = (): Promise<number> => {
      asked += 1;
      return new Promise(() => undefined);
    };
    metrics.atScrape('hanging', hanging, show('hanging'));
    await metrics.page(20);
    const { text } = await metrics.page(20);
    assert.deepEqual(
      [...shown].sort(),
      Object.entries({ broken: null, hanging: null, well: 4 }),
      'what cannot be read is told as not known',
    );
    assert.equal(asked, 1, 'a reading that hangs is not begun again');
    assert.deepEqual([...new Set(failed)].sort(), ['broken', 'hanging']);
    assert.match(text, /^hailmark_scrape_reading_failures_total\{reading="broken"\} 2$/m);
    assert.match(text, /^hailmark_scrape_reading_failures_total\{reading="hanging"\} 2$/m);
    assert.match(text, /^hailmark_scrape_reading_failures_total\{reading="well"\} 0$/m);
  });

  it('are one page for scrapers that come together', async () => {
    const metrics = createMetrics(of_test);
    const gauge = metrics.gauge('slow', 'Slow.', []);
    const answer = Promise.withResolvers<number>();
    let asked = 0;
    metrics.atScrape(
      'slow',
      () => {
        asked += 1;
        return answer.promise;
      },
      (value) => gauge.replace(value === null ? [] : [[{}, value]]),
    );
    const pages = [metrics.page(10_000), metrics.page(10_000)];
    answer.resolve(7);
    for (const page of pages) assert.match((await page).text, /^hailmark_slow 7$/m);
    assert.equal(asked, 1);
    assert.deepEqual(await valuesOf(metrics, 'scrape_reading_failures_total'), ['{reading="slow"} 0']);
    assert.equal(asked, 2, 'the next scrape asks anew');
  });

  it('are of one registry each, and say what runs', async () => {
    const [one, two] = [createMetrics(of_test), createMetrics({ process: 'other', version: '1.2.3' })];
    assert.deepEqual(await valuesOf(one, 'build_info'), ['{process="test",version="1.2.3"} 1']);
    assert.deepEqual(await valuesOf(two, 'build_info'), ['{process="other",version="1.2.3"} 1']);
    assert.match((await one.page(100)).text, /^hailmark_process_resident_memory_bytes \d/m);
  });
});

describe('the metric of waiting', () => {
  const store_away = new HailmarkError('HAIL_STORE_UNAVAILABLE', 'The store is away.');

  it('is 1 from the first failure until a try succeeds, and of as many waits as there are', async () => {
    const metrics = createMetrics(of_test);
    const onWait = createWaitMetrics(metrics, 'test');
    const other = onWait(store_away);
    const stopping = new AbortController();
    const output = createLogOutput('test', 'silent');
    const patiently = createPatience({ clock: Date.now, output, random: () => 0, onWait }, stopping.signal);
    const seen: string[][] = [];
    let tries = 0;
    await patiently('rows', async () => {
      seen.push(await valuesOf(metrics, 'test_waiting'));
      if ((tries += 1) === 2) other();
      if (tries < 3) throw store_away;
    });
    const waiting = ['{for="log"} 0', '{for="store"} 1', '{for="registry"} 0', '{for="other"} 0'];
    assert.deepEqual(seen, [waiting, waiting, waiting], 'also while it tries');
    const none = ['{for="log"} 0', '{for="store"} 0', '{for="registry"} 0', '{for="other"} 0'];
    assert.deepEqual(await valuesOf(metrics, 'test_waiting'), none);
  });

  it('is over where the waiting is given up', async () => {
    const metrics = createMetrics(of_test);
    const onWait = createWaitMetrics(metrics, 'test');
    const stopping = new AbortController();
    const output = createLogOutput('test', 'silent');
    const patiently = createPatience({ clock: Date.now, output, random: () => 0, onWait }, stopping.signal);
    const work = (): Promise<never> => {
      setImmediate(() => stopping.abort());
      return Promise.reject(store_away);
    };
    await assert.rejects(patiently('rows', work), store_away);
    assert.equal((await valuesOf(metrics, 'test_waiting'))[1], '{for="store"} 0');
  });
});
