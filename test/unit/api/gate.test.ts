import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createGate } from '../../../services/api/http/gate.ts';

const forever = new AbortController().signal;

/** Work that ends when the test says so. */
function held(): { work: () => Promise<string>; end: () => void; fail: () => void; begun: () => boolean } {
  const done = Promise.withResolvers<string>();
  // Nobody hears of the failure of work that was never begun.
  done.promise.catch(() => undefined);
  let begun = false;
  return {
    work: () => {
      begun = true;
      return done.promise;
    },
    end: () => done.resolve('done'),
    fail: () => done.reject(new Error('failed')),
    begun: () => begun,
  };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('the gate', () => {
  it('lets so many in, has so many wait in their order, and tells everybody else 503 with Retry-After', async () => {
    const gate = createGate({ in_flight: 1, queue: 2 });
    const [first, second, third] = [held(), held(), held()];
    const answers = [first, second, third].map(({ work }) => gate(work, forever));
    await assert.rejects(
      gate(() => Promise.resolve(), forever),
      { status: 503, code: 'internal_error', headers: { 'Retry-After': '5' } },
    );
    assert.deepEqual([first.begun(), second.begun(), third.begun()], [true, false, false]);
    first.end();
    await answers[0];
    await turns();
    assert.deepEqual([second.begun(), third.begun()], [true, false]);
    second.fail();
    await assert.rejects(answers[1] ?? Promise.resolve(), { message: 'failed' });
    third.end();
    assert.equal(await answers[2], 'done');
  });

  it('tells how many wait, and refuses for want of room or of time', async () => {
    const told: number[] = [];
    const gate = createGate({ in_flight: 1, queue: 2 }, (waiting) => told.push(waiting));
    const first = held();
    const gone = new AbortController();
    const answer = gate(first.work, forever);
    const impatient = gate(() => Promise.resolve(), gone.signal);
    const patient = gate(() => Promise.resolve(), forever);
    const refused = gate(() => Promise.resolve(), forever);
    await assert.rejects(refused, { counted: { kind: 'refused', reason: 'capacity' } });
    gone.abort();
    await assert.rejects(impatient, { counted: { kind: 'refused', reason: 'deadline' } });
    first.end();
    await Promise.all([answer, patient]);
    assert.deepEqual(told, [1, 2, 1, 0]);
  });

  it('lets go who gives up waiting, without beginning their work', async () => {
    const gate = createGate({ in_flight: 1, queue: 1 });
    const [first, second, third] = [held(), held(), held()];
    const gone = new AbortController();
    const answer = gate(first.work, forever);
    const waiting = gate(second.work, gone.signal);
    gone.abort();
    await assert.rejects(waiting, { status: 503 });
    const in_its_place = gate(third.work, forever);
    first.end();
    await answer;
    third.end();
    assert.equal(await in_its_place, 'done');
    assert.equal(second.begun(), false);
  });

  it('holds a turn until the work has settled, though its asker has gone', async () => {
    const gate = createGate({ in_flight: 1, queue: 0 });
    const first = held();
    const gone = new AbortController();
    const answer = gate(first.work, gone.signal);
    gone.abort();
    await assert.rejects(
      gate(() => Promise.resolve(), forever),
      { status: 503 },
    );
    first.end();
    await answer;
    assert.equal(await gate(() => Promise.resolve('in'), forever), 'in');
  });

  it('never has more at work than it may, and forgets nobody, whoever ends, fails or leaves', async () => {
    const actions = fc.array(
      fc.record({ act: fc.constantFrom('ask', 'end', 'fail', 'leave'), of: fc.nat(20) }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.nat(3), actions, async (in_flight, queue, acts) => {
        const gate = createGate({ in_flight, queue });
        const asked: { leave: () => void; end: () => void; fail: () => void; settled: Promise<unknown> }[] =
          [];
        let at_work = 0;
        for (const { act, of } of acts) {
          if (act === 'ask') {
            const [one, gone] = [held(), new AbortController()];
            const work = async (): Promise<void> => {
              at_work += 1;
              try {
                await one.work();
              } finally {
                at_work -= 1;
              }
            };
            const settled = gate(work, gone.signal).catch(() => undefined);
            asked.push({ leave: () => gone.abort(), end: one.end, fail: one.fail, settled });
          } else asked[of]?.[act]();
          await turns();
          assert.ok(at_work <= in_flight);
        }
        for (const { end } of asked) end();
        await Promise.all(asked.map(({ settled }) => settled));
        assert.equal(at_work, 0);
        assert.equal(await gate(() => Promise.resolve('free'), forever), 'free');
      }),
      { numRuns: 200 },
    );
  });
});
