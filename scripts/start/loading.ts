import { pause } from '../../services/runtime/clock.ts';
import { isTransient } from '../../services/runtime/errors.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { readPositions } from '../../services/store/positions.ts';
import { readProjections, servingVersion } from '../../services/store/projections.ts';
import { createStore, isMissingTable, type Store } from '../../services/store/store.ts';
import type { Service } from './service.ts';

const look_ms = 250;
const report_ms = 2_000;

/**
 * Resolves when every feed has settled its first poll and all that stands in the log can be queried. Says every two seconds how far it is.
 */
export async function untilQueryable(service: Service, say: (text: string) => void): Promise<void> {
  const log = await openLog(service.config);
  const store = createStore(service.config);
  const feeds = { polled: false };
  void service.first_polls.then(() => {
    feeds.polled = true;
  });
  try {
    let reported_at = 0;
    for (;;) {
      // Asked before the ends are read: what a feed publishes later is not waited for, what it published before is.
      const all_read = feeds.polled;
      const published = await publishedIn(log);
      const queryable = await reached(store);
      const done = all_read && published !== null && queryable >= published;
      if (published !== null && (done || Date.now() - reported_at >= report_ms)) {
        const state = all_read ? 'all feeds read' : 'reading';
        say(`${state}: ${count(published)} facts in the log, ${count(queryable)} queryable`);
        reported_at = Date.now();
      }
      if (done) return;
      await Promise.race([pause(look_ms), service.failure]);
    }
  } finally {
    await store.close();
    await log.close();
  }
}

/** How many facts stand in the topics that the views are made of; null while the log is away, which the processes wait for as well. */
async function publishedIn(log: EventLog): Promise<number | null> {
  try {
    let total = 0;
    for (const { name } of [topics.observation, topics.grid, topics.alert, topics.feed_poll])
      total += sum(await log.endOffsets(name));
    return total;
  } catch (error) {
    if (isTransient(error)) return null;
    throw error;
  }
}

/** How many facts the serving projections have passed; 0 while there are no tables yet. */
async function reached(store: Store): Promise<number> {
  try {
    const versions = await readProjections(store);
    let total = 0;
    for (const projection of ['observations', 'alerts', 'feeds']) {
      const version = servingVersion(versions, projection);
      if (version === null) continue;
      total += sum((await readPositions(store, projection, version)).map(({ next_offset }) => next_offset));
    }
    return total;
  } catch (error) {
    if (isMissingTable(error) || isTransient(error)) return 0;
    throw error;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
