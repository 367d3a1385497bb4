import assert from 'node:assert/strict';
import type { Feed, HistoryPart, Period } from '../../../services/feeds/feed.ts';
import type { PollRun } from '../../../services/feeds/poll.ts';
import type { FeedBench } from './bench.ts';

/** Plans a period in a run of the bench's own, in a poll's place, and hands the parts to `use` while that run lasts. */
export async function withPlan<T>(
  bench: FeedBench,
  feed: Feed,
  period: Period,
  use: (parts: HistoryPart[], run: PollRun) => Promise<T>,
): Promise<T> {
  const used: { value: T }[] = [];
  const planning: Feed = {
    ...feed,
    poll: async (run) => {
      assert.ok(feed.plan !== undefined, 'the feed plans its history');
      used.push({ value: await use(await feed.plan(run, period), run) });
    },
    history: () => Promise.resolve(),
  };
  await bench.poll(planning);
  const [first] = used;
  assert.ok(first !== undefined && used.length === 1);
  return first.value;
}

/** What a plan says of its parts, before and without reading any. */
export function planOf(bench: FeedBench, feed: Feed, period: Period): Promise<HistoryPart[]> {
  return withPlan(bench, feed, period, (parts) => Promise.resolve(parts));
}
