import { answerAboutItself } from '../../services/runtime/check-config.ts';
import { misread } from '../../services/runtime/command.ts';
import { createClock } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { listen } from '../../services/runtime/http-server.ts';
import { runProcess } from '../../services/runtime/lifecycle.ts';
import { createLogOutput } from '../../services/runtime/log-output.ts';
import { fault_kinds, sandbox_feeds, switchFault, type Faults } from './faults.ts';
import { createSandbox } from './server.ts';

const help = `
Recorded publishers at their own paths; see infra/sandbox/README.md.

  --fault <feed>=<kind>     a publisher in trouble; may be said several times
                            feeds: ${sandbox_feeds.join(', ')}
                            kinds: ${fault_kinds.join(', ')}

SANDBOX_PORT is the port, HAILMARK_CLOCK_OFFSET_MS moves the time that the publishers answer by.
`;

const { fault: wanted } = answerAboutItself('sandbox', {
  checks: [],
  help,
  options: { fault: { type: 'string', multiple: true, default: [] } },
});
const log = createLogOutput('sandbox');

await runProcess(log, async (context) => {
  const faults: Faults = new Map();
  for (const each of wanted) {
    const at = each.indexOf('=');
    const problem = switchFault(faults, each.slice(0, Math.max(at, 0)), each.slice(at + 1));
    if (problem !== null) throw misread(problem);
  }
  const config = readConfig();
  const options = { host: '127.0.0.1', port: config.SANDBOX_PORT, setting: 'SANDBOX_PORT' };
  const sandbox = createSandbox({ clock: createClock(config), faults });
  log.info({ port: await listen(context, sandbox, options), faults: [...faults] }, 'ready');
});
