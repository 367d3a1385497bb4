import { resolve } from 'node:path';
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
import { allFeeds } from './all-feeds.ts';
import { feedSettings } from './check-settings.ts';
import { createDocumentKeeper } from './documents/keeper.ts';
import { createHostQueue } from './host-queue.ts';
import { createFeedMetrics } from './metrics.ts';
import { createFeedRunner } from './runner.ts';

answerAboutItself('feeds', { checks: [feedSettings, logSettings] });
const output = createLogOutput('feeds');

await runProcess(output, async (context) => {
  const { signal, onStop } = context;
  const config = readConfig();
  const feeds = allFeeds(config);
  const ops = await startOps(
    context,
    { config, output },
    { process: 'feeds', setting: 'FEEDS_OPS_PORT', checks: ['log', 'registry', 'feeds'] },
  );
  const { readiness } = ops;
  const metrics = createFeedMetrics(ops, feeds, config);
  const { observer, onWait } = metrics;

  const patiently = createPatience({ clock: systemClock, output, onWait }, signal);
  const log = metrics.log.watched(await patiently('log', () => openLog(config)));
  onStop({ name: 'log', stop: () => log.close() });
  readiness.set('log', async () => (await log.endOffsets(topics.feed_poll.name)).length > 0);
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
  await patiently('registry', () => codec.registerAll());
  readiness.set('registry', () => true);

  const documents = createDocumentKeeper({ output }, { data_dir: resolve(config.HAILMARK_DATA_DIR), config });
  const clock = createClock(config);
  const deps = { log, codec, clock, output, queue: createHostQueue(), documents, observer, onWait };
  const options = { config, signal, timeout_ms: config.FEEDS_TIMEOUT_MS };
  const runners = await Promise.all(
    feeds.map(async (feed) => ({ feed: feed.feed, runner: await createFeedRunner(deps, feed, options) })),
  );
  for (const { runner } of runners) onStop({ name: 'feed', stop: () => runner.close() });
  metrics.read(runners);
  readiness.set('feeds', () => true);
  output.info({ feeds: runners.map(({ feed }) => feed), ops_port: ops.port }, 'ready');
  await Promise.all(runners.map(({ runner }) => runner.run()));
});
