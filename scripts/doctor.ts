import { misread, runCommand, wholeNumber } from '../services/runtime/command.ts';
import { examineSettings } from '../services/runtime/config.ts';
import { createAround } from './doctor/around.ts';
import { clockChecks } from './doctor/clocks.ts';
import { examine } from './doctor/examine.ts';
import { feedChecks } from './doctor/feeds.ts';
import { kafkaChecks } from './doctor/kafka.ts';
import { logChecks } from './doctor/log.ts';
import { machineChecks } from './doctor/machine.ts';
import { networkChecks } from './doctor/network.ts';
import { positionChecks } from './doctor/positions.ts';
import { processChecks } from './doctor/processes.ts';
import { registryChecks } from './doctor/registry.ts';
import { storeChecks } from './doctor/store.ts';
import { findingText, summaryText } from './doctor/text.ts';

const help = `Looks over the service: settings, disk, clocks, log, registry, store, positions, feeds, keys, and who can be reached. Says of each what is
wrong and what to do. Reads only and changes nothing; what is away costs its own checks and no others.

  npm run doctor                     every check
  npm run doctor -- --live           asks publishers and geocoders that are not on this machine too, one request each
  npm run doctor -- --json           one JSON object: ok, and checks with check, state, says and remedy; names and states are stable

  --api URL          an API process to ask for /readyz; may be said several times (by default the one at API_HOST and API_PORT)
  --timeout-s 10     the deadline of each check; all are made at the same time
  --min-free-gb 2    how much must be free on the disk of the data
  --most-lag-s 300   how long a message may wait for the projector

Run it with the environment of the processes: it looks at what the settings name. States are ok, warning, broken, and not-checked, with the reason.
Safe to interrupt.

Example:
  npm run doctor -- --json | jq -r '.checks[] | select(.state == "broken") | .remedy'

Exit codes: 0 nothing is broken (there may be warnings), 2 something is broken, 64 the command was not understood, 130 interrupted.`;

const found_broken = 2;
const gigabyte = 1_000_000_000;

await runCommand({
  help,
  options: {
    live: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    api: { type: 'string', multiple: true, default: [] },
    'timeout-s': { type: 'string', default: '10' },
    'min-free-gb': { type: 'string', default: '2' },
    'most-lag-s': { type: 'string', default: '300' },
  },
  if_interrupted: 'Interrupted. Nothing was changed.',
  async run({ values }) {
    if (!values.api.every((url) => URL.canParse(url) && /^https?:/.test(url)))
      throw misread('--api is the address of an API process, such as http://127.0.0.1:8080.');
    const around = createAround(process.env, examineSettings(process.env).config, {
      timeout_ms: wholeNumber('timeout-s', values['timeout-s'], 1, 600) * 1_000,
      live: values.live,
      api_urls: values.api,
      min_free_bytes: wholeNumber('min-free-gb', values['min-free-gb'], 0, 1_000_000) * gigabyte,
      most_lag_ms: wholeNumber('most-lag-s', values['most-lag-s'], 0) * 1_000,
    });
    const findings = await examine(around, [
      ...machineChecks,
      ...clockChecks,
      ...kafkaChecks,
      ...logChecks,
      ...registryChecks,
      ...storeChecks,
      ...positionChecks,
      ...feedChecks,
      ...networkChecks,
      ...processChecks,
    ]);
    const is_ok = findings.every(({ state }) => state !== 'broken');
    if (values.json) {
      console.log(JSON.stringify({ ok: is_ok, checks: findings }));
    } else {
      for (const finding of findings) console.log(findingText(finding));
      console.log(summaryText(findings));
    }
    return is_ok ? 0 : found_broken;
  },
});
// A check that came too late may hold a connection still, and nothing is to be put in order.
process.exit();
