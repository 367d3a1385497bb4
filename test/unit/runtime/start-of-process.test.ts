import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { dataFolder } from '../../../services/runtime/config.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { requireFreePorts } from '../../../services/runtime/free-ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'hailmark-'));
after(() => rmSync(folder, { recursive: true }));

describe('the data folder', () => {
  it('is made with all that is above it, once or again', () => {
    const path = join(folder, 'a', 'b', 'c');
    assert.equal(dataFolder(path), path);
    assert.equal(dataFolder(path), path);
    assert.ok(existsSync(path));
  });

  it('that cannot be is refused in a sentence, also where a file system would let one try for ever', () => {
    writeFileSync(join(folder, 'file'), '', { mode: 0o777 });
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
    const impossible = [
      join(folder, 'file'),
      join(folder, 'file', 'x'),
      join(folder, 'link'),
      join(folder, 'link', 'x'),
    ];
    if (existsSync('/proc/self')) impossible.push('/proc/hailmark', '/proc/hailmark/x');
    for (const path of impossible)
      assert.throws(
        () => dataFolder(path),
        (error) => isHailmarkError(error, 'HAIL_DATA_DIR') && error.message.includes('set HAILMARK_DATA_DIR'),
        path,
      );
  });
});

describe('ports', () => {
  it('that are one and the same are told by the names of their settings, and any free one is never the same', async () => {
    const ports = [
      { setting: 'API_PORT', port: 9_464 },
      { setting: 'SANDBOX_PORT', port: 0 },
      { setting: 'REGISTRY_PORT', port: 0 },
      { setting: 'API_OPS_PORT', port: 9_464 },
    ];
    await assert.rejects(requireFreePorts(ports), {
      code: 'HAIL_CONFIG',
      message: 'One port is set for two of: API_PORT 9464, API_OPS_PORT 9464. Give each a port of its own.',
    });
    await requireFreePorts(ports.slice(1, 3));
  });
});
