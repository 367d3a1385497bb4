import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { createSuspectWithdrawals } from '../../services/feeds/suspect-withdrawals.ts';
import { checkSettings } from '../../services/runtime/check-config.ts';
import { diskOf, least_free_share, make_room, nearestThere, type Disk } from '../../services/runtime/disk.ts';
import { systemCode } from '../../services/runtime/errors.ts';
import { everyRoom } from '../start/settings.ts';
import type { Check } from './examine.ts';
import { broken, notChecked, ok, warning, type Outcome } from './finding.ts';

const gigabyte = 1_000_000_000;
const large_wal_bytes = gigabyte;

/** The settings as this command sees them; the processes may have been started with others. */
const configuration: Check = {
  name: 'configuration',
  look: ({ environment }) => {
    const { problems, warnings } = checkSettings(environment, everyRoom);
    const remedy = 'Correct the environment of every process, then look again: npm start -- --check-config';
    if (problems.length > 0) return broken([...problems, ...warnings].join(' '), remedy);
    if (warnings.length > 0) return warning(warnings.join(' '), remedy);
    return ok('Every setting can be used.');
  },
};

const node: Check = {
  name: 'node',
  look: () => {
    const needed = manifest.engines.node;
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const [least_major = 0, least_minor = 0] = needed.replace(/^>=/, '').split('.').map(Number);
    const enough = major > least_major || (major === least_major && minor >= least_minor);
    return enough
      ? ok(`Node ${process.versions.node}.`)
      : broken(
          `Node ${process.versions.node} is older than ${needed}.`,
          'npm install brings the right Node.',
        );
  },
};

const data_folder: Check = {
  name: 'data-folder',
  look: ({ data_dir }) => {
    const remedy = 'Make it writable for this user, or set HAILMARK_DATA_DIR to another folder.';
    const there = nearestThere(data_dir);
    try {
      if (!statSync(there).isDirectory())
        return broken(`${there} is no folder, so no data can be kept there.`, remedy);
      accessSync(there, constants.W_OK | constants.X_OK);
    } catch (error) {
      const why = systemCode(error) ?? 'unknown cause';
      return broken(`${there} cannot be written (${why}).`, remedy);
    }
    return there === data_dir
      ? ok(`${data_dir} can be written.`)
      : warning(`${data_dir} does not exist yet.`, 'npm start makes it; or set HAILMARK_DATA_DIR.');
  },
};

const disk: Check = {
  name: 'disk',
  look: async ({ data_dir, options: { min_free_bytes } }) =>
    judgeDisk(await diskOf(data_dir), min_free_bytes),
};

/** Broken below what was asked for; a warning where that is near, or where HailmarkDiskFilling speaks. */
export function judgeDisk({ free_bytes, size_bytes }: Disk, min_free_bytes: number): Outcome {
  const percent = ((100 * free_bytes) / size_bytes).toFixed(0);
  const says =
    `${inGigabytes(free_bytes)} of ${inGigabytes(size_bytes)} (${percent} %) are free where the data are kept; ` +
    `${inGigabytes(min_free_bytes)} is the least that is asked for.`;
  if (free_bytes < min_free_bytes) return broken(says, make_room);
  const is_short = free_bytes < 2 * min_free_bytes || free_bytes < least_free_share * size_bytes;
  return is_short ? warning(says, make_room) : ok(says);
}

const log_file: Check = {
  name: 'log-file',
  look: ({ config, data_dir }) => {
    if (config.KAFKA_BROKERS !== undefined) return notChecked('The log is on Kafka.');
    const wal = join(data_dir, 'log', 'log.sqlite-wal');
    const bytes = existsSync(wal) ? statSync(wal).size : 0;
    const says = `The log's write-ahead file holds ${inGigabytes(bytes)}.`;
    return bytes > large_wal_bytes
      ? warning(
          says,
          'Something reads the log for very long and holds it back: end that, or stop and start the service.',
        )
      : ok(says);
  },
};

const withdrawals: Check = {
  name: 'withdrawals',
  look: ({ data_dir }) => {
    const refused = createSuspectWithdrawals(data_dir).refused();
    const slices = refused.map(({ feed, slice }) => `${feed} ${slice}`).join(', ');
    return refused.length === 0
      ? ok('No reading is refused for lacking too many records.')
      : warning(
          `Readings are refused because too many records had vanished from them: ${slices}.`,
          'Look at the publisher, then: npm run accept-withdrawal',
        );
  },
};

/** Of this machine and its folder; nothing else need be there. */
export const machineChecks: readonly Check[] = [
  configuration,
  node,
  data_folder,
  disk,
  log_file,
  withdrawals,
];

function inGigabytes(bytes: number): string {
  return `${(bytes / gigabyte).toFixed(bytes < 10 * gigabyte ? 1 : 0)} GB`;
}
