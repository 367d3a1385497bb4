import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openTwin } from './event-log.sqlite.ts';
import { readAll, topicSpec } from './event-log.support.ts';

const run = promisify(execFile);

describe('a new log file', () => {
  it('is made once when many processes open it at the same moment', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hailmark-log-'));
    const spec = topicSpec({ name: 'contract.first' });
    const script = `
      const { openTwin } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'event-log.sqlite.ts')).href)});
      const log = await openTwin(${JSON.stringify(folder)});
      await log.ensureTopics([${JSON.stringify(spec)}]);
      await log.append('contract.first', [{ key: String(process.pid), value: null }]);
      console.log(log.id);
      await log.close();`;
    const processes = Array.from({ length: 6 }, () =>
      run(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]),
    );
    const ids = new Set((await Promise.all(processes)).map(({ stdout }) => stdout.trim()));
    const log = await openTwin(folder);
    assert.deepEqual([...ids], [log.id]);
    assert.equal((await readAll(log, spec.name)).length, 6);
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
