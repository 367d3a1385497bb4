import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { oneOf, runCommand, wholeNumber } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { openLog } from '../services/log/open-log.ts';
import { topics } from '../services/log/topics.ts';
import { benchProjection } from './bench/projection.ts';
import { projectionTable } from './bench/table.ts';
import { demoKey } from './start/demo-key.ts';
import { untilQueryable } from './start/loading.ts';
import { configuredPorts, startService } from './start/service.ts';

const help = `Measures the service on the recorded data, in a folder of its own that is removed afterwards.

  npm run bench                     loads all recordings from nothing, asks the API, prints a table
  npm run bench -- --projection     projects made-up facts (NOT REAL) and nothing else: how fast, and with how much memory
  npm run bench -- --json           either as one JSON object
  API_CELL_INDEX_MB=0 npm run bench the same as the first without the API's cell index

npm run bench:granules and npm run bench:grouping measure the decoder and the grouping alone.

  --facts 2000000     how many facts are projected
  --runs 3            how often, each into a database of its own; the median counts
  --log sqlite|kafka  from the embedded log, or from Kafka at KAFKA_BROKERS, whose topic must hold made-up facts only
  --keep <folder>     keeps the embedded log there and uses it again: writing 2 million facts takes longer than projecting them

Ports are those of npm start (API_PORT and so on), with --projection free ones; a running service must be stopped first. Linux only: memory is read
from /proc. Progress goes to standard error. Interrupted, it stops what it started and removes its folder; what --keep names stays.

Example:
  npm run bench -- --projection --facts 200000 --json

Exit codes: 0 done, 1 it failed or a limit is passed, 64 the command was not understood, 130 interrupted.`;

/** Peak resident memory that each process may reach with all recorded data loaded, MB. */
const limits_mb = { feeds: 300, projector: 400, api: 200 } as const;
const questions = 300;

interface Measured {
  observations: number;
  load_s: number;
  observations_per_s: number;
  request_ms: { median: number; p99: number };
  peak_rss_mb: Record<string, number>;
  bare_node_mb: number;
}

async function measure(signal: AbortSignal): Promise<Measured> {
  const data_dir = mkdtempSync(join(tmpdir(), 'hailmark-bench-'));
  const config = readConfig({ ...process.env, HAILMARK_DATA_DIR: data_dir });
  const service = await startService({
    project: resolve(import.meta.dirname, '..'),
    data_dir,
    ports: configuredPorts(config),
    live: false,
    env: process.env,
    onProgress: tell,
  });
  try {
    // From the API's first breath: the feeds and the projector were started just before it.
    const began = performance.now();
    await untilQueryable(service, (text) => {
      signal.throwIfAborted();
      tell(text);
    });
    const load_s = (performance.now() - began) / 1_000;
    const log = await openLog(service.config);
    const observations = (await log.endOffsets(topics.observation.name)).reduce((sum, end) => sum + end, 0);
    await log.close();
    const request_ms = await askMany(service.api_url, await demoKey(service), signal);
    return {
      observations,
      load_s: round(load_s),
      observations_per_s: Math.round(observations / load_s),
      request_ms,
      peak_rss_mb: Object.fromEntries(
        [...Object.keys(limits_mb), 'local'].map((name) => [name, peakRss(service.pid(name))]),
      ),
      bare_node_mb: bareNode(),
    };
  } finally {
    await service.stop();
    rmSync(data_dir, { recursive: true, force: true });
  }
}

/** Histories around one place, one after another, each of another radius so that none is the last one again. */
async function askMany(
  api_url: string,
  key: string,
  signal: AbortSignal,
): Promise<{ median: number; p99: number }> {
  const spans: number[] = [];
  for (let at = 0; at < questions; at += 1) {
    const parameters = {
      address: '300 SW 10th Ave, Topeka, KS 66612',
      since: '1955-01-01',
      radius_mi: String(1 + (at % 24)),
    };
    const began = performance.now();
    const response = await fetch(
      `${api_url}/v1/property/history?${new URLSearchParams(parameters).toString()}`,
      {
        headers: { Authorization: `Bearer ${key}` },
        signal,
      },
    );
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the API answered with status ${response.status}`);
    spans.push(performance.now() - began);
  }
  spans.sort((a, b) => a - b);
  return {
    median: round(spans[Math.floor(questions / 2)] ?? 0),
    p99: round(spans[Math.floor(questions * 0.99)] ?? 0),
  };
}

function peakRss(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_000);
}

/** A Node that does nothing, for comparison. */
function bareNode(): number {
  const script =
    "process.stdout.write(/VmHWM:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status','utf8'))[1])";
  return Math.round(Number(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout) / 1_000);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** For the person who waits: standard output is the result's. */
function tell(text: string): void {
  console.error(text);
}

async function whole(json: boolean, signal: AbortSignal): Promise<number> {
  const measured = await measure(signal);
  const over = Object.entries(limits_mb).filter(([name, limit]) => (measured.peak_rss_mb[name] ?? 0) > limit);
  if (json) {
    console.log(JSON.stringify(measured));
  } else {
    console.log(
      `observations loaded      ${measured.observations} in ${measured.load_s} s, ${measured.observations_per_s} a second`,
    );
    console.log(
      `history, one client      median ${measured.request_ms.median} ms, p99 ${measured.request_ms.p99} ms`,
    );
    for (const [name, peak] of Object.entries(measured.peak_rss_mb)) {
      const limit = limits_mb[name as keyof typeof limits_mb] as number | undefined;
      console.log(
        `peak RSS of ${name.padEnd(12)} ${peak} MB${limit === undefined ? '' : ` (limit ${limit} MB)`}`,
      );
    }
    console.log(`a bare Node              ${measured.bare_node_mb} MB`);
  }
  if (over.length === 0) return 0;
  console.error(`Over the limit: ${over.map(([name]) => name).join(', ')}.`);
  return 1;
}

await runCommand({
  help,
  options: {
    json: { type: 'boolean', default: false },
    projection: { type: 'boolean', default: false },
    facts: { type: 'string', default: '2000000' },
    runs: { type: 'string', default: '3' },
    log: { type: 'string', default: 'sqlite' },
    keep: { type: 'string' },
  },
  lets_go: true,
  if_interrupted: 'Interrupted. Nothing was measured to its end; what was started is stopped.',
  async run({ values, signal }) {
    if (!values.projection) return whole(values.json, signal);
    const measured = await benchProjection({
      facts: wholeNumber('facts', values.facts, 1),
      runs: wholeNumber('runs', values.runs, 1),
      log: oneOf('log', values.log, ['sqlite', 'kafka']),
      folder: values.keep ?? null,
      onProgress: (text) => {
        signal.throwIfAborted();
        tell(text);
      },
    });
    if (values.json) console.log(JSON.stringify(measured));
    else for (const line of projectionTable(measured)) console.log(line);
    return 0;
  },
});
