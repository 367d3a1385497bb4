import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { formatSecond } from '../../services/hail/time.ts';
import { dataFolder } from '../../services/runtime/config.ts';
import { HailmarkError } from '../../services/runtime/errors.ts';

/** The clock of a data folder that was started with `--at`, for its next start. */
const kept_clock = z.object({ offset_ms: z.number().int() });
const file = 'clock-at.json';
/** So that nothing of the next start is dated as early as the last thing of the one before. */
const apart_ms = 1_000;

/** An instant as `2026-08-29T03:00:00Z`, epoch milliseconds; null where the text is none. */
export function parseAt(text: string): number | null {
  return z.iso.datetime().safeParse(text).success ? Date.parse(text) : null;
}

/** The folder of a start at an instant, beside the ordinary one: facts of another time are not to be mixed into its log. */
export function folderAt(at: number): string {
  return `.hailmark-at-${formatSecond(at).replaceAll(/[-:]/g, '')}`;
}

/**
 * What is to be added to the machine's clock so that the service begins at `at`. A folder that has been used before goes on where it
 * stopped: its log must never be told of a time that it has passed already, since what is read later counts.
 */
export function offsetAt(data_dir: string, at: number, now: number): number {
  const folder = dataFolder(resolve(data_dir));
  const path = join(folder, file);
  let begins = at;
  if (existsSync(path)) {
    const { offset_ms } = kept_clock.parse(JSON.parse(readFileSync(path, 'utf8')));
    const stopped = lastWritten(join(folder, 'logs')) + offset_ms;
    begins = Math.max(at, stopped + apart_ms);
  } else if (existsSync(join(folder, 'log'))) {
    throw new HailmarkError(
      'HAIL_CONFIG',
      `${data_dir} has been filled by a clock that was not set: choose another HAILMARK_DATA_DIR for --at.`,
    );
  }
  const offset_ms = begins - now;
  writeFileSync(`${path}.part`, JSON.stringify({ offset_ms }));
  renameSync(`${path}.part`, path);
  return offset_ms;
}

/** Refuses a folder that was filled with `--at`: today's readings would stand beside those of a time that is still to come for it. */
export function requireOrdinaryClock(data_dir: string): void {
  if (!existsSync(join(resolve(data_dir), file))) return;
  throw new HailmarkError(
    'HAIL_CONFIG',
    `${data_dir} has been filled at another time: start it with --at, or choose another HAILMARK_DATA_DIR.`,
  );
}

/** When a process of the folder last wrote a line, by the machine's clock: it says each thing that it dates. */
function lastWritten(logs: string): number {
  const names = existsSync(logs) ? readdirSync(logs) : [];
  return Math.max(-Infinity, ...names.map((name) => statSync(join(logs, name)).mtimeMs));
}
