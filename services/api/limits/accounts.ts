import { pause, type Clock } from '../../runtime/clock.ts';
import type { Config } from '../../runtime/config.ts';
import type { ProcessContext } from '../../runtime/lifecycle.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { Patiently } from '../../runtime/patience.ts';
import type { Codec } from '../../log/codec.ts';
import type { EventLog } from '../../log/event-log.ts';
import { topics } from '../../log/topics.ts';
import type { Store } from '../../store/store.ts';
import { createUsage, type Usage } from '../usage/usage.ts';
import { openCounter } from './counter.ts';
import { continueDay } from './day-counts.ts';
import { createLimiter, type Limiter } from './limiter.ts';

/** A start waits so long for the store's counts of the day; without the store the API starts all the same. */
const store_patience_ms = 2_000;

/**
 * What is kept of each key's requests: the limits that they count against and the usage facts that say so later. The day goes on where it
 * stood before a restart. The log's end is asked for before the first request, so that a process's own facts are not counted twice.
 */
export async function openAccounts(
  deps: {
    log: EventLog;
    codec: Codec;
    store: Store;
    /** Runs on also where the answers' clock is held. */
    wall_clock: Clock;
    output: LogOutput;
    patiently: Patiently;
    onTurn: () => void;
  },
  config: Pick<Config, 'REDIS_URL'>,
  context: Pick<ProcessContext, 'signal' | 'onStop'>,
): Promise<{ usage: Usage; limiter: Limiter }> {
  const { log, codec, store, wall_clock, output, patiently, onTurn } = deps;
  const ends = await patiently('log', () => log.endOffsets(topics.api_request.name));
  const usage = createUsage({ log, codec, output, onTurn });
  context.onStop({ name: 'usage', stop: usage.stop });
  const counter = await openCounter(config, output, context);
  const limiter = createLimiter({ counter, clock: wall_clock });
  const continued = continueDay(
    { log, codec, store, limiter, output },
    { ends, now_ms: wall_clock() },
    context.signal,
  );
  await Promise.race([continued, pause(store_patience_ms, context.signal)]);
  return { usage, limiter };
}
