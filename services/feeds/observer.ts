import type { FeedPollFact, PollFailure } from '../log/facts.ts';
import type { EventLog } from '../log/event-log.ts';

/** What feeds tell of their work, for the operations pages. Called in the middle of the work: it must be quick and never throw. */
export interface FeedObserver {
  /** The feed's loop goes on: it is idle, or its work has made a step. */
  ticked: (feed: string) => void;
  /** A question to the publisher has its poll fact in the log. */
  settled: (poll: Pick<FeedPollFact, 'feed' | 'mode' | 'outcome' | 'reason'> & { span_ms: number }) => void;
  /** A poll by schedule is over, with the reasons of the questions that failed. */
  polled: (feed: string, failures: readonly PollFailure[]) => void;
  /** Messages that stand in the log now. */
  appended: (feed: string, topic: string, messages: number) => void;
}

/** The log as one feed sees it: what it appends is told, and so is that a long reading goes on. */
export function observedLog(log: EventLog, feed: string, observer: FeedObserver): EventLog {
  return {
    ...log,
    append: async (topic, messages, owner) => {
      const appended = await log.append(topic, messages, owner);
      observer.appended(feed, topic, messages.length);
      return appended;
    },
    scan: (topic, options) => ticking(log.scan(topic, options), () => observer.ticked(feed)),
  };
}

async function* ticking<T>(pages: AsyncIterable<T>, tick: () => void): AsyncGenerator<T> {
  for await (const page of pages) {
    tick();
    yield page;
  }
}
