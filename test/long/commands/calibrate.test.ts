import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { createHash } from 'node:crypto';
import type { Reliability } from '../../../services/hail/methodology/fit-record.ts';
import { methodology } from '../../../services/hail/methodology/methodology.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { runScript, temporaryDataFolder, type Ended } from '../../support/scripts.ts';

const recorded = join(import.meta.dirname, '../../../scripts/calibrate/data/north-ms');

describe('the command calibrate', { timeout: 400_000 }, () => {
  const cleanup = createCleanup();
  let folder: string;
  beforeEach(() => {
    folder = cleanup.keep(temporaryDataFolder()).folder;
    cpSync(recorded, folder, { recursive: true });
  });
  after(() => cleanup.stop());

  const run = (...words: string[]): Promise<Ended> => runScript('calibrate', words, {});
  const reports = ({ stdout }: Ended): Reliability[] => JSON.parse(stdout) as Reliability[];

  it('gives the committed file byte for byte, and prints what the file holds', async () => {
    const ended = await run();
    assert.equal(ended.exit_code, 0, ended.stderr);
    assert.match(ended.stdout, /is what this fit gives, byte for byte/);
    const [severe] = methodology.fit.reliability;
    assert.ok(severe !== undefined);
    for (const { year, brier } of severe.by_year) {
      assert.match(ended.stdout, new RegExp(`^${year} .*${String(brier).replace('.', '\\.')}`, 'm'));
    }
    assert.match(ended.stdout, /wood_shake .*1\.79/);
    assert.deepEqual(reports(await run('--json')), methodology.fit.reliability);
  });

  it('names the files it was fitted on by their hashes', () => {
    const names = readdirSync(recorded).filter((name) => name.endsWith('.json'));
    assert.deepEqual(
      methodology.fit.data.files.map(({ name, sha256 }) => [name, sha256]).sort(),
      names.map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(recorded, name)))
          .digest('hex'),
      ]),
    );
  });

  it('says that the committed file differs when the data do', async () => {
    const path = join(folder, 'hail-2019.json');
    const file = JSON.parse(readFileSync(path, 'utf8')) as { cells: unknown[] };
    writeFileSync(path, JSON.stringify({ ...file, cells: file.cells.slice(1) }));
    const ended = await run('--data', folder);
    assert.equal(ended.exit_code, 3);
    assert.match(ended.stdout, /DIFFERS from what this fit gives/);
  });

  it('judges other files by the committed numbers, and fits nothing', async () => {
    for (const year of [2017, 2018, 2019, 2020, 2021]) {
      rmSync(join(folder, `hail-${year}.json`));
      rmSync(join(folder, `reports-${year}.json`));
    }
    const ended = await run('--evaluate', folder, '--json');
    const [severe] = reports(ended);
    assert.deepEqual([severe?.class_in, severe?.by_year.map(({ year }) => year)], [1, [2022]]);
    // The committed numbers have seen 2022: the mean forecast is that of all years' fit, not of the fold without it.
    const held_out = methodology.fit.reliability[0]?.by_year.find(({ year }) => year === 2022);
    assert.notEqual(severe?.model.mean_forecast, held_out?.mean_forecast);
    assert.equal(severe?.outcomes, held_out?.outcomes);
    assert.ok(ended.exit_code === 0 || ended.exit_code === 3);
  });

  it('fails a forecaster that tells everybody the same', async () => {
    const ended = await run('--constant', '--json');
    assert.equal(ended.exit_code, 3);
    const missed = reports(ended)[0]?.requirements.filter(({ reached }) => !reached) ?? [];
    assert.ok(missed.some(({ says }) => says.includes('slope')));
    assert.ok(missed.some(({ says }) => says.includes('one_variable')));
  });

  it('refuses half a year, a foreign form and a row of another year, and names them', async () => {
    rmSync(join(folder, 'reports-2020.json'));
    assert.match((await run('--data', folder)).stderr, /each year needs/);
    cpSync(recorded, folder, { recursive: true });
    writeFileSync(join(folder, 'hail-2018.json'), '{"fields":["date"],"cells":[]}');
    assert.match((await run('--evaluate', folder)).stderr, /hail-2018\.json is not of the form/);
    cpSync(join(recorded, 'hail-2017.json'), join(folder, 'hail-2018.json'));
    const ended = await run('--evaluate', folder);
    assert.match(ended.stderr, /2017-11-04 stands in the file of 2018/);
    assert.equal(ended.exit_code, 1);
  });

  it('explains itself, and understands only what it says', async () => {
    const helped = await run('--help');
    assert.equal(helped.exit_code, 0);
    assert.match(helped.stdout, /--evaluate <folder>/);
    for (const words of [
      ['--write', '--constant'],
      ['--nonsense'],
      ['--evaluate'],
      ['--write', '--data', folder],
    ]) {
      assert.equal((await run(...words)).exit_code, 64);
    }
  });
});
