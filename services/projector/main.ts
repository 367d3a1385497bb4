import { answerAboutItself } from '../runtime/check-config.ts';
import { createClock, systemClock } from '../runtime/clock.ts';
import { readConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogOutput } from '../runtime/log-output.ts';
import { createCodec } from '../log/codec.ts';
import { logSettings } from '../log/check-settings.ts';
import { openLog } from '../log/open-log.ts';
import { createStore } from '../store/store.ts';
import { createDeadLetters } from './dead-letters.ts';
import { createPatience } from '../runtime/patience.ts';
import { prepareStore } from './prepare.ts';
import { runVersions } from './versions.ts';

answerAboutItself('projector', { checks: [logSettings] });
const output = createLogOutput('projector');

await runProcess(output, async ({ signal, onStop }) => {
  const config = readConfig();
  // The store's own books compare times of several processes and stay on the real clock; only facts are dated by the service's.
  const clock = systemClock;
  const patiently = createPatience({ clock, output }, signal);
  const log = await patiently('log', () => openLog(config));
  onStop({ name: 'log', stop: () => log.close() });
  const store = createStore(config, { timeout_ms: 120_000 });
  onStop({ name: 'store', stop: () => store.close() });
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
  await patiently('registry', () => codec.registerAll());
  await patiently('store', () => prepareStore(config, store, clock));

  const dead_letters = createDeadLetters({ log, codec, clock: createClock(config), output });
  const versions = await runVersions(
    { log, codec, store, dead_letters, clock, output, patiently },
    { batch_messages: config.PROJECTOR_BATCH_MESSAGES, signal },
  );
  onStop({ name: 'projections', stop: versions.leave });
  output.info('ready');
  await versions.done;
});
