import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { readReaders, type Reader } from '../../scripts/log/positions.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import type { LogLine } from '../../services/log/log-lines.ts';
import { topics } from '../../services/log/topics.ts';
import { pause } from '../../services/runtime/clock.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { projectionNames } from '../../services/projector/all-projections.ts';
import { createCleanup } from '../support/cleanup.ts';
import { runScript, startScript, temporaryDataFolder, type Ended } from '../support/scripts.ts';
import { temporaryLog } from '../support/temporary-log.ts';
import { createRevisions, keyOf, radarDrafts } from '../unit/projector/history.ts';
import { poll } from '../unit/projector/polls.ts';
import { startBench, type Bench } from './projector/bench.ts';

const observation = topics.observation.name;

describe('the command log', { timeout: 120_000 }, () => {
  const cleanup = createCleanup();
  const facts = radarDrafts().map(createRevisions());
  let bench: Bench;
  let environment: Record<string, string>;

  before(async () => {
    bench = cleanup.keep(await startBench());
    const { folder } = cleanup.keep(temporaryDataFolder());
    symlinkSync(bench.log_folder, join(folder, 'log'));
    environment = {
      HAILMARK_DATA_DIR: folder,
      SCHEMA_REGISTRY_URL: bench.local.registry_url,
      CLICKHOUSE_URL: bench.local.clickhouse_url,
      CLICKHOUSE_DATABASE: 'shown',
    };
    await bench.appendFacts(facts);
    await bench.appendPolls([poll()]);
    await bench.project('shown');
  });
  after(() => cleanup.stop());

  const run = (words: string[], more: Record<string, string> = {}): Promise<Ended> =>
    runScript('log', words, { ...environment, ...more });

  describe('positions', () => {
    const readers = async (
      log: EventLog = bench.log,
      store: Store = bench.store('shown'),
    ): Promise<{ found: Reader[]; away: string | null }> => {
      const found: Reader[] = [];
      const reading = readReaders(log, store);
      for (;;) {
        const next = await reading.next();
        if (next.done === true) return { found, away: next.value };
        found.push(next.value);
      }
    };

    it('tell of groups and of projections how far they are', async () => {
      await bench.appendPolls([poll(), poll()]);
      const { found, away } = await readers();
      assert.equal(away, null);
      const lags = (kind: string, topic: string): (number | null)[] =>
        found
          .filter((each) => each.kind === kind)
          .flatMap((each) => each.lags)
          .filter((each) => each.topic === topic)
          .map(({ lag }) => lag);
      for (const kind of ['group', 'projection']) {
        assert.deepEqual(lags(kind, observation), [0, 0, 0, 0, 0, 0], kind);
        assert.deepEqual(lags(kind, topics.feed_poll.name), [2], kind);
      }
      const groups = await bench.log.groups();
      assert.equal(groups.length, projectionNames.length);
      assert.deepEqual(
        found.map(({ name, state, note }) => [name, state, note]),
        [
          // No alert, key, request or letter was appended, so those projections' groups have read nothing.
          ...groups.map((group) => [
            group,
            null,
            /\.(alerts|api-keys|api-requests|dead-letters)\./.test(group)
              ? 'it has committed nothing yet'
              : null,
          ]),
          ['alerts v1', 'serving', null],
          ['api-keys v1', 'serving', null],
          ['api-requests v1', 'serving', null],
          ['dead-letters v1', 'serving', null],
          ['feeds v1', 'serving', null],
          ['observations v1', 'serving', null],
        ],
      );
      const text = (await run(['positions'])).stdout;
      assert.match(text, /^projection feeds v1 \(serving\)\n {2}hail\.feed-poll\.v1 {2}lag 2 {2}1\/3$/m);
    });

    it('tell of groups where the store has no tables or is away, and say so', async () => {
      const { found, away } = await readers(bench.log, bench.store('never_made'));
      assert.deepEqual(
        found.map(({ kind }) => kind),
        projectionNames.map(() => 'group'),
      );
      assert.match(away ?? '', /^The store has no tables/);

      const { exit_code, lines, stderr } = await run(['positions', '--json'], {
        CLICKHOUSE_URL: 'http://127.0.0.1:1',
      });
      assert.equal(exit_code, 0);
      assert.match(stderr, /^The store does not answer[^\n]*not shown\.\n$/);
      assert.deepEqual(
        lines.map((line) => JSON.parse(line) as Reader),
        found,
      );
    });

    it('do not take those of another log for their own, and name a group without commits', async () => {
      const { log, dispose } = await temporaryLog();
      cleanup.keep({ stop: dispose });
      const joined = await log.join({
        ...{ group: 'new', topics: [observation], batch_messages: 10 },
        startAt: () => Promise.resolve(0),
        onBatch: () => Promise.resolve(),
      });
      const store = cleanup.keep(closing(createStore(bench.config('shown'))));
      const { found } = await readers(log, store);
      await joined.leave();
      assert.deepEqual(
        found.map(({ name, lags, note }) => [name, lags, note]),
        [
          ['new', [], 'it has committed nothing yet'],
          ['alerts v1', [], '6 of its positions are of another log than this one'],
          ['api-keys v1', [], '1 of its positions are of another log than this one'],
          ['api-requests v1', [], '6 of its positions are of another log than this one'],
          ['dead-letters v1', [], '1 of its positions are of another log than this one'],
          ['feeds v1', [], '1 of its positions are of another log than this one'],
          ['observations v1', [], '12 of its positions are of another log than this one'],
        ],
      );
    });
  });

  it('prints a topic as JSON lines', async () => {
    const [fact] = facts;
    assert.ok(fact);
    const { exit_code, lines, stderr } = await run([observation, '--key', keyOf(fact)]);
    assert.deepEqual([exit_code, stderr, lines.length], [0, '', 1]);
    const line = JSON.parse(lines[0] ?? '') as LogLine;
    assert.deepEqual('fact' in line && line.fact, fact);
  });

  it('follows until Ctrl-C, which is its end and no failure', async () => {
    const { child, ended } = startScript('log', [observation, '--follow', '--from', 'end'], environment);
    const lines = createInterface({ input: child.stdout });
    const [fact] = facts;
    assert.ok(fact);
    const value = bench.codec.encode(observation, fact);
    // When it has begun to follow is not known before its first line, so there is news until then.
    let heard: string | undefined;
    lines.once('line', (line) => (heard = line));
    for (let sent = 0; heard === undefined; sent += 1) {
      await bench.log.append(observation, [{ key: `follow/${sent}`, value }]);
      await pause(20);
    }
    assert.ok((JSON.parse(heard) as LogLine).key.startsWith('follow/'));
    const last = new Promise<LogLine>((done) =>
      lines.on('line', (line) => {
        const read = JSON.parse(line) as LogLine;
        if (read.key === 'last') done(read);
      }),
    );
    await bench.log.append(observation, [{ key: 'last', value }]);
    const read = await last;
    assert.deepEqual('fact' in read && read.fact, fact);
    child.kill('SIGINT');
    const { exit_code, stderr } = await ended;
    assert.deepEqual([exit_code, stderr], [0, '']);
  });

  it('ends without a word when its reader has gone', async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({ key: `many/${index}`, value: null }));
    for (let round = 0; round < 5; round += 1) await bench.log.append(observation, many);
    const { child, ended } = startScript('log', [observation], environment);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const { exit_code, signal, stderr } = await ended;
    assert.deepEqual([exit_code, signal, stderr], [0, null, '']);
  });

  it('says in one sentence what is away or not understood', async () => {
    const { folder } = cleanup.keep(temporaryDataFolder());
    const [away, none, misread, help] = await Promise.all([
      run([observation], { SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' }),
      run([observation], { HAILMARK_DATA_DIR: folder }),
      run(['hail.nothing.v1']),
      run(['--help']),
    ]);
    assert.equal(away.exit_code, 1);
    assert.match(away.stderr, /^The schema registry does not answer[^\n]*\n$/);
    assert.equal(none.exit_code, 1);
    assert.match(none.stderr, /^There is no log in [^\n]*\n$/);
    assert.deepEqual([misread.exit_code, misread.stdout], [64, '']);
    assert.match(misread.stderr, /^There is no topic hail\.nothing\.v1: [^\n]*\n$/);
    assert.equal(help.exit_code, 0);
    assert.match(help.stdout, /Example:/);
  });
});

function closing(store: Store): Store & { stop: () => Promise<void> } {
  return { ...store, stop: store.close };
}
