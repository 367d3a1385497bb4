import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { after, it } from 'node:test';
import { documentPath, writeDocument } from '../../services/feeds/documents/files.ts';
import { runScript, temporaryDataFolder } from '../support/scripts.ts';

const data = temporaryDataFolder();
after(() => data.stop());

it('npm run document writes the bytes of a hash, and nothing of a broken or unknown one', async () => {
  const environment = { HAILMARK_DATA_DIR: data.folder };
  const served = 'a line of a document, NOT REAL\n'.repeat(10_000);
  const sha256 = createHash('sha256').update(served).digest('hex');
  const { suffix } = await writeDocument(data.folder, sha256, Buffer.from(served));
  const found = await runScript('document', [sha256], environment);
  assert.deepEqual([found.exit_code, found.stdout === served, found.stderr], [0, true, '']);

  const unknown = await runScript('document', ['0'.repeat(64)], environment);
  assert.deepEqual([unknown.exit_code, unknown.stdout], [1, '']);
  writeFileSync(documentPath(data.folder, sha256, suffix), 'something else');
  const broken = await runScript('document', [sha256], environment);
  assert.deepEqual([broken.exit_code, broken.stdout], [1, '']);
  assert.notEqual(broken.stderr, unknown.stderr);
  for (const words of [[], [sha256.toUpperCase()], [sha256, sha256], ['../../etc/hostname']]) {
    assert.equal((await runScript('document', words, environment)).exit_code, 64);
  }
});
