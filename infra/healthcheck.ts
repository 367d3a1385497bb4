import { readFileSync } from 'node:fs';
import { readConfig } from '../services/runtime/config.ts';

const patience_ms = 4_000;

/**
 * Asks the container's own process whether it is alive. Which process that is, its command line says: the image is the same for all. A
 * command of scripts/ has no page to ask and is as healthy as it runs. Readiness is not asked for: a process that waits for a broker is
 * alive, and to start it again would mend nothing.
 */
async function main(): Promise<void> {
  const config = readConfig();
  const ports = {
    api: config.API_OPS_PORT,
    feeds: config.FEEDS_OPS_PORT,
    projector: config.PROJECTOR_OPS_PORT,
  };
  const pid = process.env['HAILMARK_HEALTHCHECK_PID'] ?? '1';
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const entry = Object.entries(ports).find(([name]) => command.includes(`services/${name}/main.ts`));
  if (entry === undefined) return;
  const answer = await fetch(`http://127.0.0.1:${entry[1]}/healthz`, {
    signal: AbortSignal.timeout(patience_ms),
  });
  if (!answer.ok) throw new Error(`/healthz answers ${answer.status}: ${await answer.text()}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
