import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readDocument } from '../../../services/feeds/documents/files.ts';
import { createHostQueue } from '../../../services/feeds/host-queue.ts';
import type { FeedRunner } from '../../../services/feeds/runner.ts';
import type { PollFailure } from '../../../services/log/facts.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { startPublisherStub, type PublisherStub, type StubAnswer } from '../../support/publisher-stub.ts';
import { startFeedBench, type FeedBench } from '../../integration/feeds/bench.ts';
import { faultyFeeds, type FaultyFeed, type ServedPublisher } from './faulty-feeds.ts';

/** What a publisher does, and what the poll facts of its feed say then. */
interface Fault {
  name: string;
  bend: (of: FaultyFeed) => (url: URL, answer: StubAnswer) => StubAnswer;
  /** More than one where either bound may be reached first. */
  reasons: (of: FaultyFeed) => readonly PollFailure[];
}

const always =
  (answer: StubAnswer): Fault['bend'] =>
  () =>
  () =>
    answer;

const faults: readonly Fault[] = [
  { name: 'is dead', bend: always({ fault: 'reset' }), reasons: () => ['unreachable'] },
  { name: 'never answers', bend: always({ fault: 'hang' }), reasons: () => ['unreachable'] },
  {
    name: 'sends a byte at a time',
    bend: () => (_url, answer) => ({ ...answer, fault: 'trickle' }),
    reasons: () => ['too-slow'],
  },
  { name: 'answers 403', bend: always({ status: 403, body: 'Forbidden' }), reasons: () => ['http-status'] },
  { name: 'answers 500', bend: always({ status: 500 }), reasons: () => ['http-status'] },
  {
    name: 'answers HTML with 200',
    bend: always({ content_type: 'text/html', body: '<!DOCTYPE html>\n<html><p>Maintenance</p></html>\n' }),
    reasons: ({ html }) => [html],
  },
  {
    name: 'breaks off in the middle of an answer',
    bend: () => (_url, answer) => ({ ...answer, fault: 'cut' }),
    reasons: () => ['unreachable'],
  },
  {
    name: 'serves halves of its documents',
    bend:
      ({ isDocument }) =>
      ({ pathname }, answer) => {
        const bytes = Buffer.from(answer.body ?? '');
        return isDocument(pathname) ? { ...answer, body: bytes.subarray(0, bytes.length / 2) } : answer;
      },
    reasons: ({ half }) => [half],
  },
  {
    name: 'never ends its answer',
    bend: always({ fault: 'endless' }),
    reasons: () => ['too-large', 'unreachable'],
  },
];

interface Started {
  of: FaultyFeed;
  stub: PublisherStub;
  publisher: ServedPublisher;
}

let bench: FeedBench;
let feeds: Started[];
let running: { runner: FeedRunner; run: Promise<void> }[];

beforeEach(async () => {
  bench = await startFeedBench();
  running = [];
  feeds = [];
  for (const of of faultyFeeds) {
    const stub = await startPublisherStub();
    feeds.push({ of, stub, publisher: of.serve(stub) });
  }
});
afterEach(async () => {
  bench.abort();
  await stop();
  for (const { stub } of feeds) await stub.stop();
  await bench.stop();
});

/** All feeds as their process runs them: one queue of hosts, one log, each with a publisher of its own. */
async function start(broken: Started): Promise<void> {
  const queue = createHostQueue();
  for (const each of feeds) {
    const { of, stub } = each;
    // Only the one that is to run out of time has little of it: a healthy one that is late on a busy machine is no failure.
    const patience = each === broken ? { timeout_ms: 1_500, slow: { bytes: 1_000, within_ms: 200 } } : {};
    const runner = await bench.runner(of.create(stub.url), {
      ...{ queue, at: of.now, retry_ms: 20, timeout_ms: 60_000, ...patience },
    });
    running.push({ runner, run: runner.run() });
  }
}

async function stop(): Promise<void> {
  for (const { runner, run } of running.splice(0)) {
    await runner.close();
    await run;
  }
}

/** The keys of a feed's messages in the log: a record each, as often as it was published. */
async function published({ of, stub }: Started): Promise<string[]> {
  const { kind, publisher } = of.create(stub.url);
  const keys: string[] = [];
  for await (const page of bench.log.scan(kind.topic.name)) keys.push(...page.map(({ key }) => key));
  return keys.filter((key) => key.startsWith(kind.prefix(publisher)));
}

async function failuresOf({ feed }: FaultyFeed): Promise<(string | null)[]> {
  const polls = await bench.polls();
  return polls.filter((poll) => poll.feed === feed && poll.outcome === 'failed').map(({ reason }) => reason);
}

/** Bounded by the test's time limit: a condition that never comes is a failed test. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(20);
}

const hasAll = async (each: Started): Promise<boolean> =>
  new Set(await published(each)).size === each.of.records;

/** Every record once: none lost, none published twice. Every document that one of them cites is kept. */
async function requireWhole(each: Started): Promise<void> {
  const keys = await published(each);
  assert.equal(keys.length, each.of.records);
  assert.equal(new Set(keys).size, each.of.records);
  const cited = new Set<string>();
  const { topic } = each.of.create(each.stub.url).kind;
  for await (const page of bench.log.scan(topic.name)) {
    for (const { value } of page) {
      const decoded = await bench.codec.decode(topic.name, value);
      assert.ok(decoded.outcome === 'ok');
      cited.add(decoded.fact.provenance.document_sha256);
    }
  }
  for (const sha256 of cited) {
    assert.equal((await readDocument(bench.data_dir, sha256)).outcome, 'found', sha256);
  }
}

for (const [n, of] of faultyFeeds.entries()) {
  describe(`where the publisher of ${of.feed}`, { timeout: 900_000 }, () => {
    for (const { name, bend, reasons } of faults) {
      it(`${name}, the others go on, its polls say why, and it recovers by itself`, async () => {
        const broken = feeds[n];
        assert.ok(broken !== undefined);
        const others = feeds.filter((each) => each !== broken);
        broken.stub.bend(bend(of));
        await start(broken);
        await until(async () => (await failuresOf(of)).length > 0);
        for (const other of others) {
          await until(() => hasAll(other));
          assert.deepEqual(await failuresOf(other.of), []);
        }
        for (const reason of await failuresOf(of)) {
          assert.ok(
            reasons(of).some((each) => each === reason),
            String(reason),
          );
        }
        const failed = (await bench.polls()).filter(({ outcome }) => outcome === 'failed');
        assert.ok(
          failed.every(({ read_through, readings }) => read_through === null && readings.length === 0),
        );
        assert.deepEqual(await published(broken), []);

        broken.stub.bend(null);
        await until(() => hasAll(broken));
        await stop();
        for (const each of feeds) await requireWhole(each);
      });
    }

    // An export and the active alerts are no listings: what is new just comes.
    if (!of.lists) return;
    it('does not list its newest, nothing of it is claimed as read, and it is read when it is there', async () => {
      const broken = feeds[n];
      assert.ok(broken !== undefined);
      const { publisher } = broken;
      assert.ok(publisher !== null);
      publisher.withoutNewest();
      const feed = of.create(broken.stub.url);
      const options = { at: of.now };
      assert.deepEqual(await bench.poll(feed, options), []);
      assert.equal((await published(broken)).length, publisher.records_before);
      const through = async (): Promise<number> =>
        Math.max(...(await bench.polls()).map(({ read_through }) => read_through ?? -Infinity));
      const reached = await through();
      publisher.whole();
      assert.deepEqual(await bench.poll(feed, options), []);
      await requireWhole(broken);
      assert.ok((await through()) > reached);
    });
  });
}
