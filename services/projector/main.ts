import { answerAboutItself } from '../runtime/check-config.ts';
import { createClock, systemClock } from '../runtime/clock.ts';
import { readConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogOutput } from '../runtime/log-output.ts';
import { startOps } from '../runtime/ops-server.ts';
import { createPatience } from '../runtime/patience.ts';
import { createCodec } from '../log/codec.ts';
import { logSettings } from '../log/check-settings.ts';
import { openLog } from '../log/open-log.ts';
import { topics } from '../log/topics.ts';
import { createStore } from '../store/store.ts';
import { createDeadLetters } from './dead-letters.ts';
import { createProjectorMetrics } from './metrics.ts';
import { prepareStore, viewOptions } from './prepare.ts';
import { runVersions } from './versions.ts';

answerAboutItself('projector', { checks: [logSettings] });
const output = createLogOutput('projector');

await runProcess(output, async (context) => {
  const { signal, onStop } = context;
  const config = readConfig();
  // The store's own books compare times of several processes and stay on the real clock; only facts are dated by the service's.
  const clock = systemClock;
  const ops = await startOps(
    context,
    { config, output },
    {
      process: 'projector',
      setting: 'PROJECTOR_OPS_PORT',
      checks: ['log', 'registry', 'store', 'projections'],
    },
  );
  const { readiness } = ops;
  const metrics = createProjectorMetrics(ops, clock);
  const patiently = createPatience({ clock, output, onWait: metrics.onWait }, signal);

  const log = metrics.log.watched(await patiently('log', () => openLog(config)));
  onStop({ name: 'log', stop: () => log.close() });
  readiness.set('log', async () => (await log.endOffsets(topics.feed_poll.name)).length > 0);
  const store = metrics.store.measured(createStore(config, { timeout_ms: 120_000 }));
  onStop({ name: 'store', stop: () => store.close() });
  readiness.set('store', () => store.ping());
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
  await patiently('registry', () => codec.registerAll());
  readiness.set('registry', () => true);
  await patiently('store', () => prepareStore(config, store, clock));

  const { observer } = metrics;
  const dead_letters = createDeadLetters({
    ...{ log, codec, output, onLetter: observer.letter },
    clock: createClock(config),
  });
  metrics.read({ log, store, dead_letters });
  const versions = await runVersions(
    { log, codec, store, dead_letters, clock, output, patiently, observer },
    { batch_messages: config.PROJECTOR_BATCH_MESSAGES, signal, views: viewOptions(config) },
  );
  onStop({ name: 'projections', stop: versions.leave });
  readiness.set('projections', () => true);
  output.info({ ops_port: ops.port }, 'ready');
  await versions.done;
});
