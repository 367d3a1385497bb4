import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { topics } from '../../services/log/topics.ts';
import { withLog } from '../../services/log/with-log.ts';
import { pause } from '../../services/runtime/clock.ts';
import { dataFolder, readConfig, type Config } from '../../services/runtime/config.ts';
import { HailmarkError } from '../../services/runtime/errors.ts';
import { readPositions } from '../../services/store/positions.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { engineAlone, kafkaEngineRate } from './engine.ts';
import { fillLog } from './fill.ts';
import { cpuSeconds, memoryOf } from './memory.ts';
import { projector_heap } from '../start/service.ts';
import { startProcess, type BenchProcess } from './process.ts';

export interface ProjectionOptions {
  facts: number;
  runs: number;
  log: 'sqlite' | 'kafka';
  /** Where the log and the engine's tables lie; a folder that is given is kept, and its log used again. */
  folder: string | null;
  onProgress: (text: string) => void;
}

export interface ProjectionRun {
  /** From the process's readiness, when it has joined and begins to read, to the last stored position. */
  span_s: number;
  /** Of the process, its tables included, before that. */
  start_s: number;
  facts_per_s: number;
  projector_cpu_s: number;
  gateway_cpu_s: number;
  projector_rss_mb: { quarters: number[]; peak: number };
  gateway_rss_mb: { quarters: number[]; peak: number };
}

export interface ProjectionBench {
  facts: number;
  log: string;
  median_facts_per_s: number;
  runs: ProjectionRun[];
  engine_alone_rows_per_s: number;
  /** Rows a second of the engine's own Kafka table on the same topic. */
  kafka_engine: number | 'absent' | 'not asked';
}

const topic = topics.observation.name;
const quarters = 4;

/** Projects made-up facts with the real processes, each run into a database of its own, from the first offset to the last. */
export async function benchProjection(options: ProjectionOptions): Promise<ProjectionBench> {
  const parent = options.folder ?? mkdtempSync(join(tmpdir(), 'hailmark-bench-'));
  // A folder of its own within the given one, which may hold other things.
  const folder = dataFolder(join(parent, 'projection-bench'));
  const tables = join(folder, 'clickhouse');
  // Tables of a bench that was interrupted would be gone on with, and the rate be none.
  rmSync(tables, { recursive: true, force: true });
  const environment = {
    ...definedOnly(process.env),
    ...(options.log === 'sqlite' ? { KAFKA_BROKERS: '' } : {}),
    HAILMARK_DATA_DIR: folder,
  };
  const local = startProcess('infra/local/main.ts', {
    ...environment,
    CLICKHOUSE_PORT: '0',
    REGISTRY_PORT: '0',
    LOCAL_OPS_PORT: '0',
  });
  try {
    const { registry_port, clickhouse_port } = await local.ready;
    const settings = {
      ...environment,
      PROJECTOR_OPS_PORT: '0',
      SCHEMA_REGISTRY_URL: `http://127.0.0.1:${String(registry_port)}`,
      CLICKHOUSE_URL: `http://127.0.0.1:${String(clickhouse_port)}`,
    };
    const config = readConfig(settings);
    const ends = await withLog(config, async ({ log, codec }) => {
      options.onProgress(`writing ${options.facts} made-up facts to the log`);
      await fillLog(log, codec, options.facts);
      return log.endOffsets(topic);
    });

    const runs: ProjectionRun[] = [];
    for (let run = 1; run <= options.runs; run += 1) {
      const own = { ...settings, CLICKHOUSE_DATABASE: `bench_${run}` };
      const measured = await oneRun(local, own, ends);
      options.onProgress(`run ${run} of ${options.runs}: ${measured.facts_per_s} facts a second`);
      runs.push(measured);
    }
    const last = { ...config, CLICKHOUSE_DATABASE: `bench_${options.runs}` };
    const brokers = process.env['KAFKA_BROKERS'] ?? '';
    const peers = await withStore(last, async (store) => ({
      engine: await engineAlone(store, config.PROJECTOR_BATCH_MESSAGES),
      kafka: options.log === 'kafka' ? await kafkaEngineRate(store, brokers, ends) : ('not asked' as const),
    }));
    return {
      facts: sum(ends),
      log: options.log,
      median_facts_per_s: median(runs.map(({ facts_per_s }) => facts_per_s)),
      runs,
      engine_alone_rows_per_s: peers.engine,
      kafka_engine: peers.kafka,
    };
  } finally {
    await local.stop();
    rmSync(options.folder === null ? parent : tables, { recursive: true, force: true });
  }
}

/** Two spans: of the process's start, and from its readiness until the last position is stored. */
async function oneRun(
  local: BenchProcess,
  env: Readonly<Record<string, string>>,
  ends: readonly number[],
): Promise<ProjectionRun> {
  const facts = sum(ends);
  return withStore(readConfig(env), async (store) => {
    const gateway_began_s = cpuSeconds(local.pid);
    const began = performance.now();
    const projector = startProcess('services/projector/main.ts', env, projector_heap);
    let ready_at = began;
    void projector.ready.then(() => (ready_at = performance.now())).catch(() => undefined);
    try {
      const projector_quarters: number[] = [];
      const gateway_quarters: number[] = [];
      for (;;) {
        const passed = await passedFacts(store);
        while (
          projector_quarters.length < quarters &&
          passed * quarters >= facts * (projector_quarters.length + 1)
        ) {
          projector_quarters.push(memoryOf(projector.pid).rss_mb);
          gateway_quarters.push(memoryOf(local.pid).rss_mb);
        }
        if (passed >= facts) break;
        await Promise.race([pause(50), projector.failure, local.failure]);
      }
      const span_s = (performance.now() - ready_at) / 1_000;
      const projector_cpu_s = cpuSeconds(projector.pid);
      const gateway_cpu_s = cpuSeconds(local.pid) - gateway_began_s;
      const projector_rss_mb = { quarters: projector_quarters, peak: memoryOf(projector.pid).peak_mb };
      const gateway_rss_mb = { quarters: gateway_quarters, peak: memoryOf(local.pid).peak_mb };
      await requireAll(store, facts);
      return {
        span_s: hundredths(span_s),
        start_s: hundredths((ready_at - began) / 1_000),
        facts_per_s: Math.round(facts / span_s),
        projector_cpu_s: hundredths(projector_cpu_s),
        gateway_cpu_s: hundredths(gateway_cpu_s),
        projector_rss_mb,
        gateway_rss_mb,
      };
    } finally {
      await projector.stop();
    }
  });
}

/** Facts that lie before the stored positions. */
async function passedFacts(store: Store): Promise<number> {
  try {
    const positions = await readPositions(store, 'observations', 1);
    return sum(positions.map(({ next_offset }) => next_offset));
  } catch {
    // The table, or the database itself, may not be there yet.
    return 0;
  }
}

/** A rate of rows that are not there would be none. */
async function requireAll(store: Store, facts: number): Promise<void> {
  const [row] = await store.rows<{ rows: number }>('SELECT count() AS rows FROM observations_v1 FINAL');
  if (Number(row?.rows) === facts) return;
  throw new HailmarkError(
    'HAIL_STORE_UNAVAILABLE',
    `Of ${facts} facts ${row?.rows ?? 0} stand in the table.`,
  );
}

async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const store = createStore(config, { timeout_ms: 600_000 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
