import { pause } from '../../../services/runtime/clock.ts';
import { ask, type NoAnswer, type StormAnswer } from './answer.ts';
import type { StormQuestion } from './questions.ts';

/** Partners that ask at once; below what the service lets wait, so that capacity alone refuses nobody. */
const askers = 40;

export interface Wave {
  name: string;
  answers: StormAnswer[];
  unanswered: NoAnswer[];
}

export interface Storm {
  /**
   * Asks the next `count` questions. `trouble` begins when a quarter of them has been answered, in the middle of others; what it returns
   * before the wave ends is waited for. The wave is over when every question has ended in one way or another.
   */
  wave: (name: string, count: number, trouble?: (wave: Wave) => Promise<void> | void) => Promise<Wave>;
  waves: readonly Wave[];
}

export function createStorm(base_url: string, questions: readonly StormQuestion[]): Storm {
  const waves: Wave[] = [];
  let next = 0;
  return {
    waves,
    async wave(name, count, trouble = () => undefined) {
      const wave: Wave = { name, answers: [], unanswered: [] };
      waves.push(wave);
      const until = Math.min(questions.length, next + count);
      const strike_after = count / 4;
      let struck: Promise<void> | undefined;
      const ended = (): number => wave.answers.length + wave.unanswered.length;
      const asker = async (): Promise<void> => {
        while (next < until) {
          const question = questions[next];
          next += 1;
          if (question === undefined) return;
          const outcome = await askAccepted(base_url, question);
          if ('status' in outcome) wave.answers.push(outcome);
          else wave.unanswered.push(outcome);
          if (ended() >= strike_after) struck ??= Promise.resolve(trouble(wave));
        }
      };
      await Promise.all(Array.from({ length: askers }, asker));
      await Promise.all([struck]);
      return wave;
    },
  };
}

/** A connection that was refused is no request yet: whoever meets that comes again. */
async function askAccepted(base_url: string, question: StormQuestion): Promise<StormAnswer | NoAnswer> {
  for (;;) {
    const outcome = await ask(base_url, question);
    if ('status' in outcome || outcome.reason !== 'ECONNREFUSED') return outcome;
    await pause(50);
  }
}

/** Resolves when the condition holds; what it throws meanwhile is "not yet". Bounded by the test's own time. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  for (;;) {
    try {
      if (await condition()) return;
    } catch {
      // Not yet: what is asked is being killed.
    }
    await pause(50);
  }
}

/** How many of each status, for the report of a run: `200 ×701, 400 ×100`. */
export function statuses(answers: readonly StormAnswer[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status} ×${count}`)
    .join(', ');
}
