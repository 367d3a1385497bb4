import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { folderAt, offsetAt, parseAt, requireOrdinaryClock } from '../../scripts/start/at.ts';
import { temporaryFolder } from '../support/local-services.ts';
import { runScript } from '../support/scripts.ts';

const at = Date.parse('2026-08-29T03:00:00Z');
const now = Date.parse('2026-11-21T12:00:00Z');

let data_dir: string;
beforeEach(() => {
  data_dir = temporaryFolder();
});
afterEach(() => rmSync(data_dir, { recursive: true, force: true }));

describe('the clock of a start at an instant', () => {
  it('begins at the instant, in a folder that is named after it', () => {
    assert.equal(folderAt(at), '.hailmark-at-20260829T030000Z');
    assert.equal(now + offsetAt(data_dir, at, now), at);
  });

  it('goes on where it stopped, never back, and never far ahead', () => {
    offsetAt(data_dir, at, now);
    // Ten minutes later something is dated and said; the next start is a day later.
    const said = new Date(now + 600_000);
    mkdirSync(join(data_dir, 'logs'));
    writeFileSync(join(data_dir, 'logs', 'feeds.log'), '{}\n');
    utimesSync(join(data_dir, 'logs', 'feeds.log'), said, said);
    const later = now + 86_400_000;
    assert.equal(later + offsetAt(data_dir, at, later), at + 601_000);
    // The folder's clock may be set forward.
    assert.equal(later + offsetAt(data_dir, at + 7_200_000, later), at + 7_200_000);
  });

  it('is not that of a folder that was filled without one, and the other way round', () => {
    requireOrdinaryClock(data_dir);
    mkdirSync(join(data_dir, 'log'));
    requireOrdinaryClock(data_dir);
    assert.throws(() => offsetAt(data_dir, at, now), { code: 'HAIL_CONFIG' });
    rmSync(join(data_dir, 'log'), { recursive: true });
    offsetAt(data_dir, at, now);
    assert.throws(() => requireOrdinaryClock(data_dir), { code: 'HAIL_CONFIG' });
  });

  it('is an instant, and for the sandbox', async () => {
    for (const text of ['', '2026-08-29', 'yesterday', '2026-02-30T00:00:00Z', '2026-08-29T03:00:00']) {
      assert.equal(parseAt(text), null, text);
    }
    const environment = { HAILMARK_DATA_DIR: data_dir };
    const unclear = await runScript('start', ['--at', 'yesterday'], environment);
    assert.deepEqual([unclear.exit_code, unclear.stderr.split('\n').length], [64, 2]);
    const live = await runScript('start', ['--at', '2026-08-29T03:00:00Z', '--live'], environment);
    assert.equal(live.exit_code, 64);
    assert.match(live.stderr, /^--at is for the sandbox.*\n$/);
  });
});
