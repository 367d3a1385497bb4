import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pino } from 'pino';
import { createCodec, type Codec } from '../../../services/log/codec.ts';
import type { EventLog, NewMessage } from '../../../services/log/event-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { createDeadLetters } from '../../../services/projector/dead-letters.ts';
import { runProjections, type LoopDeps } from '../../../services/projector/loop.ts';
import { createPatience } from '../../../services/runtime/patience.ts';
import { prepareStore } from '../../../services/projector/prepare.ts';
import type { Projection } from '../../../services/projector/projection.ts';
import { pause, systemClock } from '../../../services/runtime/clock.ts';
import { readConfig, type Config } from '../../../services/runtime/config.ts';
import type { AlertFact } from '../../../services/hail/alert.ts';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import type { FeedPollFact } from '../../../services/log/facts.ts';
import { readPositions } from '../../../services/store/positions.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startLocalServices, type LocalServices } from '../../support/local-services.ts';
import { dumpTables, type TableDump } from '../../support/store-tables.ts';
import { temporaryLog } from '../../support/temporary-log.ts';
import { keyOf, type StoredFact } from '../../unit/projector/history.ts';

export interface Run {
  batch_messages?: number;
  afterStep?: LoopDeps['afterStep'];
  /** The log as this run sees it. */
  log?: EventLog;
  /** The codec that this run reads with; the bench's own unless given. */
  codec?: Codec;
  projections?: (made: Projection[]) => Projection[];
}

export interface Bench {
  local: LocalServices;
  log: EventLog;
  log_folder: string;
  codec: Codec;
  config: (database: string) => Config;
  store: (database: string) => Store;
  appendFacts: (facts: readonly ObservationFact[]) => Promise<void>;
  appendAlerts: (alerts: readonly AlertFact[]) => Promise<void>;
  appendPolls: (polls: readonly FeedPollFact[]) => Promise<void>;
  /** Every observation of the log that can be decoded, with its place. */
  facts: () => Promise<StoredFact[]>;
  /** Projects in this process until everything is passed; returns the tables. */
  project: (database: string, run?: Run) => Promise<TableDump>;
  /** Starts projecting in this process and returns at once. */
  begin: (database: string, run?: Run) => Promise<{ done: Promise<unknown>; leave: () => Promise<void> }>;
  /** Starts a projector as a process of its own; `die` names a step and how many of it are survived. */
  spawn: (
    database: string,
    options: { batch_messages: number; die?: { step: string; after: number } },
  ) => Child;
  untilPassed: (database: string, signal?: AbortSignal) => Promise<TableDump>;
  /** Starts the store and the registry again in the same place, after `local.kill9()`. */
  restartLocal: () => Promise<void>;
  stop: () => Promise<void>;
}

export interface Child {
  kill9: () => void;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

/** How a child process opens the log. */
const sqlite_twin = join(import.meta.dirname, '../../contract/event-log.sqlite.ts');

const output = pino({ level: 'silent' });
/** Every projection with the topic that it reads. */
const versioned = [
  ['observations', topics.observation.name],
  ['feeds', topics.feed_poll.name],
  ['alerts', topics.alert.name],
  ['api-keys', topics.api_key.name],
  ['api-requests', topics.api_request.name],
  ['dead-letters', topics.dead_letter.name],
] as const;

/** The real log, registry and store, one database a run. */
export async function startBench(): Promise<Bench> {
  const made = createCleanup();
  const local = made.keep(await startLocalServices());
  const { log, folder, dispose } = await temporaryLog();
  made.keep({ stop: dispose });
  const codec = createCodec({ registry_url: local.registry_url });
  await codec.registerAll();
  const stores = new Map<string, Store>();

  const config = (database: string): Config =>
    readConfig({
      CLICKHOUSE_URL: local.clickhouse_url,
      CLICKHOUSE_DATABASE: database,
      SCHEMA_REGISTRY_URL: local.registry_url,
    });
  const store = (database: string): Store => {
    const known = stores.get(database);
    if (known !== undefined) return known;
    const opened = createStore(config(database), { timeout_ms: 30_000 });
    stores.set(database, opened);
    made.keep({ stop: () => opened.close() });
    return opened;
  };

  const begin: Bench['begin'] = async (database, run = {}) => {
    const stopping = new AbortController();
    const view = run.log ?? log;
    const reading = run.codec ?? codec;
    const prepared = await prepareStore(config(database), store(database), systemClock);
    const dead_letters = createDeadLetters({ log: view, codec: reading, clock: systemClock, output });
    const patiently = createPatience({ clock: systemClock, output }, stopping.signal);
    const deps = {
      log: view,
      codec: reading,
      store: store(database),
      dead_letters,
      clock: systemClock,
      output,
      patiently,
    };
    const members = await runProjections(
      { ...deps, ...(run.afterStep === undefined ? {} : { afterStep: run.afterStep }) },
      run.projections?.(prepared) ?? prepared,
      { batch_messages: run.batch_messages ?? 5_000, signal: stopping.signal },
    );
    return {
      done: Promise.all(members.map(({ done }) => done)),
      leave: async () => {
        stopping.abort();
        for (const member of members) await member.leave();
      },
    };
  };

  const passed = async (database: string): Promise<boolean> => {
    for (const [projection, topic] of versioned) {
      const positions = await readPositions(store(database), projection, 1);
      const ends = await log.endOffsets(topic);
      const reached = ends.every((end, partition) =>
        positions.some(
          (each) => each.topic === topic && each.partition === partition && each.next_offset >= end,
        ),
      );
      if (!reached) return false;
    }
    return true;
  };
  const untilPassed: Bench['untilPassed'] = async (database, signal) => {
    for (;;) {
      // The tables, or the store itself, may not be there yet.
      if (await passed(database).catch(() => false)) return dumpTables(store(database));
      signal?.throwIfAborted();
      await pause(10);
    }
  };

  return {
    local,
    log,
    log_folder: folder,
    codec,
    config,
    store,
    begin,
    untilPassed,
    appendFacts: async (facts) => {
      const messages = facts.map((fact): NewMessage => ({
        key: keyOf(fact),
        value: codec.encode(topics.observation.name, fact),
      }));
      for (let at = 0; at < messages.length; at += 2_000)
        await log.append(topics.observation.name, messages.slice(at, at + 2_000));
    },
    appendAlerts: async (alerts) => {
      for (const alert of alerts) {
        const value = codec.encode(topics.alert.name, alert);
        await log.append(topics.alert.name, [{ key: alert.alert_key, value }]);
      }
    },
    appendPolls: async (polls) => {
      for (const poll of polls) {
        const value = codec.encode(topics.feed_poll.name, poll);
        await log.append(topics.feed_poll.name, [{ key: poll.feed, value }]);
      }
    },
    facts: async () => {
      const found: StoredFact[] = [];
      for await (const page of log.scan(topics.observation.name)) {
        for (const { partition, offset, value } of page) {
          const decoded = await codec.decode(topics.observation.name, value);
          if (decoded.outcome === 'ok') found.push({ fact: decoded.fact, partition, offset });
        }
      }
      return found;
    },
    project: async (database, run) => {
      const running = await begin(database, run);
      const failed = new AbortController();
      running.done.catch((error: unknown) => failed.abort(error));
      try {
        return await untilPassed(database, failed.signal);
      } finally {
        await running.leave();
      }
    },
    spawn: (database, { batch_messages, die }) => {
      const child = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'projector.child.ts')],
        {
          env: {
            ...process.env,
            CLICKHOUSE_URL: local.clickhouse_url,
            CLICKHOUSE_DATABASE: database,
            SCHEMA_REGISTRY_URL: local.registry_url,
            PROJECTOR_BATCH_MESSAGES: String(batch_messages),
            TEST_LOG: JSON.stringify({ module: sqlite_twin, connection: folder }),
            TEST_DIE_AFTER: die === undefined ? '' : `${die.step}:${die.after}`,
            HAILMARK_STOP_WITH_PARENT: '1',
          },
          stdio: ['pipe', 'ignore', 'pipe'],
        },
      );
      made.keep({ stop: () => void child.kill('SIGKILL') });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      return {
        kill9: () => void child.kill('SIGKILL'),
        exited: new Promise((done) => child.once('close', (code, signal) => done({ code, signal, stderr }))),
      };
    },
    restartLocal: async () => {
      made.keep(
        await startLocalServices({
          data_dir: local.data_dir,
          clickhouse_port: Number(new URL(local.clickhouse_url).port),
          registry_port: Number(new URL(local.registry_url).port),
        }),
      );
    },
    stop: async () => made.stop(),
  };
}
