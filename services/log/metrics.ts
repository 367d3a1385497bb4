import { isHailmarkError } from '../runtime/errors.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { EventLog } from './event-log.ts';
import { topics } from './topics.ts';

export interface LogMetrics {
  /** The log with every append of it watched. */
  watched: (log: EventLog) => EventLog;
}

/**
 * Whether a process reaches its log: it says where a topic ends when a scrape asks, and took the last append. A log that can be read but not
 * written is not up. To be made before there is a log.
 */
export function createLogMetrics(metrics: Metrics): LogMetrics {
  const up = metrics.gauge(
    'log_up',
    '1 while the log answers, asked at each scrape, and takes what is appended.',
    [],
  );
  up.set({}, 0);
  return {
    watched: (log) => {
      let is_refusing = false;
      metrics.atScrape(
        'log',
        () => log.endOffsets(topics.feed_poll.name),
        (ends) => up.set({}, ends !== null && !is_refusing ? 1 : 0),
      );
      return {
        ...log,
        append: async (topic, messages, owner) => {
          try {
            const appended = await log.append(topic, messages, owner);
            is_refusing = false;
            return appended;
          } catch (error) {
            if (isHailmarkError(error, 'HAIL_LOG_UNAVAILABLE')) is_refusing = true;
            throw error;
          }
        },
      };
    },
  };
}
