import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createKey } from '../../../services/api/keys/admin.ts';
import { createCodec } from '../../../services/log/codec.ts';
import { openLog } from '../../../services/log/open-log.ts';
import type { AppDeps, AppOptions } from '../../../services/api/app.ts';
import { pause, systemClock } from '../../../services/runtime/clock.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import type { Geocode } from '../../../services/api/ports.ts';
import {
  answering,
  key as in_process_key,
  startInProcess,
  type InProcessApi,
} from '../../integration/api/in-process.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { answers, now } from './answers.ts';
import type { Answer, Ask, Fault } from './line.ts';
import { rules } from './rules.ts';

const project = resolve(import.meta.dirname, '../../..');
const lines = [...answers, ...rules];

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
const faults: Record<Fault, [deps: Partial<AppDeps>, options?: Partial<AppOptions>]> = {
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
};

describe('the contract, sentence by sentence, against the whole service', { timeout: 240_000 }, () => {
  const made = createCleanup();
  const broken = new Map<Fault, InProcessApi>();
  let service: TestService;
  let key: string;

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
    key = await unboundedKey(service);
    await service.untilQueryable();
  });
  after(() => made.stop());

  const targetOf = async (fault: Fault | null): Promise<{ url: string; key: string }> => {
    if (fault === null) return { url: service.api_url, key };
    const running = broken.get(fault) ?? made.keep(await startInProcess(...faults[fault]));
    broken.set(fault, running);
    return { url: running.url, key: in_process_key };
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
        assert.ok(readFileSync(file, 'utf8').includes(each.proven.title), each.proven.title);
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

async function ask(target: { url: string; key: string }, prefix: string, asked: Ask): Promise<Answer> {
  const parameters = new URLSearchParams(asked.query);
  if (asked.key === 'query') parameters.set('api_key', target.key);
  const authorization =
    asked.key === 'header'
      ? `Bearer ${target.key}`
      : typeof asked.key === 'object'
        ? asked.key.authorization
        : null;
  const response = await fetch(`${target.url}${prefix}${asked.path}?${parameters.toString()}`, {
    method: asked.method,
    headers: { ...asked.headers, ...(authorization === null ? {} : { Authorization: authorization }) },
  });
  const text = await response.text();
  const is_json = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  const parsed: unknown = is_json && text !== '' ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, body: parsed };
}

/** A key that the table does not use up: it asks hundreds of questions within a minute. */
async function unboundedKey(service: TestService): Promise<string> {
  const log = await openLog(service.config);
  try {
    const codec = createCodec({ registry_url: service.registry_url });
    await codec.registerAll();
    const wanted = { partner: 'contract table', per_minute: 100_000, per_day: 1_000_000 };
    const { key } = await createKey({ log, codec, clock: systemClock }, wanted);
    const headers = { Authorization: `Bearer ${key}` };
    while ((await fetch(`${service.api_url}/v1/property/verify`, { headers })).status === 401)
      await pause(25);
    return key;
  } finally {
    await log.close();
  }
}
