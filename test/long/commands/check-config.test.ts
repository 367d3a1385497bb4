import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { temporaryDataFolder } from '../../support/scripts.ts';

const project = resolve(import.meta.dirname, '../../..');
const data = temporaryDataFolder();
after(data.stop);

/** Of every process a setting that is broken by itself, and one that only its own room can refuse. */
const processes: { main: string; refused: Record<string, string>; says: RegExp[] }[] = [
  {
    main: 'services/api/main.ts',
    refused: { API_QUEUE: '-1', GEOCODERS: 'pelias' },
    says: [/^API_QUEUE: /m, /^PELIAS_URL: is needed/m],
  },
  {
    main: 'services/feeds/main.ts',
    refused: { SPC_SCHEDULE: 'often', SWDI_BBOX: '1,2,3' },
    says: [/^SPC_SCHEDULE: must be a cron expression/m, /^SWDI_BBOX must be/m],
  },
  {
    main: 'services/projector/main.ts',
    refused: { PROJECTOR_BATCH_MESSAGES: '0', KAFKA_BROKERS: 'b:1', KAFKA_SASL_USERNAME: 'u' },
    says: [/^PROJECTOR_BATCH_MESSAGES: /m, /belong together: set all three or none/m],
  },
  { main: 'infra/local/main.ts', refused: { CLICKHOUSE_PORT: '99999' }, says: [/^CLICKHOUSE_PORT: /m] },
  { main: 'infra/sandbox/main.ts', refused: { SANDBOX_PORT: 'x' }, says: [/^SANDBOX_PORT: /m] },
  {
    main: 'scripts/start.ts',
    refused: { API_PORT: 'x', GEOCODERS: 'pelias', COCORAHS_STATES: 'QQ' },
    says: [/^API_PORT: /m, /^PELIAS_URL: is needed/m, /^COCORAHS_STATES names QQ/m],
  },
];

function run(main: string, words: readonly string[], settings: Record<string, string>) {
  return spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
    cwd: project,
    env: { ...process.env, HAILMARK_DATA_DIR: join(data.folder, 'untouched'), ...settings },
    encoding: 'utf8',
  });
}

for (const { main, refused, says } of processes) {
  describe(`${main} --check-config`, { timeout: 120_000 }, () => {
    it('shows the settings in effect with 0, and touches nothing', () => {
      const { status, stdout } = run(main, ['--check-config', '--json'], {
        CLICKHOUSE_PASSWORD: 'NOT-REAL-s3cret',
      });
      assert.equal(status, 0);
      const report = JSON.parse(stdout) as { ok: boolean; settings: Record<string, unknown> };
      assert.deepEqual([report.ok, report.settings['CLICKHOUSE_PASSWORD']], [true, '***']);
      assert.equal(existsSync(join(data.folder, 'untouched')), false);
    });

    it('says all that is wrong at once, with 78', () => {
      const { status, stdout, stderr } = run(main, ['--check-config'], refused);
      assert.deepEqual([status, stdout], [78, '']);
      for (const each of says) assert.match(stderr, each);
    });

    it('is not needed to end with a sentence that names them', () => {
      const [[name, value] = ['', '']] = Object.entries(refused);
      const { status, stderr } = run(main, [], { [name]: value });
      // What starts the others has no code of its own for it.
      assert.equal(status, main.startsWith('scripts/') ? 1 : 78);
      assert.match(stderr, new RegExp(`^The configuration cannot be used\\. ${name}: must be `));
    });

    it('is named by --help, and what is not known is refused with 64', () => {
      const help = run(main, ['--help'], {});
      assert.equal(help.status, 0);
      assert.match(help.stdout, /--check-config[\s\S]*Example:[\s\S]*\b78\b/);
      const misread = run(main, ['--chekc-config'], {});
      assert.equal(misread.status, 64);
      assert.match(misread.stderr, /--chekc-config/);
    });
  });
}
