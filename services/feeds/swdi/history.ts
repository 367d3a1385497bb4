import { formatDay } from '../../hail/time.ts';
import type { Box } from '../../log/facts.ts';
import { stretches } from '../days.ts';
import type { HistoryPart } from '../feed.ts';
import type { PollRun } from '../poll.ts';
import type { Asking, createAsker } from './ask.ts';
import type { DatasetPeriod } from './catalogue.ts';
import { holds, sliceName } from './slices.ts';

/** Days of the past as the inventory can answer for them. */
export interface PlannedDays {
  /** One part for each calendar month with days inside of the inventory, ascending. */
  parts: HistoryPart[];
  /** Days that the inventory does not hold, or may still be filling: asked for they would be answered with no hail, so they are not asked. */
  outside: number[];
}

/**
 * How days of the past are read, whether configured as history or asked for by an operator. A day that has been read completely, in this
 * box or as part of the `configured` one, is not asked again.
 */
export function planDays(
  run: PollRun,
  days: readonly number[],
  period: DatasetPeriod,
  { box, configured, askAll }: { box: Box; configured: Box } & ReturnType<typeof createAsker>,
): PlannedDays {
  const boxes = holds(configured, box) ? [box, configured] : [box];
  const isRead = (day: number): boolean => boxes.some((each) => run.index.isSettled(sliceName(day, each)));
  const asking: Asking = { mode: 'backfill', box, whole_until: period.ends_ms, readThrough: () => null };
  const isInside = (day: number): boolean => day >= period.begins_ms && day < period.ends_ms;

  const parts = [...Map.groupBy(days.filter(isInside), (day) => formatDay(day).slice(0, 7))].map(
    ([month, of_month]): HistoryPart => {
      const unread = (): number[] => of_month.filter((day) => !isRead(day));
      return {
        name: month,
        requests: stretches(unread()).length,
        bytes: null,
        isRead: () => unread().length === 0,
        read: (reading_run) => askAll(reading_run, unread(), asking),
      };
    },
  );
  return { parts, outside: days.filter((day) => !isInside(day)) };
}

/** The part that says, as a poll fact, which days of a wish were not asked for; there is nothing to read in it. */
export function outsidePart(outside: readonly number[], asked: string): HistoryPart {
  const text = stretches(outside)
    .map(({ from, until }) => `${formatDay(from)}/${formatDay(until)}`)
    .join(', ');
  return {
    name: `outside of the inventory: ${text}`,
    requests: 0,
    bytes: 0,
    // Never done: it can only be said, and a resumed backfill says it again.
    isRead: () => false,
    read: async (run) => {
      const detail = `Days outside of the inventory, not asked: ${text}.`;
      await run.settle('backfill', asked, () =>
        Promise.resolve({ outcome: 'not_modified', read_through: null, detail }),
      );
    },
  };
}
