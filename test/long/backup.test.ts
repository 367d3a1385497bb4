import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCodec } from '../../services/log/codec.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { pause } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { endlessHistory } from '../integration/projector/rebuild.support.ts';
import { startTestGeocoder } from '../support/census-shaped.ts';
import { createCleanup } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/local-services.ts';
import { runScript, type Ended } from '../support/scripts.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { keyOf } from '../unit/projector/history.ts';

const topic = topics.observation.name;
/** Mississippi, where the recorded Storm Events are; the facts that flow during the backup lie in Texas. */
const address = '1 Recorded Hail Rd, Jackson, MS 00000';
const place = { lat: 32.32, lon: -90.2 };
const held_clock = '2027-06-01T12:00:00.000Z';
/** A request of longer ago than the log keeps usage; NOT REAL. */
const old_request = '00000000-0000-4000-8000-000000000001';

describe('a backup made while facts flow', { timeout: 400_000 }, () => {
  const made = createCleanup();
  let root = '';
  let folder = '';
  let env: Record<string, string> = {};
  let service: TestService;
  let key = '';

  before(async () => {
    root = temporaryFolder('hailmark-backup-');
    made.keep({ stop: () => rmSync(root, { recursive: true, force: true }) });
    folder = join(root, 'backup');
    const geocoder = made.keep(await startTestGeocoder());
    geocoder.add(address, place.lat, place.lon);
    env = { GEOCODER_URL: geocoder.url, HAILMARK_HOLD_CLOCK_AT: held_clock, NOAA_SED_FIRST_YEAR: '2017' };
    service = made.keep(await startTestService({ env, data_dir: join(root, 'data') }));
    ({ key } = service);
    await service.untilQueryable();
  });
  after(() => made.stop());

  const backup = (words: readonly string[], of: Partial<TestService> = {}): Promise<Ended> =>
    runScript('backup', words, {
      HAILMARK_DATA_DIR: of.data_dir ?? join(root, 'data'),
      ...(of.clickhouse_url === undefined ? {} : { CLICKHOUSE_URL: of.clickhouse_url }),
    });
  const answers = async (of: TestService): Promise<string[]> => {
    const asked: [string, Record<string, string>][] = [
      ['/v1/property/history', { address, since: '1990-01-01', radius_mi: '25', min_size_in: '0' }],
      ['/v1/property/verify', { address, date_of_loss: '2017-04-30', window_days: '180', radius_mi: '25' }],
      ['/v1/property/score', { address, roof_age: '20' }],
    ];
    const texts: string[] = [];
    for (const [path, parameters] of asked) {
      const response = await of.get(path, parameters, { Authorization: `Bearer ${key}` });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      texts.push(text.replace(/"request_id":"[^"]*"/, '"request_id":""'));
    }
    return texts;
  };
  /** The messages of the observations' topic up to some offsets, as their bytes in the log. */
  const messages = async (data_dir: string, ends: readonly number[]): Promise<string[]> => {
    const log = await openLog({ ...readConfig({}), HAILMARK_DATA_DIR: data_dir }, { make: 'nothing' });
    const found: string[] = [];
    for await (const page of log.scan(topic)) {
      for (const { partition, offset, key: of, value } of page)
        if (offset < (ends[partition] ?? 0))
          found.push(`${partition} ${offset} ${of} ${value?.toString('base64') ?? ''}`);
    }
    await log.close();
    return found.sort();
  };
  const usage = (store: Store): Promise<{ request_id: string }[]> =>
    store.rows(
      'SELECT request_id, toString(at) AS at, status FROM api_requests_v1 FINAL ORDER BY request_id',
    );

  it('brings the same answers back after everything else is gone', async () => {
    const store = createStore(readConfig({ CLICKHOUSE_URL: service.clickhouse_url }), { timeout_ms: 20_000 });
    made.keep({ stop: () => store.close() });
    await store.command(
      `INSERT INTO api_requests_v1 VALUES ('${old_request}', '00000000', 'verify', 200, 12.5, 'v1', '9v1z', '2024-01-01 00:00:00.250', 0, 7)`,
    );
    const before_backup = await answers(service);
    assert.match(before_backup[0] ?? '', /"publisher":"NOAA_SED"/);

    const log = await openLog({ ...readConfig({}), HAILMARK_DATA_DIR: service.data_dir });
    const codec = createCodec({ registry_url: service.registry_url });
    await codec.registerAll();
    const flow = { on: true, written: 0 };
    const flowing = (async () => {
      for (const fact of endlessHistory()) {
        if (!flow.on) return;
        await log.append(topic, [{ key: keyOf(fact), value: codec.encode(topic, fact) }]);
        flow.written += 1;
        await pause(1);
      }
    })();
    while (flow.written < 20) await pause(5);
    const written_before = flow.written;
    const created = await backup(['create', folder, '--json'], service);
    assert.equal(created.exit_code, 0, created.stderr);
    const written_then = flow.written;
    while (flow.written < written_then + 20) await pause(5);
    flow.on = false;
    await flowing;
    assert.ok(written_then > written_before, 'nothing was written during the backup');
    await log.close();
    const { end_offsets } = JSON.parse(created.stdout) as { end_offsets: Record<string, number[]> };
    const ends = end_offsets[topic] ?? [];
    const original = await messages(service.data_dir, ends);
    assert.equal(
      original.length,
      ends.reduce((sum, end) => sum + end, 0),
    );
    const usage_then = await usage(store);
    assert.equal(usage_then[0]?.request_id, old_request);

    assert.equal((await backup(['check', folder])).exit_code, 0);
    await service.stop();
    rmSync(service.data_dir, { recursive: true });
    const restored = await backup(['restore', folder]);
    assert.equal(restored.exit_code, 0, restored.stderr);
    assert.deepEqual(readdirSync(join(root, 'data')).sort(), ['documents', 'log', 'registry']);
    assert.deepEqual(await messages(join(root, 'data'), ends), original);
    assert.deepEqual(
      await messages(
        join(root, 'data'),
        ends.map(() => Infinity),
      ),
      original,
    );

    const again = made.keep(await startTestService({ env, data_dir: join(root, 'data') }));
    await again.untilQueryable();
    assert.deepEqual(await answers(again), before_backup);
    const fresh = createStore(readConfig({ CLICKHOUSE_URL: again.clickhouse_url }), { timeout_ms: 20_000 });
    made.keep({ stop: () => fresh.close() });
    assert.ok(!(await usage(fresh)).some(({ request_id }) => request_id === old_request));
    for (let turn = 0; turn < 2; turn += 1) {
      const back = await backup(['restore-usage', folder], again);
      assert.equal(back.exit_code, 0, back.stderr);
    }
    const rows = new Set((await usage(fresh)).map((row) => JSON.stringify(row)));
    const saved = readFileSync(join(folder, 'usage.jsonl'), 'utf8').split('\n').slice(0, -1);
    for (const line of saved) {
      const [request_id] = JSON.parse(line) as [string];
      const row = usage_then.find((each) => each.request_id === request_id);
      assert.ok(row !== undefined && rows.has(JSON.stringify(row)), request_id);
    }
    assert.equal(rows.size >= saved.length, true);
    await again.stop();
  });

  it('refuses what is not whole, and never mixes with what is there', async () => {
    const into = { data_dir: join(root, 'elsewhere') };
    const refused = async (words: readonly string[], pattern: RegExp, of = into): Promise<void> => {
      const { exit_code, stderr } = await backup(words, of);
      assert.equal(exit_code, 1, stderr);
      assert.match(stderr, pattern);
    };
    await refused(['restore', folder], /is not empty: stop the service/, { data_dir: join(root, 'data') });
    await refused(['create', folder, '--without-usage'], /is not empty: name a new one/);
    await refused(['create', join(root, 'none'), '--without-usage'], /There is no log/);
    await refused(['restore', root], /no backup, or one that was not finished/);

    const log_file = join(folder, 'log/log.sqlite');
    appendFileSync(log_file, 'x');
    await refused(['restore', folder], /log\.sqlite is damaged/);
    writeFileSync(log_file, readFileSync(log_file).subarray(0, -1));
    const documents = join(folder, 'documents');
    const [shelf = ''] = readdirSync(documents);
    const [name = ''] = readdirSync(join(documents, shelf));
    renameSync(join(documents, shelf, name), join(root, name));
    await refused(['check', folder], /documents of \d+: use another backup/);
    writeFileSync(join(documents, shelf, name), 'not the document');
    await refused(['restore', folder], /The document [0-9a-f]{64} in .* is damaged/);
    renameSync(join(root, name), join(documents, shelf, name));
    assert.ok(!existsSync(into.data_dir));
    assert.equal((await backup(['restore', folder], into)).exit_code, 0);
    assert.equal((await backup(['nonsense', folder])).exit_code, 64);
  });
});
