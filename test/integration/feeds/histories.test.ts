import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { EventLog } from '../../../services/log/event-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { startFeedBench } from './bench.ts';
import { foldFacts, truthOf } from './fold.ts';
import { draftOf, serveMadeUpYears, type HailRow } from './made-up-year.ts';

/** A few records, places and sizes, so that records meet their own past often. */
const hailRow = fc.record({
  id: fc.integer({ min: 1, max: 4 }),
  minute: fc.constantFrom(0, 5),
  lat: fc.constantFrom(35, 35.5, null),
  lon: fc.constant(-97),
  size: fc.constantFrom('1.00', '1.75', '', '0'),
  zone: fc.constantFrom('CST-6', 'CST-6', 'UNK'),
});

interface Step {
  rows: HailRow[];
  mishap: 'none' | 'index lost' | 'poll fact lost' | 'append unacknowledged';
}

const step: fc.Arbitrary<Step> = fc.record({
  rows: fc.uniqueArray(hailRow, { selector: ({ id }) => id, maxLength: 4 }),
  /** What befalls the feed before it reads the file. */
  mishap: fc.constantFrom<Step['mishap'][]>(
    'none',
    'none',
    'index lost',
    'poll fact lost',
    'append unacknowledged',
  ),
});

/** A log whose next append to the topic fails: after it was written, or before. */
function failingOnce(log: EventLog, topic: string, is_written: boolean): EventLog {
  let failed = false;
  return {
    ...log,
    append: async (name, messages, owner) => {
      if (name !== topic || failed) return log.append(name, messages, owner);
      failed = true;
      if (is_written) await log.append(name, messages, owner);
      throw new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log is away.');
    },
  };
}

const year = 2001;

describe('any history of a record', () => {
  it('leaves in the views what the publisher holds now, and nothing else', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), live), {
      numRuns: 15,
      seed: 20_261_121,
      endOnFailure: true,
    });
  });
});

async function live(history: readonly Step[]): Promise<void> {
  const bench = await startFeedBench();
  try {
    const { feed, offer } = serveMadeUpYears(bench.stub);
    for (const { rows, mishap } of history) {
      offer(year, rows);
      if (mishap === 'index lost') bench.loseIndex();
      if (mishap === 'poll fact lost' || mishap === 'append unacknowledged') {
        const is_poll = mishap === 'poll fact lost';
        const topic = is_poll ? topics.feed_poll.name : topics.observation.name;
        await bench
          .poll(feed, { log: failingOnce(bench.log, topic, !is_poll) })
          .catch((error: unknown) => assert.ok(error instanceof HailmarkError));
      }
      assert.deepEqual(await bench.poll(feed), []);

      const facts = await bench.facts();
      const drafts = rows.map((row) => draftOf(year, row));
      assert.deepEqual(foldFacts(facts), truthOf(drafts));

      bench.loseIndex();
      await bench.poll(feed);
      assert.equal((await bench.facts()).length, facts.length, 'an unchanged year is not published again');
    }
  } finally {
    await bench.stop();
  }
}
