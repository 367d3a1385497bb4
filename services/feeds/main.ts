import { pause, systemClock } from '../runtime/clock.ts';
import { readConfig } from '../runtime/config.ts';
import { isTransient } from '../runtime/errors.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogOutput } from '../runtime/log-output.ts';
import { createCodec } from '../log/codec.ts';
import { openLog } from '../log/open-log.ts';
import { createHostQueue } from './host-queue.ts';
import { stormEvents } from './noaa_sed/feed.ts';
import { createFeedRunner } from './runner.ts';
import { radarHail } from './swdi/feed.ts';

const output = createLogOutput('feeds');

await runProcess(output, async ({ signal, onStop }) => {
  const config = readConfig();
  const feeds = [stormEvents(config), radarHail(config)];

  const log = await openLog(config);
  onStop({ name: 'log', stop: () => log.close() });
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
  for (;;) {
    try {
      await codec.registerAll();
      break;
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      output.warn('waiting for the schema registry');
      await pause(500, signal);
    }
  }

  const deps = { log, codec, clock: systemClock, output, queue: createHostQueue() };
  const runners = await Promise.all(feeds.map((feed) => createFeedRunner(deps, feed, { config, signal })));
  for (const runner of runners) onStop({ name: 'feed', stop: () => runner.close() });
  output.info({ feeds: feeds.map(({ feed }) => feed) }, 'ready');
  await Promise.all(runners.map((runner) => runner.run()));
});
