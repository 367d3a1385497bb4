import { createCodec } from '../../../services/log/codec.ts';
import { createSqliteLog } from '../../../services/log/sqlite/sqlite-log.ts';
import { createDeadLetters } from '../../../services/projector/dead-letters.ts';
import { createPatience } from '../../../services/runtime/patience.ts';
import { prepareStore } from '../../../services/projector/prepare.ts';
import { runVersions } from '../../../services/projector/versions.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { runProcess } from '../../../services/runtime/lifecycle.ts';
import { createLogOutput } from '../../../services/runtime/log-output.ts';
import { createStore } from '../../../services/store/store.ts';

/** The projector of `services/projector/main.ts` over a given log folder, killed by its own hand after a given step of a given batch. */
const output = createLogOutput('projector-child', 'silent');
const [fatal_step = '', survived = '0'] = (process.env['TEST_DIE_AFTER'] ?? '').split(':');

await runProcess(output, async ({ signal, onStop }) => {
  const config = readConfig();
  const clock = systemClock;
  const log = await createSqliteLog({ folder: process.env['TEST_LOG_FOLDER'] ?? '' });
  onStop({ name: 'log', stop: () => log.close() });
  const store = createStore(config, { timeout_ms: 30_000 });
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
  const patiently = createPatience({ clock, output }, signal);
  await patiently('registry', () => codec.registerAll());
  await patiently('store', () => prepareStore(config, store, clock));
  const dead_letters = createDeadLetters({ log, codec, clock, output });
  let steps = 0;
  const afterStep = (step: string): void => {
    if (step === fatal_step && ++steps > Number(survived)) process.kill(process.pid, 'SIGKILL');
  };
  const versions = await runVersions(
    { log, codec, store, dead_letters, clock, output, patiently, afterStep },
    { batch_messages: config.PROJECTOR_BATCH_MESSAGES, signal, look_ms: 100 },
  );
  await versions.done;
});
