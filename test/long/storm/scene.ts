import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createKey, revokeKey } from '../../../services/api/keys/admin.ts';
import { keyIdOf } from '../../../services/api/keys/format.ts';
import { createCodec, type Codec } from '../../../services/log/codec.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { openLog } from '../../../services/log/open-log.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import { startTestGeocoder, type TestGeocoder } from '../../support/census-shaped.ts';
import type { createCleanup } from '../../support/cleanup.ts';
import { temporaryFolder } from '../../support/local-services.ts';
import { recordedHail } from '../../support/oracle/records.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { stormPlaces, stormQuestions, type StormKeys } from './questions.ts';
import type { StormLog } from './twins.ts';
import { createStorm, until, type Storm } from './waves.ts';

/** NOT REAL: the partner's name, which may be written and so shows that a search would find something. */
export const partner = 'Stormproof Control Insurance';

const seed = Number(process.env['HAILMARK_TEST_SEED'] ?? 20_261_121);

/** The running service before a storm, with what the storm needs to know and to break. */
export interface Scene {
  data_dir: string;
  /** The log as something that can be taken away. */
  shared: StormLog;
  service: TestService;
  geocoder: TestGeocoder;
  log: EventLog;
  codec: Codec;
  keys: StormKeys;
  /** Of the keys that were made; requests of others are none of the storm's. */
  key_ids: ReadonlySet<string>;
  /** One of the addresses that are asked for. */
  address: string;
  asked: Storm;
  kill: (name: string) => Promise<void>;
  /** Resolves when a place is answered that nobody has asked for, so that neither cache nor index helps. Asked with a key that counts for nothing. */
  untilWell: (fresh: string) => Promise<void>;
  apiLog: () => string;
}

export async function setScene(
  made: ReturnType<typeof createCleanup>,
  makeLog: (data_dir: string) => Promise<StormLog> | StormLog,
  count: number,
): Promise<Scene> {
  const data_dir = temporaryFolder('hailmark-storm-');
  made.keep({ stop: () => rmSync(data_dir, { recursive: true, force: true }) });
  const shared = made.keep(await makeLog(data_dir));
  const geocoder = made.keep(await startTestGeocoder());
  const service = made.keep(
    await startTestService({
      data_dir,
      env: {
        ...shared.env,
        GEOCODER_URL: geocoder.url,
        NOAA_SED_FIRST_YEAR: '2000',
        SPC_HISTORY: '',
        COCORAHS_HISTORY: '',
      },
    }),
  );
  const log = await openLog(service.config);
  made.keep({ stop: () => log.close() });
  const codec = createCodec({ registry_url: service.registry_url });
  await codec.registerAll();
  const admin = { log, codec, clock: systemClock };
  const good = await createKey(admin, { partner, per_minute: 1_000_000, per_day: 10_000_000 });
  const flood = await createKey(admin, { partner, per_minute: 5, per_day: 10_000_000 });
  const revoked = await createKey(admin, { partner });
  const revocation = await revokeKey(admin, revoked.key_id);
  assert.ok(revocation);
  const unknown = `hm_live_0badc0de_${Buffer.from('never made by any one').toString('base64url').slice(0, 24)}`;
  assert.equal(keyIdOf(unknown), '0badc0de', 'the unknown key has the form of a key');
  const keys: StormKeys = { good: good.key, flood: flood.key, wrong: [revoked.key, unknown] };
  const key_ids = new Set([good.key_id, flood.key_id, revoked.key_id]);
  const places = stormPlaces(recordedHail({ years: [2017] }), seed, 600);
  for (const place of places) geocoder.add(place.address, place.lat, place.lon);
  for (const place of places) {
    geocoder.add(place.address.toUpperCase(), place.lat, place.lon);
    geocoder.add(place.address.toLowerCase(), place.lat, place.lon);
  }
  const asked = createStorm(service.api_url, stormQuestions(places, keys, seed, count));
  await service.untilQueryable();
  await until(async () => {
    const ready = (await (await service.get('/readyz')).json()) as { keys_next_offset: number };
    return ready.keys_next_offset >= revocation.next_offset;
  });
  return {
    ...{ data_dir, shared, service, geocoder, log, codec, keys, key_ids, asked },
    address: places[0]?.address ?? '',
    kill: service.kill9,
    untilWell: (fresh) => {
      geocoder.add(fresh, 29.2263, -98.6578);
      return until(async () => (await service.get('/v1/property/score', { address: fresh })).status === 200);
    },
    apiLog: () => readFileSync(join(data_dir, 'logs', 'api.log'), 'utf8'),
  };
}
