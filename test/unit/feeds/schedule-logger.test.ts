import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scheduleLogger } from '../../../services/feeds/schedule-logger.ts';
import type { LogOutput } from '../../../services/runtime/log-output.ts';

describe('the schedule of a feed', () => {
  it('speaks in log lines: what is ordinary for who looks closely, a failure for everybody', () => {
    const lines: unknown[][] = [];
    const write =
      (level: string) =>
      (fields: object, message: string): void =>
        void lines.push([level, fields, message]);
    const output = { debug: write('debug'), error: write('error') } as unknown as LogOutput;
    const logger = scheduleLogger(output, 'nws_alerts');
    logger.warn('task still running');
    const error = new Error('NOT REAL');
    logger.error(error);
    assert.deepEqual(lines, [
      ['debug', { feed: 'nws_alerts', said: 'task still running' }, 'schedule'],
      ['error', { feed: 'nws_alerts', err: error, said: 'Error: NOT REAL' }, 'the schedule of a feed failed'],
    ]);
  });
});
