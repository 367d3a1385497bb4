import type { DeadLetterFact, DeadLetterState } from '../facts.ts';

/** A message by its place in the log. */
export interface MessagePlace {
  topic: string;
  partition: number;
  offset: number;
}

/**
 * What a letter is once more is said about its offset. Settled and dropped are final: nobody waits for it any more, and what is said
 * later, by a projector or an operator who did not know yet, changes nothing.
 */
export function nextState(before: DeadLetterState | null, said: string): DeadLetterState {
  if (before !== null && isClosed(before)) return before;
  return isState(said) ? said : (before ?? 'dead');
}

export function isClosed(state: DeadLetterState): boolean {
  return state === 'settled' || state === 'dropped';
}

/** What follows an opened letter: about the same message, without its bytes. */
export function laterLetter(
  of: MessagePlace & { key: string },
  said: Pick<DeadLetterFact, 'state' | 'at' | 'reason' | 'error' | 'failed_at'>,
): DeadLetterFact {
  const { topic, partition, offset, key } = of;
  return { topic, partition, offset, key, value: null, headers: {}, ...said };
}

export function placeText({ topic, partition, offset }: MessagePlace): string {
  return `${topic}/${partition}/${offset}`;
}

function isState(text: string): text is DeadLetterState {
  return (['dead', 'retry', 'settled', 'dropped'] satisfies DeadLetterState[] as readonly string[]).includes(
    text,
  );
}
