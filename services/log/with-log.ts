import type { Config } from '../runtime/config.ts';
import { createCodec, type Codec } from './codec.ts';
import type { EventLog } from './event-log.ts';
import { openLog } from './open-log.ts';

/**
 * The log and the codec of the configuration for one piece of work, as a command does it: schemas are registered before, so that it may
 * write, and the log is closed after, whatever became of the work. A process has its own way: it waits for what is away.
 */
export async function withLog<T>(
  config: Config,
  work: (facts: { log: EventLog; codec: Codec }) => Promise<T>,
): Promise<T> {
  const log = await openLog(config);
  try {
    const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
    await codec.registerAll();
    return await work({ log, codec });
  } finally {
    await log.close();
  }
}
