import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import type { RebuildEvent } from '../../services/projector/rebuild/deps.ts';
import { rebuild } from '../../services/projector/rebuild/rebuild.ts';
import { pause } from '../../services/runtime/clock.ts';
import { readHolds } from '../../services/store/holds.ts';
import { readPositions } from '../../services/store/positions.ts';
import { readProjections, tableName } from '../../services/store/projections.ts';
import { createCleanup } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/local-services.ts';
import { radarDrafts, correctedHistory, truthOf } from '../unit/projector/history.ts';
import { poll } from '../unit/projector/polls.ts';
import { startBench, type Bench } from '../integration/projector/bench.ts';
import { beginVersions, rebuildDeps } from '../integration/projector/rebuild.support.ts';
import { viewOf } from '../integration/projector/view.ts';

const topic = 'hail.observation.v1';
const plain = { verify_only: false, accept: false, sampled_cells: 20 };
const rebuild_script = join(import.meta.dirname, '../../scripts/rebuild.ts');
const facts = correctedHistory(radarDrafts());

describe('a rebuild is killed with -9', { timeout: 600_000 }, () => {
  const made = createCleanup();
  let bench: Bench;
  let data_dir: string;

  before(async () => {
    bench = made.keep(await startBench());
    await bench.appendFacts(facts.slice(0, 100));
    await bench.appendPolls([poll()]);
    // The command looks for the log in its place below the data folder.
    data_dir = temporaryFolder();
    made.keep({ stop: () => rmSync(data_dir, { recursive: true, force: true }) });
    mkdirSync(data_dir, { recursive: true });
    symlinkSync(bench.log_folder, join(data_dir, 'log'));
  });
  after(() => made.stop());

  /** The command as an operator starts it; killed by us as soon as it has said `fatal`. */
  async function command(
    database: string,
    fatal?: RebuildEvent['event'],
  ): Promise<{ events: RebuildEvent[]; code: number | null; signal: string | null }> {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', rebuild_script, 'observations', '--json', '--cells', '20'],
      {
        env: {
          ...process.env,
          HAILMARK_DATA_DIR: data_dir,
          CLICKHOUSE_URL: bench.local.clickhouse_url,
          CLICKHOUSE_DATABASE: database,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    made.keep({ stop: () => void child.kill('SIGKILL') });
    const events: RebuildEvent[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as RebuildEvent;
      events.push(said);
      if (said.event === fatal) child.kill('SIGKILL');
    });
    return new Promise((done) => child.once('close', (code, signal) => done({ events, code, signal })));
  }

  const states = async (database: string): Promise<string[]> =>
    (await readProjections(bench.store(database)))
      .filter(({ projection }) => projection === 'observations')
      .map(({ version, state }) => `v${version} ${state}`);

  it('where it has listed a version and where it holds both: the next one goes on, and nobody is held for ever', async () => {
    const database = 'command_killed';
    const store = bench.store(database);
    const projector = await beginVersions(bench, database, { batch_messages: 40, hold_lease_ms: 6_000 });
    for (const fatal of ['planned', 'held'] as const) {
      assert.equal((await command(database, fatal)).signal, 'SIGKILL');
      assert.deepEqual(await states(database), ['v1 serving', 'v2 building']);
    }
    // Nobody lifts the hold; what comes now is stored all the same, once the beat has stopped for long enough.
    assert.ok((await readHolds(store)).length > 0);
    await bench.appendFacts(facts.slice(100, 130));
    await untilPassed(database, 1);
    const last = await command(database);
    assert.equal(last.code, 0);
    const [planned] = last.events;
    assert.ok(planned?.event === 'planned' && planned.found);
    assert.equal(planned.building, 'observations.v2');
    assert.deepEqual(await states(database), ['v1 kept', 'v2 serving']);
    assert.deepEqual(await readHolds(store), []);
    assert.equal(projector.failed(), undefined);
    await projector.leave();
    await holdsTruth(database);
  });

  it('or its projector is, in the middle of batches while it builds, and while both are held', async () => {
    const database = 'projector_killed';
    const first = bench.spawn(database, { batch_messages: 50 });
    await untilPassed(database, 1);
    first.kill9();
    await first.exited;
    let last = first;
    const killWhileHeld = ({ event }: RebuildEvent): void => {
      if (event === 'held') last.kill9();
    };
    const building = rebuild(rebuildDeps(bench, database, killWhileHeld), 'observations', plain);
    building.catch(() => undefined);
    for (const step of ['rows', 'position']) {
      const { signal } = await bench.spawn(database, { batch_messages: 12, die: { step, after: 1 } }).exited;
      assert.equal(signal, 'SIGKILL', step);
    }
    last = bench.spawn(database, { batch_messages: 12 });
    // Both versions stand where they stand: the comparison needs no projector.
    assert.equal(await building, 'switched');
    assert.equal((await last.exited).signal, 'SIGKILL');
    await bench.appendFacts(facts.slice(130));
    const next = bench.spawn(database, { batch_messages: 40 });
    await Promise.all([untilPassed(database, 1), untilPassed(database, 2)]);
    next.kill9();
    await next.exited;
    await holdsTruth(database);
  });

  async function untilPassed(database: string, version: number): Promise<void> {
    for (;;) {
      const ends = await bench.log.endOffsets(topic);
      const reached = await readPositions(bench.store(database), 'observations', version).catch(() => []);
      if (
        ends.every((end, at) =>
          reached.some((each) => each.topic === topic && each.partition === at && each.next_offset >= end),
        )
      )
        return;
      await pause(20);
    }
  }

  async function holdsTruth(database: string): Promise<void> {
    const truth = truthOf(await bench.facts());
    const store = bench.store(database);
    for (const version of [1, 2]) {
      const [observations = [], set_aside = []] = await Promise.all(
        ['observations', 'set_aside'].map(async (table) => {
          const rows = await store.rows(`SELECT * FROM ${tableName(table, version)} FINAL`);
          return rows.map((row) => JSON.stringify(row));
        }),
      );
      assert.deepEqual(
        viewOf({ observations, set_aside, storm_reports: [], feed_status: [], coverage: [] }),
        truth,
      );
    }
  }
});
