import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { createBackfillShelf, isOver, type BackfillProgress } from '../../services/feeds/backfill/shelf.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { pause } from '../../services/runtime/clock.ts';
import { temporaryFolder } from '../support/local-services.ts';
import { runScript, startScript, type Ended } from '../support/scripts.ts';
import { startTestService, type TestService } from '../support/service.ts';

const feed = 'storm_events';
/** Hail rows of the recorded files of 1955 to 1964, each with an event id of its own: counted by another CSV reader, Python's. */
const hail_rows = 5997;

describe('npm run backfill', { timeout: 240_000 }, () => {
  let data_dir: string;
  let service: TestService;
  before(async () => {
    data_dir = temporaryFolder();
    service = await startTestService({ data_dir, env: { NOAA_SED_FIRST_YEAR: '2017' } });
  });
  after(async () => {
    await service.stop();
    rmSync(data_dir, { recursive: true, force: true });
  });

  const backfill = (...words: string[]): Promise<Ended> =>
    runScript('backfill', [feed, ...words], { HAILMARK_DATA_DIR: data_dir });
  const period = ['--from', '1955-01-01', '--to', '1965-01-01'];
  const last = ({ lines }: Ended): BackfillProgress => JSON.parse(lines.at(-1) ?? '') as BackfillProgress;

  it('says what there is to read, reads it through kill -9 of the feeds, once, and then has nothing to do', async () => {
    await service.first_polls;
    const planned = await backfill(...period, '--dry-run', '--json');
    assert.equal(planned.exit_code, 0, planned.stderr);
    assert.deepEqual(
      last(planned).plan.map(({ name, is_read }) => [name, is_read]),
      Array.from({ length: 10 }, (_, n) => [String(1955 + n), false]),
    );
    const before_it = await observations(service);

    const shelf = createBackfillShelf(data_dir);
    const reading = startScript('backfill', [feed, ...period, '--json'], { HAILMARK_DATA_DIR: data_dir });
    for (let killed_at = 0; killed_at < 6;) {
      const progress = shelf.progress(feed);
      assert.ok(
        progress === null || progress.state === 'planned' || !isOver(progress),
        'over before the kills',
      );
      if (progress?.state === 'reading' && progress.parts_done >= killed_at + 3) {
        killed_at = progress.parts_done;
        const pid = service.pid('feeds');
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      }
      await pause(5);
    }
    const ended = await reading.ended;
    assert.equal(ended.exit_code, 0, ended.stderr);
    const { state, parts, parts_done, parts_read_before, parts_failed } = last(ended);
    assert.deepEqual(
      { state, parts, parts_done, parts_read_before, parts_failed },
      { state: 'done', parts: 10, parts_done: 10, parts_read_before: 0, parts_failed: [] },
    );
    const after_it = await observations(service);
    const known = new Set(before_it);
    const read = after_it.filter((key) => !known.has(key));
    // Every row once, though the years that were cut short were read again.
    assert.equal(read.length, hail_rows);
    assert.equal(new Set(read).size, hail_rows);

    const again = await backfill(...period, '--json');
    const { requests, parts_read_before: read_before } = last(again);
    assert.deepEqual([again.exit_code, requests, read_before], [0, 1, 10]);
    assert.equal((await observations(service)).length, after_it.length);
  });
});

/** The keys of the feed's observations in the log, one for each message. */
async function observations({ config }: TestService): Promise<string[]> {
  const log = await openLog(config);
  try {
    const keys: string[] = [];
    for await (const page of log.scan(topics.observation.name)) keys.push(...page.map(({ key }) => key));
    return keys.filter((key) => key.startsWith('NOAA_SED/'));
  } finally {
    await log.close();
  }
}
