import type { Around } from './around.ts';
import type { Check } from './examine.ts';
import { broken, notChecked, ok, warning, type Finding, type Outcome } from './finding.ts';

/** The processes that have operations pages, each with the setting of its port. */
const ops_ports = {
  feeds: 'FEEDS_OPS_PORT',
  projector: 'PROJECTOR_OPS_PORT',
} as const;

/** What `/readyz` says: null where nobody answers, else what is missing. */
type Readiness = { ready: boolean; missing: string[] } | null;

async function askReadiness(around: Around, base: string, signal: AbortSignal): Promise<Readiness> {
  // Ahead of the check's own end, so that one that hangs is told from those that answer.
  const patience = AbortSignal.any([signal, AbortSignal.timeout(around.options.timeout_ms * 0.8)]);
  try {
    const response = await fetch(`${base.replace(/\/+$/, '')}/readyz`, { signal: patience });
    const body: unknown = await response.json().catch(() => null);
    const missing =
      typeof body === 'object' && body !== null && 'missing' in body && Array.isArray(body.missing)
        ? body.missing.map(String)
        : [];
    return { ready: response.status === 200, missing };
  } catch {
    return null;
  }
}

/** An address to listen at as one to ask at. */
function reachable(host: string): string {
  return ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
}

const api: Check = {
  name: 'api',
  look: async (around, signal) => {
    const { API_HOST, API_PORT } = around.config;
    const named = around.options.api_urls;
    const urls = named.length > 0 ? named : [`http://${reachable(API_HOST)}:${API_PORT}`];
    const asked = await Promise.all(
      urls.map(async (url) => ({ url, readiness: await askReadiness(around, url, signal) })),
    );
    const unready = asked.filter(({ readiness }) => readiness?.ready === false);
    if (unready.length > 0)
      return broken(
        `Not ready: ${unready.map(({ url, readiness }) => `${url}${lacking(readiness)}`).join(', ')}.`,
        'It is starting, stopping, or without what it needs, which has a check of its own; read its log.',
      );
    const silent = asked.filter(({ readiness }) => readiness === null).map(({ url }) => url);
    if (silent.length === 0)
      return ok(`${urls.length === 1 ? 'The API is' : `${urls.length} API processes are`} ready.`);
    const says = `No API answers at ${silent.join(', ')}.`;
    const remedy =
      'Start it (npm start), or say where it is: npm run doctor -- --api URL; API_HOST and API_PORT are its settings.';
    return named.length > 0 ? broken(says, remedy) : warning(says, remedy);
  },
};

const others: Check = {
  name: 'process',
  look: (around, signal) =>
    Promise.all(
      Object.entries(ops_ports).map(async ([name, setting]): Promise<Finding> => {
        const check = `process.${name}`;
        const port = around.config[setting];
        if (port === 0)
          return { check, ...notChecked(`${setting} is 0: any port, which only its log tells.`) };
        const base = `http://${reachable(around.config.OPS_HOST)}:${port}`;
        return { check, ...judge(await askReadiness(around, base, signal), { name, setting, base }) };
      }),
    ),
};

function judge(readiness: Readiness, at: { name: string; setting: string; base: string }): Outcome {
  const { name, setting, base } = at;
  if (readiness === null)
    return warning(
      `Nobody answers at ${base}/readyz: the process ${name} does not run, hangs, or runs on another machine.`,
      `Start the process (npm start starts all); OPS_HOST and ${setting} say where it is asked.`,
    );
  if (readiness.ready) return ok('It runs and has what it needs.');
  return broken(
    `It runs and cannot do its work${lacking(readiness)}.`,
    'What it lacks has a check of its own; it goes on by itself when that is back.',
  );
}

function lacking(readiness: Readiness): string {
  return readiness === null || readiness.missing.length === 0
    ? ''
    : `: it lacks ${readiness.missing.join(', ')}`;
}

export const processChecks: readonly Check[] = [api, others];
