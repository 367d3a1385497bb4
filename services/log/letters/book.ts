import type { DeadLetterFact, DeadLetterState } from '../facts.ts';
import { isClosed, nextState, placeText, type MessagePlace } from './state.ts';

/** What is known of one dead message: everything but its bytes. */
export interface Letter extends MessagePlace {
  key: string;
  state: DeadLetterState;
  /** Why it is no valid fact, as it was judged last, and by whom. */
  reason: string;
  error: string;
  at: string;
  /** When it was first found dead, epoch milliseconds. */
  failed_at: number;
  /** What settled it, where something did: `published-anew` or `overtaken`. */
  settled_as: string | null;
  /** Where the letters' topic has its bytes: the offset of the letter that opened it. */
  opened_at: number;
}

export interface LetterFilter {
  topic?: string | undefined;
  reason?: string | undefined;
  key?: string | undefined;
  state?: string | undefined;
  /** As `topic/partition/offset`. */
  place?: string | undefined;
}

export interface LetterCount {
  topic: string;
  reason: string;
  state: DeadLetterState;
  letters: number;
}

export interface LetterBook {
  /** Takes in what the letters' topic says at `said_at`; in the order of the topic. */
  take: (fact: DeadLetterFact, said_at: number) => void;
  /** Every dead message by its place, once, with what is said of it last. */
  letters: () => Letter[];
}

export function createLetterBook(): LetterBook {
  const known = new Map<string, Letter>();
  return {
    take: (fact, said_at) => {
      const place = placeText(fact);
      const before = known.get(place);
      if (before === undefined) known.set(place, opened(fact, said_at));
      else known.set(place, gone(before, fact));
    },
    letters: () => [...known.values()].sort(byPlace),
  };
}

export function matches(letter: Letter, { topic, reason, key, state, place }: LetterFilter): boolean {
  return (
    isWanted(topic, letter.topic) &&
    isWanted(reason, letter.reason) &&
    isWanted(key, letter.key) &&
    isWanted(state, letter.state) &&
    isWanted(place, placeText(letter))
  );
}

/** How many letters there are of each topic, reason and state, most first. */
export function countLetters(letters: readonly Letter[]): LetterCount[] {
  const counts = new Map<string, LetterCount>();
  for (const { topic, reason, state } of letters) {
    const name = [topic, reason, state].join(' ');
    const count = counts.get(name) ?? { topic, reason, state, letters: 0 };
    counts.set(name, { ...count, letters: count.letters + 1 });
  }
  return [...counts.values()].sort((a, b) => b.letters - a.letters);
}

function opened(fact: DeadLetterFact, opened_at: number): Letter {
  const { topic, partition, offset, key, reason, error, at, failed_at } = fact;
  const state = nextState(null, fact.state);
  return { topic, partition, offset, key, state, reason, error, at, failed_at, settled_as: null, opened_at };
}

function gone(before: Letter, { state: said, reason, error, at }: DeadLetterFact): Letter {
  if (isClosed(before.state)) return before;
  const state = nextState(before.state, said);
  if (state === 'dead') return { ...before, state, reason, error, at };
  return { ...before, state, settled_as: state === 'settled' ? reason : null };
}

function isWanted(wanted: string | undefined, found: string): boolean {
  return wanted === undefined || wanted === found;
}

function byPlace(a: Letter, b: Letter): number {
  if (a.topic !== b.topic) return a.topic < b.topic ? -1 : 1;
  return a.partition - b.partition || a.offset - b.offset;
}
