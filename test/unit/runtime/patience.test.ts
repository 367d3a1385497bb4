import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createPatience } from '../../../services/runtime/patience.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';

const away = new HailmarkError('HAIL_STORE_UNAVAILABLE', 'The store is away.');

function bench(signal = new AbortController().signal): {
  patiently: ReturnType<typeof createPatience>;
  clock: { now: number };
  said: string[];
} {
  const said: string[] = [];
  const clock = { now: 0 };
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      said.push((JSON.parse(chunk.toString()) as { msg: string }).msg);
      done();
    },
  });
  const deps = { clock: () => clock.now, output: pino(sink), random: () => 0 };
  return { patiently: createPatience(deps, signal), clock, said };
}

describe('patience', () => {
  it('does what passes by itself again until it works, and says so once a minute', async () => {
    const { patiently, clock, said } = bench();
    let tries = 0;
    const work = (): Promise<number> => {
      tries += 1;
      if (tries === 3) clock.now = 60_000;
      return tries < 4 ? Promise.reject(away) : Promise.resolve(tries);
    };
    assert.equal(await patiently('rows', work), 4);
    assert.deepEqual(said, ['waiting', 'waiting', 'goes on']);
  });

  it('throws what does not pass, at once', async () => {
    const { patiently, said } = bench();
    let tries = 0;
    const work = (): Promise<never> => {
      tries += 1;
      return Promise.reject(new TypeError('ours'));
    };
    await assert.rejects(patiently('rows', work), TypeError);
    assert.deepEqual([tries, said], [1, []]);
  });

  it('ends with the signal, also in the middle of a wait', async () => {
    const stopping = new AbortController();
    const { patiently } = bench(stopping.signal);
    const work = (): Promise<never> => {
      setImmediate(() => stopping.abort());
      return Promise.reject(away);
    };
    await assert.rejects(patiently('rows', work), away);
  });
});
