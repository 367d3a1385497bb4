import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeadLetterFact, DeadLetterState } from '../../../../services/log/facts.ts';
import {
  countLetters,
  createLetterBook,
  matches,
  type Letter,
} from '../../../../services/log/letters/book.ts';
import { laterLetter } from '../../../../services/log/letters/state.ts';

const place = { topic: 'hail.observation.v1', partition: 2, offset: 7, key: 'NOAA_SED/1' };
const say = (state: DeadLetterState, reason: string, at = 'observations.v1'): DeadLetterFact =>
  laterLetter(place, { state, at, reason, error: `${reason}!`, failed_at: 5 });

const bookOf = (...facts: DeadLetterFact[]): Letter[] => {
  const book = createLetterBook();
  for (const [said_at, fact] of facts.entries()) book.take(fact, said_at);
  return book.letters();
};
const stateOf = (...facts: DeadLetterFact[]): string => {
  const [letter] = bookOf(...facts);
  return `${letter?.state} ${letter?.reason} ${letter?.settled_as}`;
};

describe('a dead letter', () => {
  it('is what was said of it last, and keeps why it was dead', () => {
    assert.equal(stateOf(say('dead', 'short')), 'dead short null');
    assert.equal(stateOf(say('dead', 'short'), say('retry', '')), 'retry short null');
    assert.equal(
      stateOf(say('dead', 'short'), say('retry', ''), say('settled', 'overtaken')),
      'settled short overtaken',
    );
  });

  it('that was retried in vain is dead again, for the reason it has now', () => {
    assert.equal(
      stateOf(
        say('dead', 'unknown-schema'),
        say('retry', ''),
        say('dead', 'undecodable', 'feed/storm_events'),
      ),
      'dead undecodable null',
    );
  });

  it('that is settled or dropped stays so, whatever is said later', () => {
    for (const state of ['dead', 'retry', 'settled'] as const) {
      assert.equal(
        stateOf(say('dead', 'short'), say('dropped', ''), say(state, 'late')),
        'dropped short null',
      );
    }
    assert.equal(
      stateOf(say('dead', 'short'), say('settled', 'overtaken'), say('dropped', '')),
      'settled short overtaken',
    );
  });

  it('that two wrote is one, with the bytes of the first', () => {
    const [letter, ...more] = bookOf(say('dead', 'short'), say('dead', 'short', 'observations.v2'));
    assert.deepEqual([more.length, letter?.opened_at, letter?.failed_at], [0, 0, 5]);
  });
});

describe('the book of letters', () => {
  const letters = bookOf(
    ...[9, 3, 4].map((offset) => ({ ...say('dead', offset === 4 ? 'short' : 'foreign'), offset })),
    { ...say('retry', ''), offset: 9 },
  );

  it('lists them by place and counts them by topic, reason and state', () => {
    assert.deepEqual(
      letters.map(({ offset }) => offset),
      [3, 4, 9],
    );
    assert.deepEqual(
      countLetters(letters).map(({ reason, state, letters: count }) => [reason, state, count]),
      [
        ['foreign', 'dead', 1],
        ['short', 'dead', 1],
        ['foreign', 'retry', 1],
      ],
    );
  });

  it('is filtered by everything that is asked at once', () => {
    const found = (filter: Parameters<typeof matches>[1]): number[] =>
      letters.filter((letter) => matches(letter, filter)).map(({ offset }) => offset);
    assert.deepEqual(found({}), [3, 4, 9]);
    assert.deepEqual(found({ reason: 'foreign' }), [3, 9]);
    assert.deepEqual(found({ reason: 'foreign', state: 'dead' }), [3]);
    assert.deepEqual(found({ place: 'hail.observation.v1/2/4' }), [4]);
    assert.deepEqual(found({ key: 'NOAA_SED/2' }), []);
  });
});
