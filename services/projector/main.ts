import { pause, systemClock } from '../runtime/clock.ts';
import { readConfig } from '../runtime/config.ts';
import { isTransient } from '../runtime/errors.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogOutput } from '../runtime/log-output.ts';
import { createCodec } from '../log/codec.ts';
import { openLog } from '../log/open-log.ts';
import { createStore } from '../store/store.ts';
import { openDeadLetters } from './dead-letters.ts';
import { runProjection } from './loop.ts';
import { prepareStore } from './prepare.ts';

const output = createLogOutput('projector');

await runProcess(output, async ({ signal, onStop }) => {
  const config = readConfig();
  const log = await openLog(config);
  onStop({ name: 'log', stop: () => log.close() });
  const store = createStore(config, { timeout_ms: 120_000 });
  onStop({ name: 'store', stop: () => store.close() });
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });

  const untilThere = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error) || signal.aborted) throw error;
        output.warn({ what }, 'waiting');
        await pause(500, signal);
      }
    }
  };
  await untilThere('registry', () => codec.registerAll());
  const projections = await untilThere('store', () => prepareStore(config, store, systemClock));
  const dead_letters = await openDeadLetters({ log, codec, clock: systemClock });

  const deps = { log, codec, store, dead_letters, clock: systemClock, output };
  const options = { batch_messages: config.PROJECTOR_BATCH_MESSAGES, signal };
  const members = await Promise.all(
    projections.map((projection) => runProjection(deps, projection, options)),
  );
  onStop({
    name: 'projections',
    stop: async () => {
      for (const member of members) await member.leave();
    },
  });
  output.info({ projections: projections.map(({ name, version }) => `${name}.v${version}`) }, 'ready');
  await Promise.all(members.map(({ done }) => done));
});
