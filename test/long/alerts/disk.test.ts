import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createSandbox } from '../../../infra/sandbox/server.ts';
import { systemCode } from '../../../services/runtime/errors.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { freePorts } from '../../support/free-ports.ts';
import { startLocalServices, temporaryFolder } from '../../support/local-services.ts';
import {
  minute_s,
  startPrometheus,
  why_no_prometheus,
  type PrometheusServer,
} from '../../support/prometheus.ts';

const main = join(resolve(import.meta.dirname, '../../..'), 'services/feeds/main.ts');
/** Mounts in a namespace of its own, so that a small disk is there for one process, and gone with it however it ends. */
const apart = process.getuid?.() === 0 ? ['--mount'] : ['--mount', '--map-root-user'];
const on_small_disk = 'mount -t tmpfs -o size=160m hailmark "$HAILMARK_DATA_DIR" && exec "$@"';
// Nothing listens on the discard port: the store is away.
const nowhere = 'http://127.0.0.1:9';
const look_ms = 200;
const timeout_ms = 180_000 * minute_s;

const why_no_small_disk = (): string | null => {
  const HAILMARK_DATA_DIR = temporaryFolder();
  const env = { ...process.env, HAILMARK_DATA_DIR };
  const tried = spawnSync('unshare', [...apart, 'sh', '-c', on_small_disk, 'sh', 'true'], { env });
  rmSync(HAILMARK_DATA_DIR, { recursive: true });
  return tried.status === 0 ? null : 'needs the right to mount a small file system (unshare, mount)';
};

describe('feeds whose disk is full', { skip: why_no_prometheus ?? why_no_small_disk() ?? false }, () => {
  const made = createCleanup();
  let feeds: ChildProcess;
  let prometheus: PrometheusServer;
  let ops_url: string;
  let filler: string;
  let errors = '';

  before(async () => {
    const local = made.keep(await startLocalServices());
    const data_dir = temporaryFolder();
    made.keep({ stop: () => rmSync(data_dir, { recursive: true, force: true }) });
    const [port = 0] = await freePorts(1);
    ops_url = `http://127.0.0.1:${port}`;
    const sandbox = createSandbox().listen(0, '127.0.0.1');
    await once(sandbox, 'listening');
    made.keep({
      stop: () => {
        sandbox.close();
        sandbox.closeAllConnections();
      },
    });
    const sandbox_url = `http://127.0.0.1:${(sandbox.address() as AddressInfo).port}`;
    const publishers = ['NOAA_SED', 'SWDI', 'MRMS', 'SPC', 'COCORAHS', 'NWS'].map((name) => [
      `${name}_URL`,
      sandbox_url,
    ]);
    const words = [process.execPath, '--disable-warning=ExperimentalWarning', main];
    feeds = spawn('unshare', [...apart, 'sh', '-c', on_small_disk, 'sh', ...words], {
      env: {
        ...process.env,
        ...(Object.fromEntries(publishers) as Record<string, string>),
        HAILMARK_DATA_DIR: data_dir,
        HAILMARK_STOP_WITH_PARENT: '1',
        FEEDS_OPS_PORT: String(port),
        SCHEMA_REGISTRY_URL: local.registry_url,
        CLICKHOUSE_URL: nowhere,
        NWS_SCHEDULE: '* * * * * *',
      },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    feeds.stderr?.setEncoding('utf8').on('data', (text: string) => void (errors += text));
    const exited = new Promise<void>((done) => feeds.once('exit', () => done()));
    made.keep({
      stop: async () => {
        feeds.kill('SIGKILL');
        await exited;
      },
    });
    prometheus = made.keep(await startPrometheus({ feeds: new URL(ops_url).host }));
    // The disk is seen from here through the process that has it.
    filler = join(`/proc/${feeds.pid ?? 0}/root`, data_dir, 'filler');
  });
  after(() => made.stop());

  it(
    'say so, go on living, and are at ease again when there is room',
    { timeout: timeout_ms },
    async ({ signal }) => {
      const of_feeds = { job: 'feeds' };
      const sumOf = async (metric: string): Promise<number> => {
        const [sample] = await prometheus.query(`sum(${metric})`);
        return Number(sample?.value[1] ?? 0);
      };
      const untilAbove = async (metric: string, least: number): Promise<void> => {
        while ((await sumOf(metric)) <= least) {
          signal.throwIfAborted();
          await pause(look_ms, signal);
        }
      };
      // In the middle of the first reading: log, index, staged records and documents are all being written.
      await untilAbove('hailmark_feed_facts_published_total', 2_000);
      fillUp(filler);
      const alert = await prometheus.untilFiring('HailmarkDiskFilling', of_feeds, signal);
      assert.match(alert.annotations['description'] ?? '', /^0% of the file system/);
      // A full disk is no end of the process: what would write waits, for the log or for its own index and documents.
      await untilAbove('hailmark_feeds_waiting', 0);
      assert.equal((await fetch(`${ops_url}/healthz`)).status, 200);

      rmSync(filler);
      // The warnings are asked for each second: what was waited for goes on.
      const polls = 'hailmark_feed_polls_total{feed="nws_alerts"}';
      await untilAbove(polls, (await sumOf(polls)) + 1);
      await prometheus.untilOver('HailmarkDiskFilling', of_feeds, signal);
      assert.equal(feeds.exitCode, null, 'the same process all the while');
      // Polls by the second overlap, and the disk was full: both are log lines, not text beside them.
      assert.equal(errors, '');
    },
  );
});

/** Writes until the file system has no byte left. */
function fillUp(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let bytes = 65_536; bytes >= 1;) {
      try {
        writeSync(file, Buffer.alloc(bytes));
      } catch (error) {
        if (systemCode(error) !== 'ENOSPC') throw error;
        bytes = Math.floor(bytes / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}
