import assert from 'node:assert/strict';
import { readFileSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import {
  createDiskMetrics,
  diskOf,
  isDiskFull,
  least_free_share,
  make_room,
} from '../../../services/runtime/disk.ts';
import { createMetrics } from '../../../services/runtime/metrics.ts';
import { infra, rules_file } from '../../support/alert-rules.ts';

const project = resolve(import.meta.dirname, '../../..');
const metrics = (): ReturnType<typeof createMetrics> => createMetrics({ process: 'test', version: '1.2.3' });
const valueOf = (page: string, name: string): number =>
  Number(new RegExp(`^hailmark_data_filesystem_${name}_bytes (\\S+)$`, 'm').exec(page)?.[1]);

describe('the disk of the data folder', () => {
  it('is the one that holds it, also where the folder is still to be made', async () => {
    const { blocks, bsize } = statfsSync(project);
    const there = await diskOf(project);
    assert.equal(there.size_bytes, blocks * bsize);
    assert.ok(there.free_bytes > 0 && there.free_bytes <= there.size_bytes);
    const not_made = await diskOf(join(project, 'not', 'made', 'yet'));
    assert.equal(not_made.size_bytes, there.size_bytes);
  });

  it('stands on the page at each scrape', async () => {
    const page = metrics();
    createDiskMetrics(page, () => diskOf(project));
    const { text } = await page.page(1_000);
    assert.equal(valueOf(text, 'size'), (await diskOf(project)).size_bytes);
    assert.ok(valueOf(text, 'free') > 0);
  });

  it('is left out where it cannot be asked, which is counted', async () => {
    const page = metrics();
    createDiskMetrics(page, () => Promise.reject(new Error('NOT REAL: the disk is gone')));
    const { text } = await page.page(1_000);
    assert.doesNotMatch(text, /^hailmark_data_filesystem_\w+ /m);
    assert.match(text, /^hailmark_scrape_reading_failures_total\{reading="data file system"\} 1$/m);
  });

  it('is short at the same share, and is to be mended by the same words, for the alert, the doctor and the runbook', () => {
    const rule = /hailmark_data_filesystem_size_bytes < ([\d.]+)$/m.exec(readFileSync(rules_file, 'utf8'));
    assert.equal(Number(rule?.[1]), least_free_share);
    const runbook = readFileSync(join(infra, 'runbook.md'), 'utf8').replaceAll(/\s+/g, ' ');
    for (const words of [
      'ake room, or lower DOCUMENTS_MAX_BYTES',
      'by which the oldest kept documents go; the log never shrinks by itself',
    ]) {
      assert.ok(make_room.includes(words));
      assert.ok(runbook.replaceAll('`', '').includes(words), words);
    }
  });
});

describe('a disk that is full', () => {
  it('is known by codes, also behind what it caused, and is nothing else', () => {
    const failure = (code: string, more: object = {}): Error =>
      Object.assign(new Error('NOT REAL'), { code, ...more });
    const full = [failure('ENOSPC'), failure('EDQUOT'), failure('ERR_SQLITE_ERROR', { errcode: 13 })];
    for (const error of full) {
      assert.ok(isDiskFull(error));
      assert.ok(isDiskFull(new Error('outer', { cause: error })));
    }
    for (const error of [
      failure('EACCES'),
      failure('ERR_SQLITE_ERROR', { errcode: 10 }),
      failure('X', { errcode: 13 }),
      'ENOSPC',
    ])
      assert.equal(isDiskFull(error), false);
  });
});
