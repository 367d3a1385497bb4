import { randomUUID } from 'node:crypto';
import { answerAboutItself } from '../runtime/check-config.ts';
import { createAnswerClock, createClock, systemClock } from '../runtime/clock.ts';
import { readConfig } from '../runtime/config.ts';
import { listen } from '../runtime/http-server.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLogOutput } from '../runtime/log-output.ts';
import { startOps } from '../runtime/ops-server.ts';
import { createPatience } from '../runtime/patience.ts';
import { createCodec } from '../log/codec.ts';
import { logSettings } from '../log/check-settings.ts';
import { openLog } from '../log/open-log.ts';
import { createStore } from '../store/store.ts';
import { createApp } from './app.ts';
import { appOptions, finish_ms, grace_ms } from './app-options.ts';
import { apiSettings } from './check-settings.ts';
import { createGeocoders } from './geocoder/geocoders.ts';
import { createHailReader } from './hail-reader.ts';
import { createHttpServer, server_limits } from './http/server.ts';
import { requireValidDocument } from './http/validation.ts';
import { followKeys } from './keys/directory.ts';
import { openAccounts } from './limits/accounts.ts';
import { createApiMetrics } from './metrics.ts';
import { readOpenApiDocument } from './openapi-document.ts';

answerAboutItself('api', { checks: [apiSettings, logSettings] });
const output = createLogOutput('api');

await runProcess(
  output,
  async (context) => {
    const config = readConfig();
    const ops = await startOps(
      context,
      { config, output },
      { process: 'api', setting: 'API_OPS_PORT', checks: ['log', 'keys', 'store'] },
    );
    const { readiness } = ops;
    const metrics = createApiMetrics(ops, config);
    const { observer } = metrics;
    const options = appOptions(config);
    await requireValidDocument(readOpenApiDocument(options));

    // Answers may be held at a time. Limits, usage and keys go by the time that passes, and places are remembered by the machine's.
    const [clock, wall_clock] = [createAnswerClock(config), createClock(config)];
    const geocoder = createGeocoders(
      { clock: systemClock, output, random: Math.random, observer: metrics.geocoders },
      config,
    );
    const patiently = createPatience({ clock: systemClock, output, onWait: metrics.onWait }, context.signal);
    const log = metrics.log.watched(await patiently('log', () => openLog(config)));
    context.onStop({ name: 'log', stop: () => log.close() });
    // Once is enough: without the log the last known keys hold.
    readiness.set('log', () => true);
    const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
    const keys = followKeys({ log, codec, clock: wall_clock, output }, context.signal);
    context.onStop({ name: 'API keys', stop: () => keys.done });
    readiness.set('keys', keys.isLoaded);
    const store = metrics.store.measured(createStore(config, { timeout_ms: 20_000 }));
    context.onStop({ name: 'store', stop: () => store.close() });
    readiness.set('store', () => store.ping());

    const accounts = await openAccounts(
      { log, codec, store, wall_clock, output, patiently, onTurn: metrics.usageTicked },
      config,
      context,
    );
    const hail = createHailReader(store, {
      mrms_product: config.MRMS_PRODUCT,
      cell_index_bytes: config.API_CELL_INDEX_MB * 1_000_000,
      onCells: metrics.onCells,
    });
    metrics.read({ keys, hail, clock, ...accounts });

    const app = createApp(
      {
        ...{ hail, geocoder, keys, clock, wall_clock, output, readiness, observer, ...accounts },
        createId: randomUUID,
        isStopping: () => context.signal.aborted,
      },
      options,
    );
    const server = createHttpServer(app, randomUUID, server_limits, observer.unreadable);
    const { API_HOST: host, API_PORT } = config;
    const port = await listen(context, server, { host, port: API_PORT, setting: 'API_PORT', finish_ms });
    output.info({ port, ops_port: ops.port }, 'ready');
  },
  grace_ms,
);
