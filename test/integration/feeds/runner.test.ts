import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Feed } from '../../../services/feeds/feed.ts';
import type { PollRun } from '../../../services/feeds/poll.ts';
import { PollFailed } from '../../../services/feeds/poll-failure.ts';
import type { PollFailure } from '../../../services/log/facts.ts';
import { startFeedBench, type FeedBench } from './bench.ts';
import { points } from '../../../services/feeds/kinds/points.ts';

let bench: FeedBench;
beforeEach(async () => {
  bench = await startFeedBench();
});
afterEach(() => bench.stop());

/** A feed whose polls are what the test says. */
const feedOf = (name: string, poll: (run: PollRun) => Promise<void>): Feed => ({
  feed: name,
  publisher: 'NOAA_SED',
  kind: points,
  schedule: '0 0 1 1 *',
  poll,
  history: () => Promise.resolve(),
});

const failing =
  (reason: PollFailure) =>
  (run: PollRun): Promise<void> =>
    run
      .settle('live', bench.stub.url, () => Promise.reject(new PollFailed(reason, 'It did not work.')))
      .then(() => undefined);

describe('a feed that runs', () => {
  it('polls at once, and after a failure again ahead of its schedule', async () => {
    const third = Promise.withResolvers<undefined>();
    let polls = 0;
    const runner = await bench.runner(
      feedOf('storm_events', async (run) => {
        await failing('unreachable')(run);
        if ((polls += 1) === 3) third.resolve(undefined);
      }),
      { retry_ms: 5 },
    );
    const running = runner.run();
    await third.promise;
    bench.abort();
    await running;
    await runner.close();
    assert.ok((await bench.polls()).every(({ reason }) => reason === 'unreachable'));
  });

  it('after a refused withdrawal waits for an operator before it asks again', async () => {
    const second = Promise.withResolvers<boolean>();
    let polls = 0;
    let is_accepted = false;
    const runner = await bench.runner(
      feedOf('storm_events', async (run) => {
        if ((polls += 1) === 2) {
          second.resolve(is_accepted);
          return;
        }
        bench.suspects.refuse({ feed: 'storm_events', slice: '2017', known: 100, absent: 50 });
        await failing('suspicious-withdrawal')(run);
        // Some of the runner's looks at the operator's folder pass before the operator acts.
        setTimeout(() => {
          is_accepted = bench.suspects.accept('storm_events', '2017');
        }, 50);
      }),
      { retry_ms: 5 },
    );
    const running = runner.run();
    assert.equal(await second.promise, true);
    bench.abort();
    await running;
    await runner.close();
  });

  it('ends on an error that is nobody else’s', async () => {
    const runner = await bench.runner(
      feedOf('storm_events', () => Promise.reject(new TypeError('a mistake of ours'))),
    );
    await assert.rejects(runner.run(), TypeError);
    await runner.close();
  });

  it('has its feed to itself', async () => {
    const feed = feedOf('storm_events', () => Promise.resolve());
    const runner = await bench.runner(feed);
    await assert.rejects(bench.runner(feed), { code: 'HAIL_OWNED_ELSEWHERE' });
    await runner.close();
    await (await bench.runner(feed)).close();
  });

  it('never polls twice at once', async () => {
    let open = 0;
    const runner = await bench.runner(
      feedOf('storm_events', async () => {
        open += 1;
        await new Promise((done) => setImmediate(done));
        assert.equal(open, 1);
        open -= 1;
      }),
    );
    await Promise.all([runner.pollOnce(), runner.pollOnce()]);
    await runner.close();
  });
});
