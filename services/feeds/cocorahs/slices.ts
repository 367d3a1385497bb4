import { day_ms, formatDay } from '../../hail/time.ts';
import { daysOf, type Days } from '../days.ts';
import type { ReadSlice } from '../publish.ts';
import { isPast, periodOf } from './question.ts';
import { allStates, stateBox } from './states.ts';

/** How days of observation are cut into slices, which follows from the states that are asked for. */
export interface StateSlices {
  /** The slice that holds a state's reports of a day. */
  nameOf: (state: string, day: number) => string;
  /** Every slice of a day. */
  names: (day: number) => string[];
  /** The slices of a question; `read` are the states that were answered. */
  of: (days: Days, answer: SliceAnswer) => ReadSlice[];
}

export interface SliceAnswer {
  read: ReadonlySet<string>;
  now: number;
  /** True when a slice was read completely before. */
  wasRead: (slice: string) => boolean;
}

/**
 * With every state, a day of the whole country is one slice, the whole truth once all states were read; its region is everywhere. With some
 * of them each state has its own, and its region is the box around the state: a place near a border may then lie in the box although
 * part of its circle lies in a state that is not read, and a circle that crosses the box's edge is in no region. Boxes are all that coverage knows.
 */
export function slicesOfStates(states: readonly string[]): StateSlices {
  const is_national = allStates.every((state) => states.includes(state));
  const regions = is_national ? ['US'] : states;
  const nameOf = (region: string, day: number): string => `${formatDay(day)}@${region}`;
  return {
    nameOf: (state, day) => nameOf(is_national ? 'US' : state, day),
    names: (day) => regions.map((region) => nameOf(region, day)),
    of: (days, { read, now, wasRead }) => {
      const is_whole = states.every((state) => read.has(state));
      const answered = is_national ? regions : regions.filter((state) => read.has(state));
      return answered.flatMap((region) =>
        daysOf(days).map((day) => ({
          slice: nameOf(region, day),
          ...periodOf(day, {
            after: day > days.from || wasRead(nameOf(region, day - day_ms)),
            before: wasRead(nameOf(region, day + day_ms)),
          }),
          box: is_national ? null : stateBox(region),
          publisher_version: null,
          complete: (!is_national || is_whole) && isPast(day, now),
        })),
      );
    },
  };
}
