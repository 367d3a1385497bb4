import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { createRegistry } from '../../../infra/local/registry/registry.ts';
import { createRegistryServer } from '../../../infra/local/registry/server.ts';
import { openJournal } from '../../../infra/local/registry/store.ts';
import { createDocumentKeeper } from '../../../services/feeds/documents/keeper.ts';
import type { Feed } from '../../../services/feeds/feed.ts';
import type { FeedObserver } from '../../../services/feeds/observer.ts';
import type { OnWait } from '../../../services/runtime/wait-metrics.ts';
import { createHostQueue, type HostQueue } from '../../../services/feeds/host-queue.ts';
import { createFeedRunner, type FeedRunner } from '../../../services/feeds/runner.ts';
import {
  createSuspectWithdrawals,
  type SuspectWithdrawals,
} from '../../../services/feeds/suspect-withdrawals.ts';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import { createCodec, type Codec } from '../../../services/log/codec.ts';
import type { EventLog, StoredMessage } from '../../../services/log/event-log.ts';
import type { FeedPollFact } from '../../../services/log/facts.ts';
import { createSqliteLog } from '../../../services/log/sqlite/sqlite-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { dataFolder } from '../../../services/runtime/config.ts';
import type { Slowness } from '../../../services/runtime/http-exchange.ts';
import { temporaryFolder } from '../../support/local-services.ts';
import { startPublisherStub, type PublisherStub } from '../../support/publisher-stub.ts';

export interface StoredFact {
  fact: ObservationFact;
  partition: number;
  offset: number;
}

export interface RunOptions {
  /** Another view of the log. */
  log?: EventLog;
  timeout_ms?: number;
  retry_ms?: number;
  look_ms?: number;
  /** Shared with other runners; each has one of its own unless told. */
  queue?: HostQueue;
  /** The runner's own time, where several feeds of one test live at the times of their recordings. */
  at?: number;
  slow?: Slowness;
  observer?: FeedObserver;
  onWait?: OnWait;
}

/** The real log and registry, a publisher that can be bent, and a feed between them, in one process. */
export interface FeedBench {
  data_dir: string;
  log: EventLog;
  codec: Codec;
  stub: PublisherStub;
  suspects: SuspectWithdrawals;
  /** The instant that the feeds' clock shows; stands still until it is set. */
  clock: { now: number };
  /** A runner of the feed over `log`, or over another view of the log. */
  runner: (feed: Feed, options?: RunOptions) => Promise<FeedRunner>;
  /** Polls once with a runner of its own: nothing but the log and the index's file is carried over. */
  poll: (feed: Feed, options?: RunOptions) => Promise<readonly string[]>;
  loseIndex: () => void;
  /** Everything published, by partition and offset; what cannot be decoded is left out. */
  facts: () => Promise<StoredFact[]>;
  polls: () => Promise<FeedPollFact[]>;
  /** Asks runners to end, as the end of their process does. */
  abort: () => void;
  stop: () => Promise<void>;
}

/** How long a publisher that says nothing is waited for, where a test is about that: longer than an answer takes on a busy machine. */
export const silence_ms = 1_500;

export async function startFeedBench(): Promise<FeedBench> {
  const data_dir = temporaryFolder('hailmark-feeds-');
  const journal = openJournal(dataFolder(join(data_dir, 'registry')));
  const registry = createRegistryServer(createRegistry(journal));
  const registry_url = await listening(registry);
  const log = await createSqliteLog({ folder: join(data_dir, 'log') });
  await log.ensureTopics(Object.values(topics));
  const codec = createCodec({ registry_url });
  const stopRegistry = (): Promise<void> =>
    new Promise((done) => {
      registry.close(() => {
        journal.close();
        done();
      });
      registry.closeAllConnections();
    });
  await codec.registerAll().catch(async (error: unknown) => {
    // A server left open would keep the test's process from ending.
    await stopRegistry();
    await log.close();
    throw error;
  });
  const stub = await startPublisherStub();
  const clock = { now: Date.parse('2026-11-01T00:00:00Z') };
  const stopping = new AbortController();

  const output = pino({ level: 'silent' });
  const documents = createDocumentKeeper(
    { output },
    { data_dir, config: { DOCUMENTS_KEEP: 'true', DOCUMENTS_MAX_BYTES: 1_000_000_000 } },
  );

  const runner: FeedBench['runner'] = (
    feed,
    {
      log: view = log,
      timeout_ms = 10_000,
      retry_ms = 300_000,
      queue = createHostQueue(),
      at,
      observer,
      onWait,
      ...more
    } = {},
  ) =>
    createFeedRunner(
      {
        log: view,
        codec,
        clock: () => at ?? clock.now,
        output,
        queue,
        documents,
        ...(observer === undefined ? {} : { observer }),
        ...(onWait === undefined ? {} : { onWait }),
      },
      feed,
      {
        config: {
          HAILMARK_DATA_DIR: data_dir,
          HAILMARK_CONTACT: 'tests@example.org',
          FEEDS_RETRY_MS: retry_ms,
        },
        signal: stopping.signal,
        timeout_ms,
        ...more,
      },
    );

  const all = async <T>(
    topic: string,
    decode: (message: StoredMessage) => Promise<T | null>,
  ): Promise<T[]> => {
    const found: T[] = [];
    for await (const page of log.scan(topic)) {
      for (const message of page) {
        const decoded = await decode(message);
        if (decoded !== null) found.push(decoded);
      }
    }
    return found;
  };

  return {
    data_dir,
    log,
    codec,
    stub,
    suspects: createSuspectWithdrawals(data_dir),
    clock,
    runner,
    poll: async (feed, options) => {
      const once = await runner(feed, options);
      try {
        return await once.pollOnce();
      } finally {
        await once.close();
        clock.now += 1_000;
      }
    },
    loseIndex: () => rmSync(join(data_dir, 'index'), { recursive: true, force: true }),
    facts: () =>
      all(topics.observation.name, async ({ partition, offset, value }) => {
        const decoded = await codec.decode(topics.observation.name, value);
        return decoded.outcome === 'ok' ? { fact: decoded.fact, partition, offset } : null;
      }),
    polls: () =>
      all(topics.feed_poll.name, async ({ value }) => {
        const decoded = await codec.decode(topics.feed_poll.name, value);
        return decoded.outcome === 'ok' ? decoded.fact : null;
      }),
    abort: () => stopping.abort(),
    stop: async () => {
      stopping.abort();
      await stub.stop();
      await log.close();
      await stopRegistry();
      rmSync(data_dir, { recursive: true, force: true });
    },
  };
}

async function listening(server: Server | ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
