import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createKey, limitKey, listKeys, revokeKey, rotateKey } from '../../../services/api/keys/admin.ts';
import { followKeys, type KeyDirectory } from '../../../services/api/keys/directory.ts';
import { keyHash } from '../../../services/api/keys/format.ts';
import { waitForChange } from '../../../services/api/keys/wait-for-change.ts';
import { createCodec, type Codec } from '../../../services/log/codec.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { openLog } from '../../../services/log/open-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { pause, systemClock } from '../../../services/runtime/clock.ts';
import { startLocalServices, temporaryFolder, type LocalServices } from '../../support/local-services.ts';

const project = resolve(import.meta.dirname, '../../..');
const topic = topics.api_key.name;
const now_ms = 1_000_000;
const output = pino({ level: 'silent' });

async function until(holds: () => boolean): Promise<void> {
  const began = Date.now();
  while (!holds()) {
    assert.ok(Date.now() - began < 10_000, 'a change of keys holds within 10 seconds');
    await pause(10);
  }
}

describe('API keys', () => {
  let local: LocalServices;
  let data_dir: string;
  let log: EventLog;
  let codec: Codec;
  const stopping = new AbortController();

  before(async () => {
    local = await startLocalServices();
    data_dir = temporaryFolder();
    log = await openLog(readConfig({ HAILMARK_DATA_DIR: data_dir }));
    codec = createCodec({ registry_url: local.registry_url });
    await codec.registerAll();
  });
  after(async () => {
    stopping.abort();
    await log.close();
    await local.stop();
    rmSync(data_dir, { recursive: true, force: true });
  });

  const follow = async (of: Codec = codec): Promise<KeyDirectory> => {
    const directory = followKeys({ log, codec: of, clock: () => now_ms, output }, stopping.signal);
    await directory.loaded;
    return directory;
  };

  it('work from their making to their revocation, and are kept as hashes only', async () => {
    const deps = { log, codec, clock: () => 1_000 };
    const before_it = await createKey(deps, { partner: 'early' });
    const directory = await follow();
    assert.equal(directory.isLoaded(), true);
    assert.equal(directory.find(before_it.key)?.partner, 'early');

    const { key, key_id } = await createKey(deps, { partner: 'Acme' });
    await until(() => directory.find(key) !== null);
    assert.deepEqual(
      { ...directory.find(key) },
      {
        key_id,
        key_sha256: keyHash(key),
        partner: 'Acme',
        per_minute: 60,
        per_day: 1_000,
        created_at: 1_000,
        revoked_at: null,
        expires_at: null,
        replaced_by: null,
      },
    );
    const last = key.at(-1) === 'A' ? 'B' : 'A';
    assert.equal(directory.find(`${key.slice(0, -1)}${last}`), null);
    assert.equal(directory.find(key.replace(key_id, 'ffffffff')), null);
    assert.equal(directory.find(''), null);

    assert.equal((await revokeKey({ ...deps, clock: () => 2_000 }, key_id))?.fact.revoked_at, 2_000);
    await until(() => directory.find(key) === null);
    assert.equal((await revokeKey({ ...deps, clock: () => 3_000 }, key_id))?.fact.revoked_at, 2_000);
    assert.equal(await revokeKey(deps, '00000000'), null);
    assert.equal((await listKeys(deps)).find((each) => each.key_id === key_id)?.revoked_at, 2_000);
    assert.notEqual(directory.find(before_it.key), null);

    for await (const page of log.scan(topic)) {
      for (const { value } of page) assert.equal(value?.includes(key.slice(-24)), false);
    }
  });

  it('never share an id', async () => {
    const bytes = [
      Buffer.from('aaaaaaaa', 'hex'),
      Buffer.alloc(18, 1),
      Buffer.from('aaaaaaaa', 'hex'),
      Buffer.alloc(18, 2),
      Buffer.from('bbbbbbbb', 'hex'),
      Buffer.alloc(18, 3),
    ];
    const randomBytes = (): Buffer => {
      const next = bytes.shift();
      assert.ok(next);
      return next;
    };
    const deps = { log, codec, clock: systemClock, randomBytes };
    assert.equal((await createKey(deps, { partner: 'a' })).key_id, 'aaaaaaaa');
    assert.equal((await createKey(deps, { partner: 'b' })).key_id, 'bbbbbbbb');
    const many = await Promise.all(
      Array.from({ length: 8 }, () => createKey({ log, codec, clock: systemClock }, { partner: 'x' })),
    );
    assert.equal(new Set(many.map(({ key_id }) => key_id)).size, 8);
  });

  it('are refused where the newest state cannot be read, or was removed', async () => {
    const deps = { log, codec, clock: systemClock };
    const [unreadable, removed, kept] = [
      await createKey(deps, { partner: 'u' }),
      await createKey(deps, { partner: 'r' }),
      await createKey(deps, { partner: 'k' }),
    ];
    const directory = await follow();
    await log.append(topic, [
      { key: unreadable.key_id, value: Buffer.from('not a fact') },
      { key: removed.key_id, value: null },
    ]);
    await until(() => directory.find(unreadable.key) === null && directory.find(removed.key) === null);
    assert.notEqual(directory.find(kept.key), null);
  });

  it('of a fact that stands under another id open nothing', async () => {
    const deps = { log, codec, clock: systemClock };
    const { key, key_id } = await createKey(deps, { partner: 'own' });
    const fact = (await listKeys(deps)).find((each) => each.key_id === key_id);
    assert.ok(fact);
    const directory = await follow();
    await log.append(topic, [{ key: 'cccccccc', value: codec.encode(topic, fact) }]);
    await createKey(deps, { partner: 'later' });
    await until(() => directory.find(key) !== null);
    assert.equal(directory.find(key.replace(key_id, 'cccccccc')), null);
  });

  it('hold, and can be revoked, while the registry is away', async () => {
    const other = await startLocalServices();
    const own = createCodec({ registry_url: other.registry_url });
    await own.registerAll();
    const folder = temporaryFolder();
    const own_log = await openLog(readConfig({ HAILMARK_DATA_DIR: folder }));
    const ending = new AbortController();
    try {
      const deps = { log: own_log, codec: own, clock: systemClock };
      const { key, key_id } = await createKey(deps, { partner: 'p' });
      const directory = followKeys({ ...deps, output }, ending.signal);
      await directory.loaded;
      await other.stop();
      assert.notEqual(directory.find(key), null);
      await revokeKey(deps, key_id);
      await until(() => directory.find(key) === null);
      ending.abort();
      await directory.done;
    } finally {
      ending.abort();
      await own_log.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('are rotated without a moment in which neither works, and end with the grace time', async () => {
    let now = 5_000;
    const deps = { log, codec, clock: () => now };
    const directory = followKeys({ log, codec, clock: () => now, output }, stopping.signal);
    await directory.loaded;
    const old = await createKey(deps, { partner: 'Acme', per_minute: 7, per_day: 70 });
    await until(() => directory.find(old.key) !== null);

    // A partner that asks all the while with the key it has been given.
    let asking = old.key;
    const over = new AbortController();
    let asked = 0;
    const partner = (async () => {
      while (!over.signal.aborted) {
        assert.notEqual(directory.find(asking), null, 'a rotation refuses no request');
        asked += 1;
        await pause(1);
      }
    })();
    const fresh = await rotateKey(deps, old.key_id, { grace_ms: 60_000 });
    assert.ok(typeof fresh === 'object');
    await until(() => directory.find(fresh.key) !== null && directory.find(old.key)?.expires_at === 65_000);
    asking = fresh.key;
    const before = asked;
    await until(() => asked > before);
    over.abort();
    await partner;

    const { partner: whose, per_minute, per_day, expires_at } = directory.find(fresh.key) ?? {};
    assert.deepEqual([whose, per_minute, per_day, expires_at], ['Acme', 7, 70, null]);
    assert.equal(directory.find(old.key)?.replaced_by, fresh.key_id);
    now = 64_999;
    assert.notEqual(directory.find(old.key), null);
    now = 65_000;
    assert.equal(directory.find(old.key), null);
    assert.notEqual(directory.find(fresh.key), null);
    assert.equal(await rotateKey(deps, old.key_id, { grace_ms: 0 }), 'not-live');
    assert.equal(await rotateKey(deps, '00000000', { grace_ms: 0 }), 'no-such-key');
  });

  it('are revoked whatever a clock says', async () => {
    const deps = { log, codec, clock: () => 9_999_999_999_999 };
    const directory = await follow();
    const { key, key_id } = await createKey(deps, { partner: 'ahead' });
    await until(() => directory.find(key) !== null);
    await revokeKey(deps, key_id);
    await until(() => directory.find(key) === null);
  });

  it('take new limits without being made anew', async () => {
    const deps = { log, codec, clock: systemClock };
    const directory = await follow();
    const { key, key_id } = await createKey(deps, { partner: 'busy' });
    const changed = await limitKey(deps, key_id, { per_day: 50_000 });
    assert.deepEqual([changed?.fact.per_minute, changed?.fact.per_day], [60, 50_000]);
    await until(() => directory.find(key)?.per_day === 50_000);
    assert.equal(await limitKey(deps, '00000000', { per_day: 1 }), null);
  });

  it('have changed where a process says that it has read so far, and nowhere sooner', async () => {
    let read = 4;
    const asking = (() =>
      Promise.resolve(Response.json({ keys: true, store: false, keys_next_offset: read }))) as typeof fetch;
    const asked_at = 1_000;
    let now = asked_at;
    const clock = (): number => (now += 10);
    const silent = await waitForChange(
      { clock, fetch: asking, look_ms: 1 },
      { next_offset: 5, api_urls: ['http://a'], within_ms: 100 },
    );
    assert.deepEqual(silent, { seen_by: [], silent: ['http://a'] });
    assert.ok(now >= asked_at + 100);
    read = 5;
    const seen = await waitForChange(
      { clock, fetch: asking, look_ms: 1 },
      { next_offset: 5, api_urls: ['http://a'] },
    );
    assert.deepEqual(seen, { seen_by: ['http://a'], silent: [] });
    now = asked_at;
    // Nobody is named: the whole time passes.
    await waitForChange(
      { clock, fetch: asking, look_ms: 1 },
      { next_offset: 5, api_urls: [], within_ms: 200 },
    );
    assert.ok(now >= asked_at + 200);
  });

  describe('by command', () => {
    const keys = (...parameters: string[]): Promise<{ exit_code: number; stdout: string; stderr: string }> =>
      new Promise((done) => {
        execFile(
          process.execPath,
          ['--disable-warning=ExperimentalWarning', join(project, 'scripts/keys.ts'), ...parameters],
          { env: { ...process.env, HAILMARK_DATA_DIR: data_dir, SCHEMA_REGISTRY_URL: local.registry_url } },
          (error, stdout, stderr) =>
            done({ exit_code: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
      });

    it('are made, listed and revoked', async () => {
      const made = await keys('create', '--partner', 'By Command', '--json');
      assert.equal(made.exit_code, 0, made.stderr);
      const { key, key_id } = JSON.parse(made.stdout) as { key: string; key_id: string };
      const directory = await follow();
      assert.equal(directory.find(key)?.partner, 'By Command');
      const listed = await keys('list');
      assert.match(listed.stdout, new RegExp(`^${key_id}  .*live  60/min 1000/day  By Command$`, 'm'));
      assert.equal(listed.stdout.includes(key), false);
      assert.equal((await keys('revoke', key_id, '--no-wait')).exit_code, 0);
      await until(() => directory.find(key) === null);
      assert.match((await keys('list')).stdout, new RegExp(`^${key_id}  .*revoked `, 'm'));
    });

    it('are shown, limited and rotated, never with their hash', async () => {
      const made = await keys('create', '--partner', 'Rotated', '--per-minute', '5', '--json');
      const { key, key_id } = JSON.parse(made.stdout) as { key: string; key_id: string };
      assert.equal((await keys('limit', key_id, '--per-day', '77')).exit_code, 0);
      const rotated = await keys('rotate', key_id, '--grace', '0.5', '--json');
      const fresh = JSON.parse(rotated.stdout) as { key: string; key_id: string; replaces: string };
      assert.equal(fresh.replaces, key_id);
      const shown = await keys('show', key_id, '--json');
      const state = JSON.parse(shown.stdout) as Record<string, unknown>;
      assert.deepEqual(
        [state['live'], state['per_minute'], state['per_day'], state['replaced_by'], state['revoked']],
        ['yes', 5, 77, fresh.key_id, null],
      );
      const listed = await keys('list');
      assert.match(listed.stdout, new RegExp(`^${key_id}  .*live until .*5/min 77/day  Rotated$`, 'm'));
      for (const text of [shown.stdout, listed.stdout]) {
        assert.equal(text.includes(keyHash(key)), false);
        assert.equal(text.includes(fresh.key), false);
      }
      assert.equal((await keys('rotate', key_id)).exit_code, 3);
    });

    it('end with codes that tell what happened', async () => {
      for (const name of ['revoke', 'rotate']) {
        const { exit_code, stderr } = await keys(name, '00000000');
        assert.equal(exit_code, 3, `${name}: ${stderr}`);
      }
      assert.equal((await keys('drop', 'x')).exit_code, 64);
      const help = await keys('--help');
      assert.equal(help.exit_code, 0);
      assert.match(help.stdout, /Example:/);
    });
  });
});
