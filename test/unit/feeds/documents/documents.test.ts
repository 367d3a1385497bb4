import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gzipSync, zstdDecompressSync } from 'node:zlib';
import { pino } from 'pino';
import { readDocument } from '../../../../services/feeds/documents/files.ts';
import { createDocumentKeeper, type DocumentKeeper } from '../../../../services/feeds/documents/keeper.ts';
import type { EventLog } from '../../../../services/log/event-log.ts';
import { createSqliteLog } from '../../../../services/log/sqlite/sqlite-log.ts';
import { topics } from '../../../../services/log/topics.ts';
import { temporaryFolder } from '../../../support/local-services.ts';

let data_dir: string;
let log: EventLog;
let said: Record<string, unknown>[];
beforeEach(async () => {
  data_dir = temporaryFolder('hailmark-documents-');
  log = await createSqliteLog({ folder: join(data_dir, 'log') });
  await log.ensureTopics(Object.values(topics));
  said = [];
});
afterEach(async () => {
  await log.close();
  rmSync(data_dir, { recursive: true, force: true });
});

const keeper = (max_bytes = 1_000_000, keep: 'true' | 'false' = 'true'): DocumentKeeper =>
  createDocumentKeeper(
    { output: pino({}, { write: (line) => void said.push(JSON.parse(line) as Record<string, unknown>) }) },
    { data_dir, config: { DOCUMENTS_KEEP: keep, DOCUMENTS_MAX_BYTES: max_bytes } },
  );

const bodyOf = (content: Buffer | string): { sha256: string; served: Buffer } => {
  const served = Buffer.from(content);
  return { served, sha256: createHash('sha256').update(served).digest('hex') };
};

const message = { key: 'k', value: Buffer.from('a fact, NOT REAL') };
const publish = (kept_by: DocumentKeeper, body: { sha256: string; served: Buffer }): Promise<unknown> =>
  kept_by.before(log, body).append(topics.observation.name, [message]);

const files = (): string[] => {
  const entries = readdirSync(join(data_dir, 'documents'), { recursive: true, withFileTypes: true });
  return entries.flatMap((each) => (each.isFile() ? [join(each.parentPath, each.name)] : [])).sort();
};

describe('a document that a fact cites', () => {
  it('is kept under its hash, compressed unless it is gzip already', async () => {
    const plain = bodyOf('one line of a file\n'.repeat(1_000));
    const zipped = bodyOf(gzipSync('another file\n'.repeat(1_000)));
    const kept_by = keeper();
    await publish(kept_by, plain);
    await publish(kept_by, zipped);
    await publish(kept_by, plain);
    const path = (sha256: string, suffix: string): string =>
      join(data_dir, 'documents', sha256.slice(0, 2), sha256 + suffix);
    assert.deepEqual(files(), [path(plain.sha256, '.zst'), path(zipped.sha256, '.bin')].sort());
    assert.deepEqual(zstdDecompressSync(readFileSync(path(plain.sha256, '.zst'))), plain.served);
    assert.deepEqual(readFileSync(path(zipped.sha256, '.bin')), zipped.served);
    for (const { sha256, served } of [plain, zipped]) {
      assert.deepEqual(await readDocument(data_dir, sha256), { outcome: 'found', bytes: served });
    }
    assert.deepEqual(await readDocument(data_dir, '0'.repeat(64)), { outcome: 'missing' });
  });

  it('is there before the fact is, and not without one', async () => {
    const body = bodyOf('a file');
    const guarded = keeper().before(
      {
        ...log,
        append: async (...words) => {
          assert.equal((await readDocument(data_dir, body.sha256)).outcome, 'found');
          return log.append(...words);
        },
      },
      body,
    );
    assert.deepEqual(await readDocument(data_dir, body.sha256), { outcome: 'missing' });
    const appended = await guarded.append(topics.observation.name, [message]);
    assert.equal(appended.length, 1);
  });

  it('is not kept where that is switched off', async () => {
    const body = bodyOf('a file');
    await publish(keeper(1_000_000, 'false'), body);
    assert.deepEqual(await readDocument(data_dir, body.sha256), { outcome: 'missing' });
  });

  it('that was broken on the disk is never given out, and is written anew when it comes again', async () => {
    const body = bodyOf('one line of a file\n'.repeat(1_000));
    await publish(keeper(), body);
    const [path = ''] = files();
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped[whole.length - 1] = (flipped[whole.length - 1] ?? 0) ^ 1;
    for (const broken of [whole.subarray(0, whole.length / 2), flipped, Buffer.alloc(0)]) {
      writeFileSync(path, broken);
      assert.deepEqual(await readDocument(data_dir, body.sha256), { outcome: 'broken' });
      await publish(keeper(), body);
      assert.deepEqual(await readDocument(data_dir, body.sha256), { outcome: 'found', bytes: body.served });
    }
  });

  it('leaves nothing behind of a writing that a crash cut short', async () => {
    const folder = join(data_dir, 'documents', 'ab');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${'ab'.repeat(32)}.zst.part`), 'half of a document');
    const body = bodyOf('a file');
    await publish(keeper(), body);
    assert.equal(files().length, 1);
    assert.deepEqual(await readDocument(data_dir, 'ab'.repeat(32)), { outcome: 'missing' });
  });
});

describe('documents past their limit', () => {
  // Gzip is kept as it is, so sizes on the disk are those of these made-up bodies.
  const sized = (name: number, size: number): { sha256: string; served: Buffer } =>
    bodyOf(Buffer.concat([Buffer.from([0x1f, 0x8b, name]), Buffer.alloc(size - 3)]));
  const isKept = async ({ sha256 }: { sha256: string }): Promise<boolean> =>
    (await readDocument(data_dir, sha256)).outcome === 'found';

  it('lose the oldest, by a later process too, and it is said how many', async () => {
    const [a, b, c, d] = [sized(1, 400), sized(2, 400), sized(3, 400), sized(4, 400)];
    const first = keeper(1_000);
    await publish(first, a);
    await publish(first, b);
    // Cited again, so it is younger than the other now.
    await publish(first, a);
    await publish(first, c);
    assert.deepEqual(await Promise.all([a, b, c].map(isKept)), [true, false, true]);
    assert.deepEqual(
      said
        .filter(({ msg }) => msg === 'oldest documents removed')
        .map(({ documents, bytes }) => [documents, bytes]),
      [[1, 400]],
    );
    for (const [n, { sha256 }] of [c, a].entries()) {
      const at = new Date(Date.UTC(2026, 0, 1 + n));
      utimesSync(join(data_dir, 'documents', sha256.slice(0, 2), `${sha256}.bin`), at, at);
    }
    await publish(keeper(1_000), d);
    assert.deepEqual(await Promise.all([a, c, d].map(isKept)), [true, false, true]);
  });

  it('keep the one just written, however large it is', async () => {
    const [small, large] = [sized(1, 400), sized(2, 5_000)];
    const kept_by = keeper(1_000);
    await publish(kept_by, small);
    await publish(kept_by, large);
    assert.deepEqual(await Promise.all([small, large].map(isKept)), [false, true]);
  });
});
