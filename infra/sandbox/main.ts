import { readConfig } from '../../services/runtime/config.ts';
import { listen } from '../../services/runtime/http-server.ts';
import { runProcess } from '../../services/runtime/lifecycle.ts';
import { createLogOutput } from '../../services/runtime/log-output.ts';
import { createSandbox } from './server.ts';

const log = createLogOutput('sandbox');

await runProcess(log, async (context) => {
  const config = readConfig();
  const options = { host: '127.0.0.1', port: config.SANDBOX_PORT, setting: 'SANDBOX_PORT' };
  log.info({ port: await listen(context, createSandbox(), options) }, 'ready');
});
