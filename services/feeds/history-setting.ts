import { parseDay } from '../hail/time.ts';
import { HailmarkError } from '../runtime/errors.ts';
import type { Days } from './days.ts';

/**
 * A `*_HISTORY` setting, `2011-05-24/2011-05-25,2026-08-27/2026-08-30`, as stretches of days, the last day exclusive. `setting` is the
 * variable's name, for the sentence that an operator reads when it is wrong (`HAIL_CONFIG`).
 */
export function parseHistory(setting: string, text: string): Days[] {
  return text
    .split(',')
    .filter((period) => period.trim() !== '')
    .map((period) => {
      const [first = '', last = '', ...more] = period.trim().split('/');
      const [from, until] = [parseDay(first), parseDay(last)];
      if (from !== null && until !== null && from < until && more.length === 0) return { from, until };
      throw new HailmarkError(
        'HAIL_CONFIG',
        `${setting} must be periods FIRST/LAST of days, last exclusive, separated by commas: 2011-05-24/2011-05-25.`,
      );
    });
}
