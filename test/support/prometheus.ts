import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { pause } from '../../services/runtime/clock.ts';
import { infra, minutesAsSeconds, rules_file } from './alert-rules.ts';
import { freePorts } from './free-ports.ts';
import { temporaryFolder } from './local-services.ts';
import { within } from './within.ts';

/** Null where Prometheus is installed, else the words for skipping (Debian: `apt-get install prometheus`). */
export const why_no_prometheus = ['prometheus', 'promtool'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
)
  ? null
  : 'needs the programs prometheus and promtool, which are not installed here';

export interface Alert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: 'pending' | 'firing';
}

export interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

export interface PrometheusServer {
  /** Alerts that fire or are about to, as the server's own API lists them. */
  alerts: () => Promise<Alert[]>;
  query: (expression: string) => Promise<Sample[]>;
  /** Resolves with the alert of that name and at least these labels once it fires. Ends only with it or with the signal. */
  untilFiring: (name: string, labels: Record<string, string>, signal: AbortSignal) => Promise<Alert>;
  /** Resolves once no such alert fires any more. */
  untilOver: (name: string, labels: Record<string, string>, signal: AbortSignal) => Promise<void>;
  stop: () => Promise<void>;
}

const look_ms = 200;

/**
 * How many seconds a minute of the rules has, and with it how long a scrape may take: one is enough where nothing else runs, two where other
 * tests do. Where a scrape takes longer it lacks what the store was asked for, and rules about feeds see no feed at all.
 */
export const minute_s = Number(process.env['HAILMARK_TEST_MINUTE_S'] ?? '3');

/**
 * The real server with the committed configuration: the committed rules with a minute as `minute_s`, asking as often. `targets` are
 * addresses by job.
 */
export async function startPrometheus(targets: Readonly<Record<string, string>>): Promise<PrometheusServer> {
  const folder = temporaryFolder('hailmark-prometheus-');
  const [port = 0] = await freePorts(1);
  const committed = parse(readFileSync(join(infra, 'prometheus/prometheus.yml'), 'utf8')) as {
    global: Record<string, string>;
  };
  const minute = `${minute_s}s`;
  const each_minute = { scrape_interval: minute, scrape_timeout: minute, evaluation_interval: minute };
  const files: Record<string, string> = {
    'prometheus.yml': stringify({ ...committed, global: { ...committed.global, ...each_minute } }),
    'rules/hailmark.rules.yml': minutesAsSeconds(readFileSync(rules_file, 'utf8'), minute_s),
    'targets/test.yml': stringify(
      Object.entries(targets).map(([job, address]) => ({ labels: { job }, targets: [address] })),
    ),
  };
  for (const name of ['rules', 'targets']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const exited = new Promise<void>((done) => child.once('close', () => done()));
  const url = `http://127.0.0.1:${port}`;
  await within('Prometheus is ready', untilReady(child, `${url}/-/ready`)).catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await exited;
    throw error;
  });

  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${url}/api/v1/${path}`);
    const answer = (await response.json()) as { status: string; error?: string; data: T };
    if (answer.status !== 'success') throw new Error(`Prometheus refuses ${path}: ${answer.error ?? ''}`);
    return answer.data;
  };
  const alerts = async (): Promise<Alert[]> => (await ask<{ alerts: Alert[] }>('alerts')).alerts;
  const firing = async (name: string, labels: Record<string, string>): Promise<Alert | undefined> =>
    (await alerts()).find(
      (alert) =>
        alert.state === 'firing' &&
        Object.entries({ ...labels, alertname: name }).every(
          ([label, value]) => alert.labels[label] === value,
        ),
    );
  const until = async <T>(
    what: string,
    look: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T> => {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (signal.aborted) throw new Error(`waited in vain: ${what}; there are ${said(await alerts())}`);
      await pause(look_ms, signal);
    }
  };
  return {
    alerts,
    query: async (expression) =>
      (await ask<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result,
    untilFiring: (name, labels, signal) =>
      until(`${name} ${JSON.stringify(labels)} fires`, () => firing(name, labels), signal),
    untilOver: async (name, labels, signal) => {
      await until(
        `${name} ${JSON.stringify(labels)} is over`,
        async () => ((await firing(name, labels)) === undefined ? true : undefined),
        signal,
      );
    },
    stop: async () => {
      child.kill('SIGTERM');
      await within('Prometheus ends on SIGTERM', exited);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('prometheus ended before it was ready');
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // Not listening yet.
    }
    await pause(50);
  }
}

function said(alerts: readonly Alert[]): string {
  return (
    alerts.map(({ labels, state }) => `${state} ${Object.values(labels).join('/')}`).join(', ') || 'none'
  );
}
