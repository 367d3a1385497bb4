import type { BackfillProgress } from '../../services/feeds/backfill/shelf.ts';

const bar_width = 24;

/** One line: how far, what has come, how fast, how long it will take at that rate. */
export function progressText(progress: BackfillProgress): string {
  const { state, detail, parts, parts_done, part, requests, bytes, records, published } = progress;
  if (state === 'planning') return 'planning: the publisher is asked what there is';
  const share = shareOf(progress);
  const filled = Math.round(share * bar_width);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(bar_width - filled)}]`;
  const seconds = progress.reading_ms / 1_000;
  const rate = seconds > 0 ? `${count(Math.round(records / seconds))} records/s` : '';
  const left = remaining(progress);
  return [
    `${bar} ${parts_done}/${parts} parts`,
    ...(part === null ? [] : [part]),
    `${count(requests)} requests`,
    size(bytes),
    `${count(records)} records (${count(published)} new)`,
    rate,
    ...(state === 'waiting' ? [`${detail ?? ''} It is tried again in a while`] : []),
    ...(left === null ? [] : [`about ${left} left`]),
  ]
    .filter((each) => each !== '')
    .join(', ');
}

/** How it ended. */
export function endText(progress: BackfillProgress): string {
  const { state, feed, parts, parts_read_before, parts_failed, detail, requests, bytes, records, published } =
    progress;
  const read = `${count(requests)} requests, ${size(bytes)}, ${count(records)} records (${count(published)} new)`;
  switch (state) {
    case 'planned':
      return planText(progress);
    case 'done':
      if (parts === 0) return nothing;
      return `Done: ${parts} parts of ${feed}, of which ${parts_read_before} had been read before; ${read}.`;
    case 'incomplete':
      return `Not all could be read: ${parts_failed.join(', ')}. Ask for the period again later; ${read}.`;
    case 'cancelled':
      return `Cancelled after ${progress.parts_done} of ${parts} parts; ${read}. What was read stays.`;
    default:
      return `It failed: ${detail ?? state}`;
  }
}

const nothing = 'There is nothing to read of that period.';

function planText({ feed, plan, requests_left, bytes_left }: BackfillProgress): string {
  if (plan.length === 0) return nothing;
  const rows = plan.map(({ name, requests, bytes, is_read }) => {
    const cost = is_read
      ? 'read already'
      : `${count(requests)} requests, ${bytes === null ? 'size unknown' : size(bytes)}`;
    return `${name.padEnd(12)} ${cost}`;
  });
  const total = bytes_left === null ? 'a size nobody knows before' : `about ${size(bytes_left)}`;
  return [...rows, `${feed}: ${plan.length} parts, ${count(requests_left)} requests to make, ${total}.`].join(
    '\n',
  );
}

/** By bytes where the plan knows them, else by parts; of what was not read before it began. */
function shareOf({
  parts,
  parts_done,
  parts_read_before,
  bytes_left,
  bytes_passed,
}: BackfillProgress): number {
  if (bytes_left !== null && bytes_left + bytes_passed > 0) return bytes_passed / (bytes_left + bytes_passed);
  const to_read = parts - parts_read_before;
  return to_read <= 0 ? 1 : Math.min(1, (parts_done - parts_read_before) / to_read);
}

/** What is left at the rate so far; null before anything is done. */
function remaining(progress: BackfillProgress): string | null {
  const share = shareOf(progress);
  if (share <= 0 || share >= 1) return null;
  const seconds = Math.ceil(((progress.reading_ms / 1_000) * (1 - share)) / share);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let [shown, unit] = [bytes / 1_000, 0];
  while (shown >= 1_000 && unit < units.length - 1) [shown, unit] = [shown / 1_000, unit + 1];
  return `${shown.toFixed(1)} ${units[unit] ?? ''}`;
}
