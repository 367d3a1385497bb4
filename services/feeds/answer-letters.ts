import type { LogOutput } from '../runtime/log-output.ts';
import { topics } from '../log/topics.ts';
import { settleLetters } from './letters.ts';
import type { PollRun } from './poll.ts';
import type { PublisherDeps } from './publish.ts';

export interface LetterAnswers {
  /** Answers the retries that have come since the last time, or all that wait for an answer. Never to run beside a poll. */
  answer: (which?: 'new' | 'all') => Promise<void>;
  /** The same run, which also answers what has come after each of its questions: history can take hours. */
  betweenQuestions: (run: PollRun) => PollRun;
  /** Calls `onNews` now, since letters may have been waiting, and whenever something is said about the feed's letters, until the signal. */
  follow: (onNews: () => void, signal: AbortSignal) => Promise<void>;
}

/** When a feed answers the dead letters that an operator wants retried: within seconds, and never in the middle of a publishing. */
export function createLetterAnswers(deps: PublisherDeps & { output: LogOutput }): LetterAnswers {
  const { log, feed, publisher, kind, output } = deps;
  let is_news = true;

  const answer: LetterAnswers['answer'] = async (which = 'new') => {
    if (!is_news && which === 'new') return;
    is_news = false;
    try {
      const done = await settleLetters(deps);
      if (Object.values(done).some((count) => count > 0)) {
        output.info({ feed, ...done }, 'dead letters retried');
      }
    } catch (error) {
      is_news = true;
      throw error;
    }
  };

  return {
    answer,
    betweenQuestions: (run) => ({
      ...run,
      settle: async (mode, asked, work) => {
        const settled = await run.settle(mode, asked, work);
        await answer();
        return settled;
      },
    }),
    follow: async (onNews, signal) => {
      const topic = topics.dead_letter.name;
      const from = await log.endOffsets(topic);
      const say = (): void => {
        is_news = true;
        onNews();
      };
      say();
      for await (const page of log.scan(topic, { from, follow: true, signal })) {
        if (page.some(({ key }) => key === feed || key.startsWith(kind.prefix(publisher)))) say();
      }
    },
  };
}
