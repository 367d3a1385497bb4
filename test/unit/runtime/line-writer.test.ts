import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { createLineWriter } from '../../../services/runtime/line-writer.ts';

/** A stream that takes one write at a time, when it is told to. */
function heldStream(): { stream: Writable; taken: string[]; take: (error?: Error) => void } {
  const taken: string[] = [];
  let done: ((error?: Error) => void) | undefined;
  const stream = new Writable({
    highWaterMark: 10,
    decodeStrings: false,
    write: (text: string, _, callback) => {
      taken.push(text);
      done = callback;
    },
  });
  return { stream, taken, take: (error) => done?.(error) };
}
const failure = (code: string): Error => Object.assign(new Error(code), { code });

describe('the writer of lines', () => {
  it('waits for a stream that is full, and for the last of it', async () => {
    const { stream, taken, take } = heldStream();
    const { write, flush } = createLineWriter(stream);
    await write('short');
    let is_through = false;
    const second = write('longer than the stream').then(() => (is_through = true));
    await new Promise(setImmediate);
    assert.equal(is_through, false);
    take();
    take();
    await second;
    const flushed = flush();
    take();
    await flushed;
    assert.deepEqual(taken.slice(0, 2), ['short\n', 'longer than the stream\n']);
  });

  it('takes a reader that has gone for an end', async () => {
    const { stream, take } = heldStream();
    const { write, flush, closed } = createLineWriter(stream);
    const waiting = write('longer than the stream');
    take(failure('EPIPE'));
    await waiting;
    assert.equal(closed.aborted, true);
    await write('more');
    await flush();
  });

  it('throws any other failure, also of what was written last', async () => {
    const { stream, take } = heldStream();
    const { write, flush, closed } = createLineWriter(stream);
    await write('last');
    const flushed = flush();
    take(failure('ENOSPC'));
    await assert.rejects(flushed, { code: 'ENOSPC' });
    assert.equal(closed.aborted, true);
    await assert.rejects(write('more'), { code: 'ENOSPC' });
  });
});
