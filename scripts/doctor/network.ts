import { Redis } from 'ioredis';
import { joinUrl } from '../../services/runtime/http-client.ts';
import { userAgent } from '../../services/runtime/user-agent.ts';
import type { Around } from './around.ts';
import type { Check } from './examine.ts';
import { publisher_settings } from './feeds.ts';
import { broken, notChecked, ok, warning, type Finding, type Outcome } from './finding.ts';

export interface Asked {
  name: string;
  /** Null where nothing answered. */
  status: number | null;
  /** What the answer's Date header says, and the service's time when it came, both epoch milliseconds. */
  date_ms: number | null;
  at_ms: number;
}

/** Something small that each really has, so that a proxy's own page is not taken for the publisher. Nobody's address is asked for. */
const small_questions: Readonly<Record<string, string>> = {
  mrms_mesh: '/?list-type=2&max-keys=1',
  radar_hail: '/swdiws/xml',
  storm_events: '/pub/data/swdi/stormevents/csvfiles/',
  local_storm_reports: '/climo/reports/today_hail.csv',
  cocorahs_hail: '/export/exportreports.aspx',
  nws_alerts: '/alerts/types',
  census: '/geocoder/locations/onelineaddress',
  pelias: '/v1/search',
};

/** One question; any answer but the server's own failure shows that somebody is there. */
async function askOnce(around: Around, name: string, url: string, signal: AbortSignal): Promise<Asked> {
  // Ahead of the check's own end, so that one that hangs is told from those that answer.
  const patience = AbortSignal.any([signal, AbortSignal.timeout(around.options.timeout_ms * 0.8)]);
  try {
    const response = await fetch(url, {
      signal: patience,
      headers: { 'User-Agent': userAgent(around.config) },
    });
    const at_ms = around.clock();
    await response.body?.cancel();
    const date = Date.parse(response.headers.get('date') ?? '');
    return { name, status: response.status, date_ms: Number.isNaN(date) ? null : date, at_ms };
  } catch {
    return { name, status: null, date_ms: null, at_ms: around.clock() };
  }
}

/** Publishers of this machine, a sandbox for one, are asked without being told to; the others by `--live`. */
function mayAsk({ options }: Around, url: string): boolean {
  return options.live || ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}

export function askPublishers(around: Around, signal: AbortSignal): Promise<Asked[]> {
  const asked = Object.entries(publisher_settings).filter(([, setting]) =>
    mayAsk(around, around.config[setting]),
  );
  return Promise.all(
    asked.map(([feed, setting]) =>
      askOnce(around, feed, joinUrl(around.config[setting], small_questions[feed] ?? '/'), signal),
    ),
  );
}

const publishers: Check = {
  name: 'publisher',
  look: async (around, signal) => {
    const asked = new Map((await askPublishers(around, signal)).map((each) => [each.name, each.status]));
    return Object.entries(publisher_settings).map(([feed, setting]) => ({
      check: `publisher.${feed}`,
      ...reachable(asked, feed, setting),
    }));
  },
};

const geocoders: Check = {
  name: 'geocoder',
  look: async (around, signal) => {
    const { GEOCODERS, GEOCODER_URL, PELIAS_URL } = around.config;
    const urls = { census: GEOCODER_URL, pelias: PELIAS_URL } as const;
    const findings: Finding[] = [];
    for (const name of GEOCODERS.split(',') as (keyof typeof urls)[]) {
      const url = urls[name];
      const asked = new Map<string, number | null>();
      if (url !== undefined && mayAsk(around, url))
        asked.set(
          name,
          (await askOnce(around, name, joinUrl(url, small_questions[name] ?? '/'), signal)).status,
        );
      const setting = name === 'census' ? 'GEOCODER_URL' : 'PELIAS_URL';
      findings.push({ check: `geocoder.${name}`, ...reachable(asked, name, setting) });
    }
    return findings;
  },
};

function reachable(asked: ReadonlyMap<string, number | null>, name: string, setting: string): Outcome {
  const status = asked.get(name);
  if (status === undefined)
    return notChecked('It is not on this machine.', 'npm run doctor -- --live asks it.');
  if (status === 403 || status === 429)
    return warning(
      `It answers with status ${status}: it does not want to be asked like this.`,
      'Set HAILMARK_CONTACT to an address of yours, so that it knows who asks; ask less often.',
    );
  if (status !== null && status < 500) return ok('It answers.');
  return broken(
    status === null ? 'It does not answer.' : `It answers with status ${status}.`,
    `Correct ${setting}, or the way there (a proxy, a firewall); if it is its own trouble, wait: addresses and facts that are known keep working.`,
  );
}

const redis: Check = {
  name: 'redis',
  look: async ({ config, options }) => {
    const { REDIS_URL } = config;
    if (REDIS_URL === undefined)
      return notChecked('REDIS_URL is not set: each API process counts for itself.');
    const client = new Redis(REDIS_URL, {
      lazyConnect: true,
      connectTimeout: options.timeout_ms / 2,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    // What fails is told by the promise; a second word would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.ping();
      return ok('Redis answers: all API processes count limits together.');
    } catch {
      return broken(
        'Redis does not answer: each API process counts limits for itself meanwhile, so partners may use more than they are due.',
        'Start it, or correct REDIS_URL; the API takes it up again by itself.',
      );
    } finally {
      client.disconnect();
    }
  },
};

export const networkChecks: readonly Check[] = [redis, geocoders, publishers];
