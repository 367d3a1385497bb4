import { day_ms, formatDay, parseDay } from '../../hail/time.ts';
import type { Problem } from '../errors/api-error.ts';
import type { SentValues } from './check.ts';

const first_day = '1950-01-01';

/** The bounds of a day, `YYYY-MM-DD`, both inclusive; days compare as text. Says nothing of what is missing or no day at all. */
export function dayProblems(values: SentValues, parameter: string, last_day: string): Problem[] {
  const value = values.get(parameter);
  if (value === undefined || parseDay(value) === null) return [];
  if (value < first_day) return [{ parameter, message: `must be ${first_day} or later` }];
  if (value > last_day) return [{ parameter, message: `must be ${last_day} or earlier` }];
  return [];
}

/** Tomorrow, UTC: where it is already the next day for somebody, a loss may be dated by it. */
export function tomorrow(now_ms: number): string {
  return formatDay(now_ms + day_ms);
}
