import { resolve } from 'node:path';
import { answerAboutItself } from '../../services/runtime/check-config.ts';
import { dataFolder, readConfig } from '../../services/runtime/config.ts';
import { listen } from '../../services/runtime/http-server.ts';
import { runProcess } from '../../services/runtime/lifecycle.ts';
import { createLogOutput } from '../../services/runtime/log-output.ts';
import { startOps } from '../../services/runtime/ops-server.ts';
import { createEngine } from './gateway/engine.ts';
import { createGateway } from './gateway/server.ts';
import { measuredEngine } from './metrics.ts';
import { createRegistry } from './registry/registry.ts';
import { createRegistryServer } from './registry/server.ts';
import { openJournal } from './registry/store.ts';

// Read by libuv at its first use: one thread for each query that may run at once, and some for files.
process.env['UV_THREADPOOL_SIZE'] = '16';

const host = '127.0.0.1';
answerAboutItself('local', { checks: [] });
const log = createLogOutput('local');

await runProcess(log, async (context) => {
  const config = readConfig();
  const ops = await startOps(
    context,
    { config, output: log },
    { process: 'local', setting: 'LOCAL_OPS_PORT', checks: ['registry', 'engine'] },
  );
  const data = resolve(config.HAILMARK_DATA_DIR);
  const journal = openJournal(dataFolder(resolve(data, 'registry')));
  context.onStop({ name: 'registry journal', stop: () => journal.close() });
  if (journal.torn_bytes > 0) {
    const { torn_bytes } = journal;
    log.warn(
      { torn_bytes },
      'the registry journal ended in a line that was never acknowledged; it is cut off',
    );
  }
  const registry = createRegistryServer(createRegistry(journal));
  const registry_port = await listen(context, registry, {
    host,
    port: config.REGISTRY_PORT,
    setting: 'REGISTRY_PORT',
  });
  ops.readiness.set('registry', () => registry.listening);

  const opened = createEngine({
    folder: dataFolder(resolve(data, 'clickhouse')),
    lanes: { services: { parallel: 8, waiting: 500 }, people: { parallel: 2, waiting: 50 } },
    max_memory_bytes: 2_000_000_000,
    max_total_memory_bytes: 4_000_000_000,
    max_result_bytes: 256 * 1024 * 1024,
    max_threads: 2,
  });
  context.onStop({ name: 'engine', stop: () => opened.close() });
  const engine = measuredEngine(opened, ops);
  const gateway = createGateway(engine, {
    max_request_bytes: 256 * 1024 * 1024,
    most_unread_bytes: 512 * 1024 * 1024,
    longest_pause_ms: 300_000,
  });
  const clickhouse_port = await listen(context, gateway, {
    host,
    port: config.CLICKHOUSE_PORT,
    setting: 'CLICKHOUSE_PORT',
  });
  ops.readiness.set('engine', () => gateway.listening);
  log.info({ registry_port, clickhouse_port, ops_port: ops.port }, 'ready');
});
