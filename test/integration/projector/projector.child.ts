import { pathToFileURL } from 'node:url';
import { createCodec } from '../../../services/log/codec.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { createDeadLetters } from '../../../services/projector/dead-letters.ts';
import { createPatience } from '../../../services/runtime/patience.ts';
import { prepareStore } from '../../../services/projector/prepare.ts';
import { runVersions } from '../../../services/projector/versions.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { runProcess } from '../../../services/runtime/lifecycle.ts';
import { createLogOutput } from '../../../services/runtime/log-output.ts';
import { createStore } from '../../../services/store/store.ts';

/**
 * The projector of `services/projector/main.ts` over a log that a module opens, killed by its own hand after a given step of a given batch,
 * of any version or of the one named (`observations.v2/rows`). Says `step` on standard output after its first step.
 */
const output = createLogOutput('projector-child', 'silent');
const [fatal_step = '', survived = '0'] = (process.env['TEST_DIE_AFTER'] ?? '').split(':');
const { module, connection } = JSON.parse(process.env['TEST_LOG'] ?? '') as {
  module: string;
  connection: string;
};
const { openTwin } = (await import(pathToFileURL(module).href)) as {
  openTwin: (connection: string) => Promise<EventLog>;
};

await runProcess(output, async ({ signal, onStop }) => {
  const config = readConfig();
  const clock = systemClock;
  const patiently = createPatience({ clock, output }, signal);
  const log = await patiently('log', () => openTwin(connection));
  onStop({ name: 'log', stop: () => log.close() });
  const store = createStore(config, { timeout_ms: 30_000 });
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
  await patiently('registry', () => codec.registerAll());
  await patiently('store', () => prepareStore(config, store, clock));
  const dead_letters = createDeadLetters({ log, codec, clock, output });
  let steps = 0;
  let said = false;
  const afterStep = (step: string, version: string): void => {
    const is_fatal = step === fatal_step || `${version}/${step}` === fatal_step;
    if (is_fatal && ++steps > Number(survived)) process.kill(process.pid, 'SIGKILL');
    if (!said) process.stdout.write('step\n');
    said = true;
  };
  const versions = await runVersions(
    { log, codec, store, dead_letters, clock, output, patiently, afterStep },
    { batch_messages: config.PROJECTOR_BATCH_MESSAGES, signal, look_ms: 100 },
  );
  await versions.done;
});
