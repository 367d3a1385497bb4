import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { endText, progressText } from '../../scripts/backfill/text.ts';
import { createBackfillShelf, type BackfillProgress } from '../../services/feeds/backfill/shelf.ts';
import { pause } from '../../services/runtime/clock.ts';
import { runScript, startScript, temporaryDataFolder } from '../support/scripts.ts';

let data: ReturnType<typeof temporaryDataFolder>;
beforeEach(() => {
  data = temporaryDataFolder();
});
afterEach(() => data.stop());

const environment = (): Record<string, string> => ({ HAILMARK_DATA_DIR: data.folder });
const period = ['--from', '2015-01-01', '--to', '2016-01-01'];

describe('npm run backfill', { timeout: 200_000 }, () => {
  it('says in words what it does not understand, with exit code 64, and asks for nothing', async () => {
    for (const [words, why] of [
      [[], /^Give one feed: .*storm_events.*radar_hail/],
      [['storm_event', ...period], /^There is no history of storm_event to read\. Feeds: /],
      [['storm_events', '--from', '2015-02-30', '--to', '2016-01-01'], /must be days such as 2015-01-01/],
      [['storm_events', '--from', '2015-01-01'], /must be days/],
      [['storm_events', '--from', '2016-01-01', '--to', '2016-01-01'], /--to must be a later day/],
      [['radar_hail', ...period, '--bbox=-93,25,-104,36'], /--bbox must be west,south,east,north/],
      [['radar_hail', ...period, '--bbox=-104,25,-93'], /--bbox must be/],
      [['storm_events', ...period, '--cancel'], /--cancel .* takes no period/],
      [['storm_events', '--dry-run'], /Give --from and --to/],
      [['storm_events', '--fast'], /--help says more/],
    ] as const) {
      const { exit_code, stdout, stderr } = await runScript('backfill', words, environment());
      assert.deepEqual([exit_code, stdout], [64, ''], words.join(' '));
      assert.match(stderr, why);
    }
    assert.equal(createBackfillShelf(data.folder).asked('storm_events'), null);
  });

  it('has nothing to follow or cancel where nothing is being read', async () => {
    for (const words of [['storm_events'], ['storm_events', '--cancel']]) {
      const { exit_code, stderr } = await runScript('backfill', words, environment());
      assert.deepEqual([exit_code, stderr], [1, 'No history of storm_events is being read.\n']);
    }
  });

  it('leaves the reading going when it is interrupted, and can be asked about it again', async () => {
    const shelf = createBackfillShelf(data.folder);
    const words = ['radar_hail', ...period, '--bbox=-104,25.8,-93.5,36.6'];
    const { child, ended } = startScript('backfill', words, environment());
    while (shelf.asked('radar_hail') === null) await pause(5);
    const asked = shelf.asked('radar_hail');
    assert.deepEqual(
      [asked?.from, asked?.until, asked?.box, asked?.dry_run],
      [1_420_070_400_000, 1_451_606_400_000, { west: -104, south: 25.8, east: -93.5, north: 36.6 }, false],
    );
    child.kill('SIGINT');
    const left = await ended;
    assert.equal(left.exit_code, 130);
    assert.match(left.stderr, /The reading goes on without this command/);
    assert.equal(shelf.asked('radar_hail')?.id, asked?.id);

    const other = await runScript('backfill', ['radar_hail', ...period], environment());
    assert.equal(other.exit_code, 1);
    assert.match(other.stderr, /^Another period of radar_hail is being read/);

    const cancelling = startScript('backfill', ['radar_hail', '--cancel'], environment());
    while (asked !== null && !shelf.isCancelled(asked)) await pause(5);
    cancelling.child.kill('SIGINT');
    await cancelling.ended;
  });
});

describe('the progress of a backfill in words', () => {
  const progress: BackfillProgress = {
    ...{
      id: 'a',
      feed: 'radar_hail',
      state: 'reading',
      detail: null,
      part: '2015-04',
      plan: [],
      updated_at: 0,
    },
    ...{ parts: 12, parts_done: 5, parts_read_before: 2, parts_failed: [] },
    ...{ requests_left: 7, bytes_left: 3_000_000, requests: 3, bytes: 987_654, bytes_passed: 1_000_000 },
    ...{ records: 30_000, published: 29_000, reading_ms: 20_000 },
  };

  it('tells how far, how fast, and how long at that rate', () => {
    // A quarter of 4 MB took 20 s, so three quarters take a minute.
    assert.equal(
      progressText(progress),
      '[######..................] 5/12 parts, 2015-04, 3 requests, 987.7 kB, 30,000 records (29,000 new), ' +
        '1,500 records/s, about 1 min 0 s left',
    );
    // Where nobody knows sizes: 3 of the 10 parts that were not read before.
    assert.match(
      progressText({ ...progress, bytes_left: null }),
      /^\[#{7}\.{17}\] 5\/12 .* about 47 s left$/,
    );
    assert.doesNotMatch(progressText({ ...progress, bytes_passed: 0, parts_done: 2 }), /left/);
  });

  it('tells how it ended', () => {
    assert.match(
      endText({ ...progress, state: 'incomplete', parts_failed: ['2015-04'] }),
      /^Not all .*: 2015-04\./,
    );
    const plan = [
      { name: '2015-01', requests: 1, bytes: 1_500, is_read: true },
      { name: '2015-02', requests: 2, bytes: null, is_read: false },
    ];
    assert.equal(
      endText({ ...progress, state: 'planned', plan, requests_left: 2, bytes_left: null }),
      '2015-01      read already\n2015-02      2 requests, size unknown\n' +
        'radar_hail: 2 parts, 2 requests to make, a size nobody knows before.',
    );
  });
});
