import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { openLog } from '../../services/log/open-log.ts';
import type { EventLog, TopicSpec } from '../../services/log/event-log.ts';
import { topics } from '../../services/log/topics.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createCleanup } from '../support/cleanup.ts';
import { temporaryDataFolder, runScript, type Ended } from '../support/scripts.ts';

const declared: TopicSpec[] = Object.values(topics);

describe('the command topics', { timeout: 200_000 }, () => {
  const cleanup = createCleanup();
  let folder: string;
  beforeEach(() => {
    folder = cleanup.keep(temporaryDataFolder()).folder;
  });
  after(() => cleanup.stop());

  const run = (...words: string[]): Promise<Ended> =>
    runScript('topics', words, { HAILMARK_DATA_DIR: folder });
  const withLog = async <T>(use: (log: EventLog) => Promise<T>): Promise<T> => {
    const log = await openLog(readConfig({ HAILMARK_DATA_DIR: folder }), { make: 'log' });
    try {
      return await use(log);
    } finally {
      await log.close();
    }
  };

  it('makes what is missing, once, and then finds all as declared', async () => {
    const first = await run('--json');
    assert.equal(first.exit_code, 0, first.stderr);
    assert.deepEqual(
      first.lines.map((line) => JSON.parse(line) as unknown),
      declared.map((spec) => ({ declared: spec, found: spec, differences: [], made: true })),
    );
    const again = await run();
    assert.equal(again.lines.length, declared.length);
    assert.ok(again.lines.every((line) => line.includes('as declared')));
    assert.equal((await run('--check')).exit_code, 0);
  });

  it('shows a topic that exists otherwise, and leaves it and its messages alone', async () => {
    const other = { ...topics.api_key, compacted: false, retention_ms: 86_400_000, partitions: 2 };
    await withLog(async (log) => {
      await log.ensureTopics([other]);
      await log.append(other.name, [{ key: 'k', value: Buffer.from('v') }]);
    });
    const shown = await run();
    assert.equal(shown.exit_code, 0);
    assert.match(
      shown.stdout,
      new RegExp(
        `${other.name}  DIFFERS .*\\n    partitions: declared 1, the log has 2\\n    compacted: declared yes, the log has no\\n` +
          '    retention_ms: declared without limit, the log has 86400000 \\(1 days\\)\\n',
      ),
    );
    const check = await run('--check', '--json');
    assert.equal(check.exit_code, 1);
    const states = check.lines.map(
      (line) => JSON.parse(line) as { declared: TopicSpec; differences: object[] },
    );
    assert.deepEqual(states.find((state) => state.declared.name === other.name)?.differences, [
      { setting: 'partitions', declared: 1, found: 2 },
      { setting: 'compacted', declared: true, found: false },
      { setting: 'retention_ms', declared: null, found: 86_400_000 },
    ]);
    await withLog(async (log) => {
      assert.deepEqual(await log.describeTopic(other.name), other);
      assert.equal(
        (await log.endOffsets(other.name)).reduce((sum, end) => sum + end),
        1,
      );
    });
  });

  it('with --check makes nothing: no topic, and no log where there is none', async () => {
    const none = await run('--check');
    assert.equal(none.exit_code, 1);
    assert.match(none.stderr, /^There is no log in /);
    assert.equal(existsSync(join(folder, 'log')), false);
    await withLog((log) => log.ensureTopics([topics.observation]));
    const missing = await run('--check');
    assert.equal(missing.exit_code, 1);
    assert.equal(missing.lines.filter((line) => line.includes('MISSING')).length, declared.length - 1);
    await withLog(async (log) => assert.equal(await log.describeTopic(topics.feed_poll.name), null));
  });

  it('helps, and says when it does not understand', async () => {
    const help = await run('--help');
    assert.equal(help.exit_code, 0);
    assert.match(help.stdout, /Example:\n {2}npm run topics/);
    const misread = await run('--delete');
    assert.equal(misread.exit_code, 64);
    assert.equal(misread.stdout, '');
  });
});
