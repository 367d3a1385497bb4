import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { lenientText } from '../../../../services/feeds/noaa_sed/lenient-text.ts';

async function read(bytes: Buffer, chunk_bytes: number): Promise<{ text: string; cp1252_bytes: number }> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunk_bytes) {
      yield await Promise.resolve(bytes.subarray(at, at + chunk_bytes));
    }
  }
  const counts = { cp1252_bytes: 0 };
  const parts: Buffer[] = [];
  for await (const part of lenientText(chunks(), counts)) parts.push(part);
  const whole = Buffer.concat(parts);
  assert.ok(isUtf8(whole));
  return { text: whole.toString('utf8'), ...counts };
}

describe('bytes that may not be UTF-8', () => {
  it('are left as they are when they are, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1, max: 7 }),
        async (text, chunk_bytes) => {
          fc.pre(!text.startsWith('\ufeff'));
          assert.deepEqual(await read(Buffer.from(text, 'utf8'), chunk_bytes), { text, cp1252_bytes: 0 });
        },
      ),
    );
  });

  it('become the characters of cp1252 one by one, and are counted', async () => {
    const bytes = Buffer.concat([Buffer.from('90\xb0, \x93caf\xe9\x94 ', 'latin1'), Buffer.from('café €')]);
    for (const chunk_bytes of [1, 2, 3, 5, 100]) {
      assert.deepEqual(await read(bytes, chunk_bytes), { text: '90°, “café” café €', cp1252_bytes: 4 });
    }
  });

  it('may end in the middle of a character', async () => {
    assert.deepEqual(await read(Buffer.from([0x61, 0xe2, 0x82]), 2), { text: 'aâ‚', cp1252_bytes: 2 });
  });
});
