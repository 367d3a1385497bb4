import { publishers } from '../../hail/publisher.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Codec } from '../codec.ts';
import type { EventLog, NewMessage } from '../event-log.ts';
import type { DeadLetterFact } from '../facts.ts';
import { topics } from '../topics.ts';
import { createLetterBook, type Letter } from './book.ts';
import { judgeMessage } from './judge-message.ts';
import { readPlaces } from './read-places.ts';
import { laterLetter, placeText } from './state.ts';

export interface LetterDeps {
  log: EventLog;
  codec: Codec;
  clock: Clock;
}

const page_letters = 500;
const topic = topics.dead_letter.name;

/** Every dead letter of the log as it stands; `unreadable` counts letters that cannot be decoded themselves. */
export async function readLetters({
  log,
  codec,
}: LetterDeps): Promise<{ letters: Letter[]; unreadable: number }> {
  const book = createLetterBook();
  let unreadable = 0;
  for await (const page of log.scan(topic)) {
    for (const { offset, value } of page) {
      const decoded = await codec.decode(topic, value);
      if (decoded.outcome === 'ok') book.take(decoded.fact, offset);
      else unreadable += 1;
    }
  }
  return { letters: book.letters(), unreadable };
}

/** The message of a letter with its bytes, from the letter itself: its topic may have lost it since. */
export async function messageOf({ log, codec }: LetterDeps, letter: Letter): Promise<DeadLetterFact | null> {
  for await (const { value } of readPlaces(log, [{ topic, partition: 0, offset: letter.opened_at }])) {
    const decoded = await codec.decode(topic, value);
    if (decoded.outcome === 'ok') return decoded.fact;
  }
  return null;
}

export interface Prospects {
  /** Messages that are valid facts by now. */
  repaired: number;
  /** How many are not, by reason. */
  still_dead: Record<string, number>;
  /** Places of repaired ones. */
  places: string[];
}

/** What a retry could bring back: messages are judged as they lie in the log, by the schemas and rules of now. */
export async function judgeLetters(
  { log, codec }: LetterDeps,
  letters: readonly Letter[],
): Promise<Prospects> {
  const prospects: Prospects = { repaired: 0, still_dead: {}, places: [] };
  const addDead = (reason: string, by = 1): void => {
    prospects.still_dead[reason] = (prospects.still_dead[reason] ?? 0) + by;
  };
  let found = 0;
  for await (const message of readPlaces(log, letters)) {
    found += 1;
    const judged = await judgeMessage(codec, message);
    if (judged.outcome === 'dead') {
      addDead(judged.reason);
      continue;
    }
    prospects.repaired += 1;
    prospects.places.push(placeText(message));
  }
  if (found < letters.length) addDead('not-in-the-log', letters.length - found);
  return prospects;
}

/** False for a letter of a record topic that no feed can answer for: its key names no publisher. */
export function hasOwner({ topic: of, key }: Letter): boolean {
  if (of === topics.feed_poll.name || of === topics.grid.name || of === topics.alert.name) return key !== '';
  return of === topics.observation.name && publishers.some((publisher) => key.startsWith(`${publisher}/`));
}

/** Says of each letter that it is to be retried or is dropped. Interrupted, it has said so of some, and can be run again. */
export async function sayOfLetters(
  { log, codec, clock }: LetterDeps,
  letters: readonly Letter[],
  state: 'retry' | 'dropped',
): Promise<number> {
  for (let at = 0; at < letters.length; at += page_letters) {
    const messages = letters.slice(at, at + page_letters).map((letter): NewMessage => {
      const said = {
        state,
        at: 'scripts/dead-letters',
        reason: letter.reason,
        error: '',
        failed_at: clock(),
      };
      return { key: letter.key, value: codec.encode(topic, laterLetter(letter, said)) };
    });
    await log.append(topic, messages);
  }
  return letters.length;
}
