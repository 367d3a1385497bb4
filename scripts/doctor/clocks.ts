import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hour_ms, minute_ms } from '../../services/hail/time.ts';
import { createStore } from '../../services/store/store.ts';
import type { Check } from './examine.ts';
import { askPublishers } from './network.ts';
import { broken, notChecked, ok, warning, type Outcome } from './finding.ts';

/** Below this a clock is right; beyond the second one facts and answers are dated wrongly. HTTP dates are whole seconds. */
const right_ms = 2_000;
const wrong_ms = 30_000;
const set_clock = 'Let the machine keep the time (chrony or systemd-timesyncd), and look again.';

/** What `npm start -- --at` keeps beside the data. */
const kept_clock = z.object({ offset_ms: z.number() });

const setting: Check = {
  name: 'clock.setting',
  look: ({ config, data_dir }) => {
    const offset_ms = config.HAILMARK_CLOCK_OFFSET_MS;
    const file = join(data_dir, 'clock-at.json');
    const kept = existsSync(file) ? kept_clock.parse(JSON.parse(readFileSync(file, 'utf8'))).offset_ms : null;
    if (kept !== null && kept !== offset_ms)
      return broken(
        `The data folder was filled by a clock that was set, ${offsetInWords(kept)} of this machine's; this command's is another.`,
        `HAILMARK_CLOCK_OFFSET_MS=${kept}, as npm start -- --at said; or another HAILMARK_DATA_DIR.`,
      );
    if (offset_ms === 0) return ok("Facts are dated by this machine's clock.");
    return warning(
      `Facts are dated by a clock that is ${offsetInWords(offset_ms)} of this machine's.`,
      'Unset HAILMARK_CLOCK_OFFSET_MS for the live publishers; for recorded ones it is as it should be.',
    );
  },
};

const store_clock: Check = {
  name: 'clock.store',
  look: async ({ config, options, machine_clock }) => {
    const outside = createStore(config, { timeout_ms: options.timeout_ms, in_database: false });
    try {
      const asked_at = machine_clock();
      const [row] = await outside.rows<{ now: string | number }>(
        "SELECT toUnixTimestamp64Milli(now64(3, 'UTC')) AS now",
      );
      return judgeClock("The store's clock", Number(row?.now) - between(asked_at, machine_clock()));
    } finally {
      await outside.close();
    }
  },
};

/** The publishers' own dates against the clock that facts are dated by. */
const publishers: Check = {
  name: 'clock.publishers',
  look: async (around, signal) => {
    const asked = await askPublishers(around, signal);
    const dated = asked.flatMap(({ date_ms, at_ms }) => (date_ms === null ? [] : [date_ms - at_ms]));
    if (dated.length === 0)
      return notChecked(
        'No publisher was asked, or none says its time.',
        around.options.live ? null : 'npm run doctor -- --live',
      );
    // The middle one: a publisher's own clock may be wrong, and half of them are not wrong in the same way.
    dated.sort((a, b) => a - b);
    return judgeClock("The publishers' clock", dated[Math.floor(dated.length / 2)] ?? 0);
  },
};

/** `offset_ms` is the other clock minus ours. */
export function judgeClock(whose: string, offset_ms: number): Outcome {
  if (Math.abs(offset_ms) <= right_ms) return ok(`${whose} is right.`);
  const says = `${whose} is ${offsetInWords(offset_ms)} of the one that facts are dated by.`;
  if (Math.abs(offset_ms) <= wrong_ms) return warning(says, set_clock);
  return broken(says, `Unset HAILMARK_CLOCK_OFFSET_MS unless it is meant. ${set_clock}`);
}

/** `3.0 h ahead`, `12 s behind`. */
export function offsetInWords(offset_ms: number): string {
  const size = Math.abs(offset_ms);
  const words =
    size >= hour_ms
      ? `${(size / hour_ms).toFixed(1)} h`
      : size >= minute_ms
        ? `${(size / minute_ms).toFixed(1)} min`
        : `${(size / 1_000).toFixed(1)} s`;
  return `${words} ${offset_ms < 0 ? 'behind' : 'ahead'}`;
}

function between(one: number, other: number): number {
  return (one + other) / 2;
}

export const clockChecks: readonly Check[] = [setting, store_clock, publishers];
