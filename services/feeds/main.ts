import { resolve } from 'node:path';
import { answerAboutItself } from '../runtime/check-config.ts';
import { createClock, systemClock } from '../runtime/clock.ts';
import { readConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogOutput } from '../runtime/log-output.ts';
import { createPatience } from '../runtime/patience.ts';
import { createCodec } from '../log/codec.ts';
import { logSettings } from '../log/check-settings.ts';
import { openLog } from '../log/open-log.ts';
import { allFeeds } from './all-feeds.ts';
import { feedSettings } from './check-settings.ts';
import { createDocumentKeeper } from './documents/keeper.ts';
import { createHostQueue } from './host-queue.ts';
import { createFeedRunner } from './runner.ts';

answerAboutItself('feeds', { checks: [feedSettings, logSettings] });
const output = createLogOutput('feeds');

await runProcess(output, async ({ signal, onStop }) => {
  const config = readConfig();
  const feeds = allFeeds(config);

  const patiently = createPatience({ clock: systemClock, output }, signal);
  const log = await patiently('log', () => openLog(config));
  onStop({ name: 'log', stop: () => log.close() });
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
  await patiently('registry', () => codec.registerAll());

  const documents = createDocumentKeeper({ output }, { data_dir: resolve(config.HAILMARK_DATA_DIR), config });
  const deps = { log, codec, clock: createClock(config), output, queue: createHostQueue(), documents };
  const options = { config, signal, timeout_ms: config.FEEDS_TIMEOUT_MS };
  const runners = await Promise.all(feeds.map((feed) => createFeedRunner(deps, feed, options)));
  for (const runner of runners) onStop({ name: 'feed', stop: () => runner.close() });
  output.info({ feeds: feeds.map(({ feed }) => feed) }, 'ready');
  await Promise.all(runners.map((runner) => runner.run()));
});
