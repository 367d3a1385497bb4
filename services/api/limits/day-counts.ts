import { day_ms } from '../../hail/time.ts';
import { isTransient } from '../../runtime/errors.ts';
import { pause } from '../../runtime/clock.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { Codec } from '../../log/codec.ts';
import type { EventLog } from '../../log/event-log.ts';
import { topics } from '../../log/topics.ts';
import { countedRequests, countsAgainstLimits } from '../../store/api_requests/query.ts';
import type { Store } from '../../store/store.ts';
import { utcDay, type Limiter } from './limiter.ts';

const topic = topics.api_request.name;
const retry_ms = 1_000;

export interface DayCountDeps {
  log: EventLog;
  codec: Codec;
  store: Store;
}

/**
 * What each key had used of the UTC day of `now_ms` by the facts before `ends`: from the view as far as that has come, from the log where
 * the projector is behind. Ends taken before the first request of a process leave its own facts out.
 */
export async function countsOfDay(
  { log, codec, store }: DayCountDeps,
  ends: readonly number[],
  now_ms: number,
): Promise<Map<string, number>> {
  const from_ms = Math.floor(now_ms / day_ms) * day_ms;
  const until_ms = from_ms + day_ms;
  const { counts, passed } = await countedRequests(store, { id: log.id, ends }, { from_ms, until_ms });
  // A batch whose append was not confirmed stands twice in the log.
  const seen = new Set<string>();
  for await (const page of log.scan(topic, { from: passed, until: ends })) {
    for (const { value } of page) {
      const decoded = await codec.decode(topic, value);
      if (decoded.outcome !== 'ok') continue;
      const { request_id, key_id, status, at } = decoded.fact;
      if (at < from_ms || at >= until_ms || !countsAgainstLimits(status) || seen.has(request_id)) continue;
      seen.add(request_id);
      counts.set(key_id, (counts.get(key_id) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Lets the day go on where it stood when the service was restarted. While the store or the registry is away it is tried again; until then
 * the day counts from this process's beginning. Resolves when it is done, or when `signal` aborts.
 */
export async function continueDay(
  deps: DayCountDeps & { limiter: Limiter; output: LogOutput },
  at: { ends: readonly number[]; now_ms: number },
  signal: AbortSignal,
): Promise<void> {
  let is_told = false;
  while (!signal.aborted) {
    try {
      const counts = await countsOfDay(deps, at.ends, at.now_ms);
      await deps.limiter.beginDay(utcDay(at.now_ms), counts);
      deps.output.info({ keys: counts.size }, 'the counts of the day go on');
      return;
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (!is_told) deps.output.warn({ err: error }, 'the counts of the day cannot be read yet');
      is_told = true;
      await pause(retry_ms, signal);
    }
  }
}
