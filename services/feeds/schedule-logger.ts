import type { LogOutput } from '../runtime/log-output.ts';

/** What node-cron tells of a schedule; the type of its option, which it does not export. */
export interface ScheduleLogger {
  info: (message: string) => void;
  warn: (message: string) => void;
  error: (message: string | Error, error?: Error) => void;
  debug: (message: string | Error, error?: Error) => void;
}

/**
 * The words of the schedule as log lines of the process. Its warnings are ordinary: a poll that takes longer than its interval is let
 * finish, and a machine that slept has missed some. The next poll reads what they would have read.
 */
export function scheduleLogger(output: LogOutput, feed: string): ScheduleLogger {
  const say = (message: string | Error, error?: Error): void => {
    const err = message instanceof Error ? message : error;
    output.debug({ feed, ...(err === undefined ? {} : { err }), said: String(message) }, 'schedule');
  };
  return {
    ...{ info: say, warn: say, debug: say },
    error: (message, error) => {
      const err = message instanceof Error ? message : error;
      output.error({ feed, err, said: String(message) }, 'the schedule of a feed failed');
    },
  };
}
