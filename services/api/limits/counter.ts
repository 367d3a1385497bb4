import type { Config } from '../../runtime/config.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { ProcessContext } from '../../runtime/lifecycle.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import { createSharedCounter } from './shared-counter.ts';
import { createMemoryCounter, type WindowCounter } from './window-counter.ts';

/**
 * The counter by configuration: shared by all processes of one Redis where `REDIS_URL` is set, else of this process alone. Resolves when
 * Redis can be counted in or has failed to answer once; a start does not wait for it longer.
 */
export async function openCounter(
  config: Pick<Config, 'REDIS_URL'>,
  output: LogOutput,
  { onStop }: Pick<ProcessContext, 'onStop'>,
): Promise<WindowCounter> {
  if (config.REDIS_URL === undefined) return createMemoryCounter();
  const counter = createSharedCounter({ clock: systemClock, output }, { redis_url: config.REDIS_URL });
  onStop({ name: 'Redis', stop: counter.close });
  await counter.tried;
  return counter;
}
