import type { DeadLetterFact, DeadLetterState } from '../../services/log/facts.ts';
import { nextState, placeText, type MessagePlace } from '../../services/log/letters/state.ts';
import { topics } from '../../services/log/topics.ts';
import type { MemoryLog } from '../support/memory-log.ts';
import type { MemoryCodec } from './codec.ts';

/** The dead letters as an operator sees them: all of the log, at once. */
export interface LetterBook {
  stateOf: (topic: string, partition: number, offset: number) => DeadLetterState | null;
  /** The offset of the message that opened a letter; null where there is none. */
  openedAt: (place: MessagePlace) => number | null;
  /** Letters in a state, each as it was opened. */
  inState: (state: DeadLetterState) => DeadLetterFact[];
  count: () => number;
}

export function createLetterBook(log: MemoryLog, codec: MemoryCodec): LetterBook {
  const topic = topics.dead_letter.name;
  const letters = new Map<string, { opened: DeadLetterFact; opened_at: number; state: DeadLetterState }>();
  let read = 0;

  const readOn = (): void => {
    const messages = log.messages(topic, 0);
    for (; read < messages.length; read += 1) {
      const fact = codec.meant(topic, messages[read]?.value ?? null);
      if (fact === null) throw new Error('a dead letter cannot be read');
      const at = placeText(fact);
      const before = letters.get(at);
      if (before === undefined) letters.set(at, { opened: fact, opened_at: read, state: fact.state });
      else before.state = nextState(before.state, fact.state);
    }
  };

  return {
    stateOf: (of, partition, offset) => {
      readOn();
      return letters.get(placeText({ topic: of, partition, offset }))?.state ?? null;
    },
    openedAt: (place) => {
      readOn();
      return letters.get(placeText(place))?.opened_at ?? null;
    },
    inState: (state) => {
      readOn();
      return [...letters.values()].filter((letter) => letter.state === state).map(({ opened }) => opened);
    },
    count: () => {
      readOn();
      return letters.size;
    },
  };
}
