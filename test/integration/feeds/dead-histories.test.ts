import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { StoredMessage } from '../../../services/log/event-log.ts';
import type { DeadLetterState } from '../../../services/log/facts.ts';
import { readLetters } from '../../../services/log/letters/manage.ts';
import { laterLetter, placeText, type MessagePlace } from '../../../services/log/letters/state.ts';
import { topics } from '../../../services/log/topics.ts';
import { startFeedBench, type FeedBench } from './bench.ts';
import { foldFacts, truthOf } from './fold.ts';
import { draftOf, serveMadeUpYears, type HailRow } from './made-up-year.ts';

const year = 2001;
const observation = topics.observation.name;
const dead_letter = topics.dead_letter.name;

/** Two records and few places, so that records meet their own past, dead or alive, often. */
const hailRow = fc.record({
  id: fc.integer({ min: 1, max: 2 }),
  minute: fc.constant(0),
  lat: fc.constantFrom(35, 35.5, 36, null),
  lon: fc.constant(-97),
  size: fc.constantFrom('1.00', '1.75', ''),
});

type Step =
  | { does: 'file'; rows: HailRow[]; is_read: boolean }
  /** A message of the log, `which` counted from its end, gets a letter; or something is said about the letter it has. */
  | { does: 'dies' | 'retry' | 'drop'; which: number }
  | { does: 'garbage'; id: number }
  | { does: 'poll' }
  | { does: 'index lost' };

const which = fc.integer({ min: 0, max: 2 });
const file: fc.Arbitrary<Step> = fc.record({
  does: fc.constant('file'),
  rows: fc.uniqueArray(hailRow, { selector: ({ id }) => id, minLength: 1, maxLength: 2 }),
  is_read: fc.constantFrom(true, true, true, false),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: file, weight: 4 },
  { arbitrary: fc.record({ does: fc.constant('dies' as const), which }), weight: 5 },
  { arbitrary: fc.record({ does: fc.constantFrom('retry' as const, 'drop' as const), which }), weight: 2 },
  {
    arbitrary: fc.record({ does: fc.constant('garbage' as const), id: fc.integer({ min: 1, max: 2 }) }),
    weight: 1,
  },
  { arbitrary: fc.constantFrom<Step[]>({ does: 'poll' }, { does: 'index lost' }), weight: 1 },
);
const history = fc
  .tuple(file, fc.array(step, { minLength: 3, maxLength: 9 }))
  .map(([one, more]) => [one, ...more]);

describe('any history of dead messages', () => {
  it('ends, once everything dead is retried or dropped, with what the publisher holds in the views', async () => {
    await fc.assert(fc.asyncProperty(history, fc.boolean(), live), {
      numRuns: 10,
      seed: 20_261_122,
      endOnFailure: true,
    });
  });
});

async function live(steps: readonly Step[], drop_first: boolean): Promise<void> {
  const bench = await startFeedBench();
  try {
    const { feed, offer } = serveMadeUpYears(bench.stub);
    let rows: readonly HailRow[] = [];
    offer(year, rows);
    for (const each of steps) {
      if (each.does === 'poll') await bench.poll(feed);
      else if (each.does === 'index lost') bench.loseIndex();
      else if (each.does === 'garbage') await appendGarbage(bench, each.id);
      else if (each.does === 'file') {
        rows = each.rows;
        offer(year, rows);
        if (each.is_read) await bench.poll(feed);
      } else await happen(bench, each.does, each.which);
    }

    // Rest: what cannot be decoded has its letter, then everything dead is retried, and what stays dead is dropped.
    await letGarbageDie(bench);
    const last = drop_first ? (['drop', 'retry'] as const) : (['retry', 'drop'] as const);
    for (const says of last) {
      await sayOfAll(bench, says);
      await bench.poll(feed);
      await bench.poll(feed);
    }
    const drafts = rows.map((row) => draftOf(year, row));
    assert.deepEqual(await views(bench), truthOf(drafts));
    const count = (await bench.facts()).length;
    bench.loseIndex();
    await bench.poll(feed);
    await bench.poll(feed);
    assert.deepEqual(await views(bench), truthOf(drafts));
    assert.ok(
      (await bench.facts()).length <= count + 2,
      'a lost index publishes a record again at most once',
    );
  } finally {
    await bench.stop();
  }
}

async function messages(bench: FeedBench): Promise<StoredMessage[]> {
  const found: StoredMessage[] = [];
  for await (const page of bench.log.scan(observation)) found.push(...page);
  return found.sort((a, b) => a.appended_at - b.appended_at);
}

async function states(bench: FeedBench): Promise<Map<string, DeadLetterState>> {
  const { letters } = await readLetters({ log: bench.log, codec: bench.codec, clock: () => 0 });
  return new Map(letters.map((letter) => [placeText(letter), letter.state]));
}

const say = async (
  bench: FeedBench,
  message: MessagePlace & { key: string },
  state: DeadLetterState,
): Promise<void> => {
  const said = { state, at: 'a test', reason: '', error: '', failed_at: 0 };
  const value = bench.codec.encode(dead_letter, laterLetter(message, said));
  await bench.log.append(dead_letter, [{ key: message.key, value }]);
};

/** As it would in the field: a message dies once; only what is dead is retried, and what is open is dropped. */
async function happen(bench: FeedBench, does: 'dies' | 'retry' | 'drop', which_one: number): Promise<void> {
  const message = (await messages(bench)).at(-1 - which_one);
  if (message === undefined) return;
  const state = (await states(bench)).get(placeText(message));
  if (does === 'dies' && state === undefined) await say(bench, message, 'dead');
  if (does === 'retry' && state === 'dead') await say(bench, message, 'retry');
  if (does === 'drop' && (state === 'dead' || state === 'retry')) await say(bench, message, 'dropped');
}

async function appendGarbage(bench: FeedBench, id: number): Promise<void> {
  await bench.log.append(observation, [{ key: `NOAA_SED/${id}`, value: Buffer.from('nothing of ours') }]);
}

async function letGarbageDie(bench: FeedBench): Promise<void> {
  const known = await states(bench);
  for (const message of await messages(bench)) {
    if (message.value?.at(0) !== 0 && !known.has(placeText(message))) await say(bench, message, 'dead');
  }
}

async function sayOfAll(bench: FeedBench, says: 'retry' | 'drop'): Promise<void> {
  const known = await states(bench);
  for (const message of await messages(bench)) {
    const state = known.get(placeText(message));
    if (says === 'retry' && state === 'dead') await say(bench, message, 'retry');
    if (says === 'drop' && (state === 'dead' || state === 'retry')) await say(bench, message, 'dropped');
  }
}

/** What the projector makes of the log: messages with a letter are none of its own. */
async function views(bench: FeedBench): Promise<ReturnType<typeof foldFacts>> {
  const hidden = await states(bench);
  const visible = (await bench.facts()).filter(
    ({ partition, offset }) => !hidden.has(placeText({ topic: observation, partition, offset })),
  );
  return foldFacts(visible);
}
