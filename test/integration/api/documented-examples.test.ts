import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Geocode } from '../../../services/api/ports.ts';
import { sanAntonioRows } from '../../support/recorded.ts';
import { startInProcess, type InProcessApi } from './in-process.ts';

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  example?: string;
}
interface Response {
  $ref?: string;
  content?: { 'application/json': { examples: Record<string, { value: unknown }> } };
}
const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/openapi.json'), 'utf8'),
) as {
  paths: Record<string, { get: { parameters: Parameter[]; responses: Record<string, Response> } }>;
  components: { parameters: Record<string, Parameter>; responses: Record<string, Response> };
};

/** City Hall of Helotes, as the sandbox's gazetteer has it: three radars saw one recorded fall of hail near it. */
const helotes: Geocode = {
  outcome: 'match',
  resolved_address: '12951 BANDERA RD, HELOTES, TX, 78023',
  lat: 29.5683,
  lon: -98.687,
  corrections: [],
};
const observations = sanAntonioRows().map((line) => {
  const [time = '', station = '', cell = '', , sevprob, size, lat, lon] = line.split(',');
  const id = `${station}/${time}/${cell}`;
  return {
    publisher: 'NEXRAD_SWDI' as const,
    ...{ record_key: id, record_id: id, began_ms: Date.parse(time), ended_ms: Date.parse(time) },
    ...{ lat: Number(lat), lon: Number(lon), size_in: Number(size) },
    ...{ size_tenths_mm: null, sevprob: Number(sevprob) },
  };
});

/** What the document shows of one answer; `errors` of all operations share theirs. */
function example(path: string, status: number, name: string): unknown {
  const declared = document.paths[path]?.get.responses[String(status)];
  const shared = declared?.$ref?.split('/').at(-1);
  const response = shared === undefined ? declared : document.components.responses[shared];
  const found = response?.content?.['application/json'].examples[name];
  assert.ok(found !== undefined, `${path} ${status} ${name}`);
  return found.value;
}

/** The question that a page draws from the document: what is required, by its example, and the defaults. */
function question(path: string): string {
  const parameters = document.paths[path]?.get.parameters ?? [];
  const query = new URLSearchParams();
  for (const each of parameters) {
    const shared = each.$ref?.split('/').at(-1);
    const parameter = shared === undefined ? each : document.components.parameters[shared];
    if (parameter?.required === true) query.set(parameter.name, parameter.example ?? 'no example');
  }
  return `/api/v1${path}?${query.toString()}`;
}

interface Shown {
  meta: { request_id: string; computed_at: string };
  data: { feeds: { feed: string; last_observation_at: string | null }[] };
}
const health = example('/meta/health', 200, 'answer') as Shown;
const { request_id, computed_at } = health.meta;

describe('the examples of openapi.json', () => {
  const open = new Map<string, InProcessApi>();
  after(async () => {
    await Promise.all([...open.values()].map((api) => api.stop()));
  });

  /** One app for each outcome of the geocoder. */
  async function apiWhere(geocode: Geocode): Promise<InProcessApi> {
    const kept = open.get(geocode.outcome);
    if (kept !== undefined) return kept;
    const read = health.data.feeds.flatMap(({ feed, last_observation_at: at }) =>
      at === null ? [] : [[feed, Date.parse(at)] as const],
    );
    const api = await startInProcess({
      clock: () => Date.parse(computed_at),
      createId: () => request_id,
      geocoder: { locate: () => Promise.resolve(geocode) },
      hail: {
        observationsNear: () =>
          Promise.resolve({
            observations,
            token: 'v1.test.0',
            coverage: { NOAA_SED: 'none', NEXRAD_SWDI: 'partial', MRMS_MESH: 'none', COCORAHS: 'none' },
          }),
        feedsReadThrough: () => Promise.resolve(new Map(read)),
      },
    });
    open.set(geocode.outcome, api);
    return api;
  }

  for (const path of Object.keys(document.paths).filter((each) => each !== '/openapi.json')) {
    it(`show what ${path} answers to the question of its parameters' examples, on recorded hail`, async () => {
      const response = await (await apiWhere(helotes)).get(question(path));
      assert.deepEqual(await response.json(), example(path, 200, 'answer'));
    });
  }

  const verify = '/property/verify';
  const with_address = (path: string, address: string): string =>
    question(path).replace(/address=[^&]*/, `address=${encodeURIComponent(address)}`);
  const submitted = (name: string): string => {
    const { error } = example(verify, 422, name) as { error: { detail: { address: string } } };
    return error.detail.address;
  };
  const { candidates } = (
    example(verify, 422, 'candidates') as { error: { detail: { candidates: string[] } } }
  ).error.detail;
  const flat = example('/lookup', 422, 'error') as { address: string };
  const refusals: [path: string, status: number, name: string, url: string, geocode: Geocode][] = [
    [verify, 400, 'out_of_range', `${question(verify)}&window_days=181&radius_mi=26`, helotes],
    [verify, 400, 'unknown', `${question(verify)}&window=45`, helotes],
    [verify, 422, 'no_match', with_address(verify, submitted('no_match')), { outcome: 'no_match' }],
    [
      verify,
      422,
      'candidates',
      with_address(verify, submitted('candidates')),
      { outcome: 'candidates', candidates },
    ],
    [verify, 500, 'geocoder', question(verify), { outcome: 'unavailable' }],
    ['/lookup', 400, 'error', '/api/v1/lookup', helotes],
    ['/lookup', 422, 'error', with_address('/lookup', flat.address), { outcome: 'no_match' }],
    ['/lookup', 500, 'error', question('/lookup'), { outcome: 'unavailable' }],
  ];
  for (const [path, status, name, url, geocode] of refusals) {
    it(`show how ${path} refuses: ${status} ${name}`, async () => {
      const response = await (await apiWhere(geocode)).get(url);
      assert.equal(response.status, status);
      assert.deepEqual(await response.json(), example(path, status, name));
    });
  }
  for (const path of [verify, '/lookup']) {
    it(`show what ${path} says to who has no key, and to another method`, async () => {
      const api = await apiWhere(helotes);
      const name = path === verify ? ['key', 'method'] : ['error', 'error'];
      const stranger = await api.get(question(path), { headers: {} });
      assert.deepEqual(await stranger.json(), example(path, 401, name[0] ?? ''));
      const posted = await api.get(question(path), { method: 'POST' });
      assert.deepEqual(await posted.json(), example(path, 405, name[1] ?? ''));
    });
  }
});
