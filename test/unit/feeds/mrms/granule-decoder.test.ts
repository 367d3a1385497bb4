import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { encodeGranule } from '../../../../infra/sandbox/mrms/encode-granule.ts';
import { GranuleRefused } from '../../../../services/feeds/mrms/grib2/refused.ts';
import { createGranuleDecoder } from '../../../../services/feeds/mrms/granule-decoder.ts';
import { made_hour, made_stamp, recordedHail, recordedMesh } from '../../../support/granules.ts';

const hour = { product: 'MESH_Max_60min', stamp: made_stamp } as const;
const broken_worker = new URL('../../../support/broken-worker.ts', import.meta.url);

const refusedAs =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof GranuleRefused && error.reason === reason;

describe('the decoder in a thread', () => {
  const decoder = createGranuleDecoder();
  after(() => decoder.rest());

  it('answers in order, and leaves the bytes to who asked', async () => {
    const mesh = recordedMesh();
    const made = encodeGranule(made_hour);
    const before = Buffer.from(made);
    const [first, second, third] = await Promise.all([
      decoder.decode(mesh, { product: 'MESH', stamp: Date.parse('2026-06-10T21:30:40Z') }, 127),
      decoder.decode(made, hour, 127),
      decoder.decode(made, hour, 500),
    ]);
    assert.deepEqual(
      [...first.cells],
      recordedHail().map(({ cell }) => cell),
    );
    assert.deepEqual([...second.cells], [3, 58, 107]);
    assert.deepEqual([...third.sizes], [508, 1_000]);
    assert.ok(made.equals(before));
  });

  it('passes a refusal on and goes on', async () => {
    const made = encodeGranule(made_hour);
    await assert.rejects(decoder.decode(made.subarray(1), hour, 127), refusedAs('not-grib'));
    await assert.rejects(decoder.decode(made, { ...hour, stamp: 0 }, 127), refusedAs('other-time'));
    assert.equal((await decoder.decode(made, hour, 127)).cells.length, 3);
  });

  it('starts again after a rest', async () => {
    await decoder.rest();
    await decoder.rest();
    assert.equal((await decoder.decode(encodeGranule(made_hour), hour, 127)).cells.length, 3);
  });
});

describe('a thread that breaks', () => {
  // The first byte tells the broken thread what to do; see there.
  const orders = {
    hang: Buffer.from('h'),
    end: Buffer.from('e'),
    fail: Buffer.from('f'),
    answer: Buffer.from('a'),
  };

  it('costs the granule that broke it, and no other', async () => {
    const decoder = createGranuleDecoder({ worker_url: broken_worker, deadline_ms: 60_000 });
    const asked = [orders.answer, orders.end, orders.answer, orders.fail, orders.answer].map((bytes) =>
      decoder.decode(bytes, hour, 127),
    );
    const settled = await Promise.allSettled(asked);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    );
    for (const each of settled) {
      if (each.status === 'rejected') assert.ok(refusedAs('decoder-ended')(each.reason));
    }
    await decoder.rest();
  });

  it('is ended when it takes too long', async () => {
    // The thread that answers must start within the deadline too; the hanging one never would.
    const decoder = createGranuleDecoder({ worker_url: broken_worker, deadline_ms: 8_000 });
    const hanging = decoder.decode(orders.hang, hour, 127);
    const next = decoder.decode(orders.answer, hour, 127);
    await assert.rejects(hanging, refusedAs('deadline'));
    assert.equal((await next).cells.length, 0);
    await decoder.rest();
  });
});
