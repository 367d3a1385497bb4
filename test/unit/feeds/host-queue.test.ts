import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHostQueue, type HostQueue } from '../../../services/feeds/host-queue.ts';

const host = 'https://publisher.example/';

/** A queue on a clock that stands until a test moves it; waits end when it reaches their end. */
function bench(max_wait_ms = 60_000): { queue: HostQueue; pass: (span_ms: number) => Promise<void> } {
  let now = 0;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  const pause = (span_ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((wake) => {
      if (signal?.aborted === true) {
        wake();
        return;
      }
      const sleeper = { until: now + span_ms, wake };
      sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        sleepers.delete(sleeper);
        wake();
      });
    });
  return {
    queue: createHostQueue({ clock: () => now, pause }, { max_wait_ms }),
    pass: async (span_ms) => {
      now += span_ms;
      for (const sleeper of sleepers) {
        if (sleeper.until > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      await settled();
    },
  };
}

/** Until everything that was only waiting for microtasks has run. */
const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('the queue of a host', () => {
  it('runs one at a time, in the order they came, whatever becomes of each', async () => {
    const { queue } = bench();
    const said: string[] = [];
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<undefined>());
    const runs = gates.map((gate, n) =>
      queue.run(host, async () => {
        said.push(`${n} begins`);
        await gate.promise;
        said.push(`${n} ends`);
        if (n === 1) throw new Error('of no use');
      }),
    );
    const ended = Promise.allSettled(runs);
    for (const gate of gates.toReversed()) gate.resolve(undefined);
    assert.deepEqual(
      (await ended).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(
      said,
      [0, 1, 2, 3].flatMap((n) => [`${n} begins`, `${n} ends`]),
    );
  });

  it('costs no other host anything', async () => {
    const { queue } = bench();
    const hanging = Promise.withResolvers<undefined>();
    const dead = queue.run(host, () => hanging.promise);
    assert.equal(await queue.run('https://other.example/', () => Promise.resolve('answer')), 'answer');
    hanging.resolve(undefined);
    await dead;
  });

  it('does not keep anybody waiting without end, and the next in line keeps its place', async () => {
    const { queue, pass } = bench(1_000);
    const hanging = Promise.withResolvers<undefined>();
    const dead = queue.run(host, () => hanging.promise);
    const early = assert.rejects(
      queue.run(host, () => assert.fail('asked')),
      { reason: 'host-busy' },
    );
    await pass(600);
    const late = queue.run(host, () => Promise.resolve('answer'));
    await pass(600);
    await early;
    hanging.resolve(undefined);
    await dead;
    assert.equal(await late, 'answer');
  });

  it('leaves a host alone for as long as it asks', async () => {
    const { queue, pass } = bench();
    let asked = 0;
    const run = (): Promise<number> => queue.run(host, () => Promise.resolve((asked += 1)));
    await run();
    queue.hold(host, 30_000);
    const held = [run(), run()];
    await pass(29_999);
    assert.equal(asked, 1);
    await pass(1);
    assert.deepEqual(await Promise.all(held), [2, 3]);
  });

  it('says at once when that is longer than anybody waits, and an hour is the most', async () => {
    const { queue, pass } = bench();
    queue.hold(host, 90_000);
    await assert.rejects(
      queue.run(host, () => assert.fail('asked')),
      { reason: 'told-to-wait' },
    );
    queue.hold(host, 365 * 86_400_000);
    await pass(3_600_000 - 1_000);
    const soon = queue.run(host, () => Promise.resolve('answer'));
    await pass(1_000);
    assert.equal(await soon, 'answer');
  });

  it('hears a host that asks for patience while others stand in line', async () => {
    const { queue, pass } = bench(10_000);
    const gate = Promise.withResolvers<undefined>();
    const first = queue.run(host, async () => {
      await gate.promise;
      queue.hold(host, 20_000);
    });
    const second = assert.rejects(
      queue.run(host, () => assert.fail('asked')),
      { reason: 'told-to-wait' },
    );
    await pass(1);
    gate.resolve(undefined);
    await first;
    await second;
  });

  it('lets those go who are told to stop, in line or held', async () => {
    const { queue } = bench();
    const stopping = new AbortController();
    const gate = Promise.withResolvers<undefined>();
    const first = queue.run(host, () => gate.promise);
    const inLine = queue.run(host, () => assert.fail('asked'), stopping.signal);
    stopping.abort();
    await assert.rejects(inLine, { code: 'HAIL_PUBLISHER_UNAVAILABLE' });
    gate.resolve(undefined);
    await first;
    queue.hold(host, 1_000);
    await assert.rejects(
      queue.run(host, () => assert.fail('asked'), AbortSignal.abort()),
      { code: 'HAIL_PUBLISHER_UNAVAILABLE' },
    );
  });
});
