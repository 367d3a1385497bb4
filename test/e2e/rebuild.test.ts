import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setAsideReason, type ObservationFact } from '../../services/hail/observation.ts';
import { roundToHundredths } from '../../services/hail/size.ts';
import { createCodec, type Codec } from '../../services/log/codec.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { pause } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { endlessHistory, readToken } from '../integration/projector/rebuild.support.ts';
import { startTestGeocoder } from '../support/census-shaped.ts';
import { createCleanup } from '../support/cleanup.ts';
import { historyAnswer } from '../support/oracle/contract.ts';
import type { OracleRecord } from '../support/oracle/records.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { keyOf, type StoredFact } from '../unit/projector/history.ts';

const topic = topics.observation.name;
const address = '1 Recorded Hail Rd, San Antonio, TX 00000';
const place = { lat: 29.55, lon: -98.4, radius_mi: 25, min_size_in: 0 };
const window = { since: '2026-08-01', until: '2026-09-30', limit: 5_000 };
const rebuild_script = join(import.meta.dirname, '../../scripts/rebuild.ts');

/** So many answers at least must name one position, which makes them comparable. */
const least_exact = 5;

interface Asked {
  status: number;
  text: string;
  token: string;
}

describe('a rebuild of the whole service in use', { timeout: 270_000 }, () => {
  const made = createCleanup();
  let service: TestService;
  let log: EventLog;
  let codec: Codec;

  before(async () => {
    const geocoder = made.keep(await startTestGeocoder());
    geocoder.add(address, place.lat, place.lon);
    service = made.keep(
      await startTestService({
        env: {
          GEOCODER_URL: geocoder.url,
          NOAA_SED_FIRST_YEAR: '2017',
          HAILMARK_HOLD_CLOCK_AT: '2027-06-01T12:00:00.000Z',
        },
      }),
    );
    log = await openLog({ ...readConfig({}), HAILMARK_DATA_DIR: service.data_dir });
    made.keep({ stop: () => log.close() });
    codec = createCodec({ registry_url: service.registry_url });
    await codec.registerAll();
    await service.untilQueryable();
  });
  after(() => made.stop());

  it('is not seen by a client that asks twice a second while facts flow, nor is the way back', async () => {
    const flow = { on: true, asked: [] as Asked[] };
    const writing = write(() => flow.on);
    const asking = (async () => {
      while (flow.on) {
        flow.asked.push(await ask());
        await pause(500);
      }
    })();
    const more = async (answers: number): Promise<void> => {
      const until = flow.asked.length + answers;
      while (flow.asked.length < until) await pause(20);
    };
    await more(3);
    const rebuilt = await command('observations');
    assert.equal(rebuilt.code, 0, rebuilt.output);
    await more(3);
    const back = await command('observations', '--rollback');
    assert.equal(back.code, 0, back.output);
    await more(3);
    // An answer beside a batch that stays open long names a range of positions: on a busy machine many do, and it is asked on.
    const ofOnePosition = ({ token }: Asked): boolean => token !== '' && readToken(token).to === null;
    while (flow.asked.filter(ofOnePosition).length < least_exact) await more(1);
    flow.on = false;
    await Promise.all([writing, asking]);
    assert.match(rebuilt.output, /observations\.v2 answers; observations\.v1 is kept/);
    assert.match(back.output, /observations\.v1 answers; observations\.v2 is kept/);

    const facts = await storedFacts();
    const reached: number[] = [];
    let exact = 0;
    for (const { status, text, token } of flow.asked) {
      assert.equal(status, 200, text);
      const { from, to } = readToken(token);
      from.forEach((offset, partition) => {
        assert.ok(offset >= (reached[partition] ?? 0), 'an answer is older than one before it');
        reached[partition] = offset;
      });
      if (to !== null) continue;
      exact += 1;
      const { property, ...answered } = (JSON.parse(text) as { data: Record<string, unknown> }).data;
      assert.ok(property !== undefined);
      assert.deepEqual(answered, historyAnswer(recordsAt(facts, from), { ...place, ...window }), token);
    }
    assert.ok(exact >= least_exact, `${exact} of ${flow.asked.length} answers name one position`);
  });

  it('is told where there is nothing to do, or no such view', async () => {
    const list = await command('--list');
    assert.match(list.output, /observations\.v1 +serving +\d+ behind\nobservations\.v2 +kept/);
    assert.deepEqual([(await command('nonsense')).code, (await command()).code], [1, 64]);
    const refused = await command('--remove', 'observations.v1');
    assert.equal(refused.code, 1);
    assert.match(refused.output, /^observations\.v1 is the version that answers: it cannot be removed\.\n$/);
  });

  /** The recorded radar records, corrected for ever, as their feed would publish them. */
  async function write(goesOn: () => boolean): Promise<void> {
    for (const fact of endlessHistory()) {
      if (!goesOn()) return;
      await log.append(topic, [{ key: keyOf(fact), value: codec.encode(topic, fact) }]);
      await pause(250);
    }
  }

  async function ask(): Promise<Asked> {
    const { radius_mi, min_size_in } = place;
    const { since, until, limit } = window;
    const response = await service.get('/v1/property/history', {
      ...{ address, since, until },
      ...{ radius_mi: String(radius_mi), min_size_in: String(min_size_in), limit: String(limit) },
    });
    const token = response.headers.get('X-Data-Position') ?? '';
    return { status: response.status, text: await response.text(), token };
  }

  function command(...options: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', rebuild_script, ...options],
      {
        env: {
          ...process.env,
          HAILMARK_DATA_DIR: service.data_dir,
          CLICKHOUSE_URL: service.clickhouse_url,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    made.keep({ stop: () => void child.kill('SIGKILL') });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    return new Promise((done) => child.once('close', (code) => done({ code, output })));
  }

  async function storedFacts(): Promise<StoredFact[]> {
    const facts: StoredFact[] = [];
    for await (const page of log.scan(topic)) {
      for (const { partition, offset, value } of page) {
        const decoded = await codec.decode(topic, value);
        if (decoded.outcome === 'ok') facts.push({ fact: decoded.fact, partition, offset });
      }
    }
    return facts;
  }
});

/** The plain fold: of every record the newest message before a position, where it can be cited. */
function recordsAt(facts: readonly StoredFact[], positions: readonly number[]): OracleRecord[] {
  const newest = new Map<string, ObservationFact>();
  for (const { fact, partition, offset } of facts) {
    if (offset < (positions[partition] ?? 0)) newest.set(keyOf(fact), fact);
  }
  return [...newest.values()]
    .filter((fact) => fact.status !== 'withdrawn' && setAsideReason(fact) === null)
    .map(({ publisher, record_id, began_at, ended_at, lat, lon, size_in }) => ({
      publisher: publisher as OracleRecord['publisher'],
      id: record_id,
      began: began_at ?? NaN,
      ended: ended_at ?? began_at ?? NaN,
      lat: Math.round((lat ?? NaN) * 1e6) / 1e6,
      lon: Math.round((lon ?? NaN) * 1e6) / 1e6,
      size: roundToHundredths(size_in ?? NaN),
    }));
}
