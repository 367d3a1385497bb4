import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createKey, revokeKey } from '../../../services/api/keys/admin.ts';
import { createCodec } from '../../../services/log/codec.ts';
import { openLog } from '../../../services/log/open-log.ts';
import type { AppDeps, AppOptions } from '../../../services/api/app.ts';
import { pause, systemClock } from '../../../services/runtime/clock.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import type { Geocode } from '../../../services/api/ports.ts';
import {
  answering,
  key as in_process_key,
  startInProcess,
  type InProcessApi,
} from '../../integration/api/in-process.ts';
import { createGeocoders } from '../../../services/api/geocoder/geocoders.ts';
import { startTestGeocoder } from '../../support/census-shaped.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { answers, now } from './answers.ts';
import { elsewhere } from './elsewhere.ts';
import { http } from './http.ts';
import { somerset, wrong, type Answer, type Ask, type Fault } from './line.ts';
import { rules } from './rules.ts';

const project = resolve(import.meta.dirname, '../../..');
const lines = [...answers, ...rules, ...http, ...elsewhere];

const away = (): Promise<never> => Promise.reject(new HailmarkError('HAIL_STORE_UNAVAILABLE', 'away'));
const readsNothing = { feedsReadThrough: () => Promise.resolve(new Map()) };
const locates = (outcome: Geocode): Partial<AppDeps> => ({
  ...answering,
  geocoder: { locate: () => Promise.resolve(outcome) },
});
const located: Extract<Geocode, { outcome: 'match' }> = {
  outcome: 'match',
  resolved_address: '7360 E 6TH ST, SOMERSET, TX, 78069',
  lat: 29.2263,
  lon: -98.6578,
  corrections: [],
};
const refusing = (limit: 'minute' | 'day', seconds: number): Partial<AppDeps> => ({
  ...answering,
  limiter: {
    admit: () =>
      Promise.resolve({
        outcome: 'refused',
        reason: `${limit}-rate-limit`,
        retry_after_s: seconds,
        standings: [{ limit, quota: 60, window_s: 60, remaining: 0, resets_in_s: seconds }],
      }),
    beginDay: () => Promise.resolve(),
    countedIn: () => 'memory',
  },
});
/** What a geocoder of the Census Bureau's shape matches instead of what was typed; the service's own geocoding judges it. */
const houses = {
  'another house': '7362 E 6TH ST, SOMERSET, TX, 78069',
  'another state': '7360 E 6TH ST, SOMERSET, OK, 78069',
} as const;
type Broken = [deps: Partial<AppDeps>, options?: Partial<AppOptions>];
const faults: Record<Exclude<Fault, keyof typeof houses>, Broken> = {
  'geocoder away': [locates({ outcome: 'unavailable' })],
  'several matches': [locates({ outcome: 'candidates', candidates: ['1 B ST', '1 A ST'] })],
  'corrected address': [locates({ ...located, corrections: ['zip', 'suffix'] })],
  'store away': [{ ...answering, hail: { observationsNear: away, feedsReadThrough: away } }],
  'nothing read': [
    { ...answering, hail: { ...readsNothing, observationsNear: () => Promise.resolve(null) } },
  ],
  'past the deadline': [
    { ...answering, hail: { ...readsNothing, observationsNear: () => new Promise(() => undefined) } },
    { deadline_ms: 50 },
  ],
  'minute used up': [refusing('minute', 42)],
  'day used up': [refusing('day', 1_800)],
  'no match and no store': [
    { ...locates({ outcome: 'no_match' }), hail: { observationsNear: away, feedsReadThrough: away } },
  ],
  'leap day': [{ ...answering, clock: () => Date.parse('2024-02-29T12:00:00.000Z') }],
};

describe('the contract, sentence by sentence, against the whole service', { timeout: 900_000 }, () => {
  const made = createCleanup();
  const broken = new Map<Fault, InProcessApi>();
  let service: TestService;
  let keys: Keys;

  before(async () => {
    service = made.keep(
      await startTestService({
        env: {
          HAILMARK_HOLD_CLOCK_AT: now,
          PUBLIC_BASE_URL: 'https://hail.test/',
          SWDI_HISTORY: '2011-05-24/2011-05-25,2026-08-27/2026-08-30',
        },
      }),
    );
    keys = await makeKeys(service);
    await service.untilQueryable();
  });
  after(() => made.stop());

  const judging = async (matched: string): Promise<Broken> => {
    const geocoder = made.keep(await startTestGeocoder());
    geocoder.add(somerset, located.lat, located.lon, { matched });
    const config = readConfig({ GEOCODER_URL: geocoder.url });
    const output = pino({ enabled: false });
    return [
      {
        ...answering,
        geocoder: createGeocoders({ clock: systemClock, output, random: Math.random }, config),
      },
    ];
  };
  const targetOf = async (fault: Fault | null): Promise<Target> => {
    if (fault === null) return { url: service.api_url, keys };
    const parts =
      fault in houses
        ? await judging(houses[fault as keyof typeof houses])
        : faults[fault as keyof typeof faults];
    const running = broken.get(fault) ?? made.keep(await startInProcess(...parts));
    broken.set(fault, running);
    const good = in_process_key;
    return { url: running.url, keys: { good, revoked: good, default_limits: good } };
  };

  it('has every sentence once', () => {
    const ids = lines.map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
    assert.ok(lines.length > 200, String(lines.length));
  });

  for (const each of lines) {
    const name = `${each.id}: ${each.says}`;
    if ('proven' in each) {
      it(`${name} (${each.proven.file})`, () => {
        const file = join(project, each.proven.file);
        assert.ok(existsSync(file), each.proven.file);
        // As a title, not in a comment or a message.
        const titles = [
          ...readFileSync(file, 'utf8').matchAll(/\b(?:it|describe|test)\(\s*(['"`])(.*?)\1,/gs),
        ];
        assert.ok(
          titles.some(([, , title]) => title?.includes(each.proven.title)),
          each.proven.title,
        );
      });
    } else {
      it(name, async () => {
        const target = await targetOf(each.ask.fault);
        for (const prefix of each.ask.prefixes) {
          const answer = await ask(target, prefix, each.ask);
          for (const expectation of each.expect) expectation(answer);
        }
      });
    }
  }
});

interface Keys {
  /** A key that the table does not use up: it asks hundreds of questions within a minute. */
  good: string;
  revoked: string;
  /** Made without a word about limits. */
  default_limits: string;
}

interface Target {
  url: string;
  keys: Keys;
}

async function ask(target: Target, prefix: string, asked: Ask): Promise<Answer> {
  if (asked.again !== null) {
    const first = await ask(target, prefix, { ...asked, again: null });
    const tag = first.headers.get('ETag') ?? 'none';
    return ask(target, prefix, {
      ...asked,
      again: null,
      headers: { ...asked.headers, 'If-None-Match': tag },
    });
  }
  const parameters = new URLSearchParams(asked.query);
  const in_query = typeof asked.key === 'string' && asked.key.startsWith('query');
  if (in_query) parameters.set('api_key', target.keys.good);
  if (asked.key === 'query twice') parameters.append('api_key', target.keys.good);
  const authorization = authorizationOf(asked.key, target.keys);
  const response = await fetch(`${target.url}${prefix}${asked.path}?${parameters.toString()}`, {
    method: asked.method,
    headers: { ...asked.headers, ...(authorization === null ? {} : { Authorization: authorization }) },
  });
  const text = await response.text();
  const is_json = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  const parsed: unknown = is_json && text !== '' ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, body: parsed };
}

function authorizationOf(key: Ask['key'], keys: Keys): string | null {
  switch (key) {
    case 'header':
      return `Bearer ${keys.good}`;
    case 'revoked':
      return `Bearer ${keys.revoked}`;
    case 'default limits':
      return `Bearer ${keys.default_limits}`;
    case 'query beside a wrong header':
      return wrong.authorization;
    case 'none':
    case 'query':
    case 'query twice':
      return null;
    default:
      return key.authorization;
  }
}

/** Resolves when the service knows all of them as they are. */
async function makeKeys(service: TestService): Promise<Keys> {
  const log = await openLog(service.config);
  try {
    const codec = createCodec({ registry_url: service.registry_url });
    await codec.registerAll();
    const deps = { log, codec, clock: systemClock };
    const wide = { per_minute: 100_000, per_day: 1_000_000 };
    const good = await createKey(deps, { partner: 'contract table', ...wide });
    const default_limits = await createKey(deps, { partner: 'contract table' });
    const revoked = await createKey(deps, { partner: 'contract table', ...wide });
    const revocation = await revokeKey(deps, revoked.key_id);
    assert.ok(revocation);
    const known = async (): Promise<boolean> => {
      const ready = (await (await fetch(`${service.api_url}/readyz`)).json()) as { keys_next_offset: number };
      return ready.keys_next_offset >= revocation.next_offset;
    };
    while (!(await known())) await pause(25);
    return { good: good.key, revoked: revoked.key, default_limits: default_limits.key };
  } finally {
    await log.close();
  }
}
