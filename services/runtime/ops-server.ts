import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import manifest from '../../package.json' with { type: 'json' };
import { systemClock } from './clock.ts';
import { isTransient } from './errors.ts';
import { listen } from './http-server.ts';
import type { ProcessContext } from './lifecycle.ts';
import { createLiveness, type Liveness } from './liveness.ts';
import type { LogOutput } from './log-output.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createReadiness, type Readiness } from './readiness.ts';

/** Readings at a scrape may take this long; less where whoever scrapes waits less. */
const usual_patience_ms = 2_000;
const least_patience_ms = 100;
/** Of what the scraper waits, so that the page reaches it in time. */
const patience_share = 0.5;
/** Scrapers and probes of one machine; whatever comes beyond is not them. */
const max_connections = 100;

/** What the parts of a process report to. */
export interface OpsReports {
  metrics: Metrics;
  liveness: Liveness;
}

/** The operations pages of a process. */
export interface Ops<Name extends string> extends OpsReports {
  port: number;
  readiness: Readiness<Name>;
}

/**
 * Starts the operations pages: to be done first of all, so that a process that waits for its log can be seen to be alive and not ready.
 * `checks` names all that it needs before it can do its work.
 */
export async function startOps<Name extends string, Setting extends string>(
  context: ProcessContext,
  deps: { config: { OPS_HOST: string } & Readonly<Record<Setting, number>>; output: LogOutput },
  options: { process: string; setting: Setting; checks: readonly Name[] },
): Promise<Ops<Name>> {
  const { config, output } = deps;
  const { process, setting } = options;
  const said = new Set<string>();
  const metrics = createMetrics({ process, version: manifest.version }, (reading, error) => {
    // What is away is in the numbers. A mistake of our own is said once.
    if (isTransient(error) || context.signal.aborted || said.has(reading)) return;
    said.add(reading);
    output.warn({ err: error, reading }, 'a reading for the metrics failed');
  });
  const liveness = createLiveness({ clock: systemClock, elapsed_ms: () => performance.now() });
  const readiness = createReadiness(options.checks);
  const ticked = metrics.gauge(
    'loop_last_tick_timestamp_seconds',
    'When each loop of the process last said that it goes on.',
    ['loop'],
  );
  const within = metrics.gauge(
    'loop_within_seconds',
    'How long each loop may take between two of these times before it counts as stuck.',
    ['loop'],
  );
  metrics.atScrape('loops', liveness.loops, (loops) => {
    const all = loops ?? [];
    ticked.replace(all.map(({ loop, ticked_at }) => [{ loop }, ticked_at / 1_000]));
    within.replace(all.map(({ loop, within_ms }) => [{ loop }, within_ms / 1_000]));
  });
  const server = createOpsServer({ metrics, liveness, readiness }, () => context.signal.aborted);
  const port = await listen(context, server, { host: config.OPS_HOST, port: config[setting], setting });
  output.info({ ops_port: port }, 'operations pages');
  return { port, metrics, readiness, liveness };
}

/**
 * `/healthz`: the loops go round. `/readyz`: the process can do its work; what is missing is named. `/metrics`: for Prometheus. A process
 * whose event loop hangs answers none of them, which is right.
 */
export function createOpsServer(
  parts: {
    metrics: Pick<Metrics, 'page'>;
    liveness: Pick<Liveness, 'loops'>;
    readiness: { look: () => Promise<Readonly<Record<string, boolean>>> };
  },
  isStopping: () => boolean,
): Server {
  const pages: Readonly<
    Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void> | void>
  > = {
    '/healthz': (_request, response) => {
      const loops = parts.liveness.loops();
      const stuck = loops.filter(({ is_stuck }) => is_stuck).map(({ loop }) => loop);
      sendJson(response, stuck.length === 0 ? 200 : 503, {
        alive: stuck.length === 0,
        stuck,
        loops: loops.map(({ loop, ticked_ago_ms, within_ms }) => ({
          loop,
          ticked_ago_ms: Math.round(ticked_ago_ms),
          within_ms,
        })),
      });
    },
    '/readyz': async (_request, response) => {
      const checks = { running: !isStopping(), ...(await parts.readiness.look()) };
      const missing = Object.entries(checks).flatMap(([name, is_there]) => (is_there ? [] : [name]));
      sendJson(response, missing.length === 0 ? 200 : 503, { ready: missing.length === 0, missing, checks });
    },
    '/metrics': async (request, response) => {
      const { content_type, text } = await parts.metrics.page(patienceOf(request));
      response.writeHead(200, { 'Content-Type': content_type, 'Cache-Control': 'no-store' }).end(text);
    },
  };
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page === undefined) sendJson(response, 404, { pages: Object.keys(pages) });
    else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      sendJson(response, 405, { allow: ['GET', 'HEAD'] });
    } else void page(request, response);
  });
  server.maxConnections = max_connections;
  return server;
}

/** Prometheus says how long it waits; a page that comes later counts as none. */
function patienceOf({ headers }: IncomingMessage): number {
  const waits_s = Number(headers['x-prometheus-scrape-timeout-seconds']);
  if (!Number.isFinite(waits_s) || waits_s <= 0) return usual_patience_ms;
  return Math.max(least_patience_ms, Math.min(usual_patience_ms, waits_s * 1_000 * patience_share));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
    .end(`${JSON.stringify(body)}\n`);
}
