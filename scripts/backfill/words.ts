import { parseDay } from '../../services/hail/time.ts';
import type { Box } from '../../services/log/facts.ts';
import { misread, type Given } from '../../services/runtime/command.ts';

export type BackfillCommand =
  | {
      name: 'read';
      feed: string;
      from: number;
      until: number;
      box: Box | null;
      dry_run: boolean;
      json: boolean;
    }
  | { name: 'follow' | 'cancel'; feed: string; json: boolean };

export const backfill_options = {
  from: { type: 'string' },
  to: { type: 'string' },
  bbox: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  cancel: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** What the words ask for; throws `HAIL_COMMAND` where they cannot be meant. `feeds` are those that have history to read. */
export function commandOf(
  { values, positionals }: Pick<Given<typeof backfill_options>, 'values' | 'positionals'>,
  feeds: readonly string[],
): BackfillCommand {
  const [feed, ...more] = positionals;
  if (feed === undefined || more.length > 0) throw misread(`Give one feed: ${feeds.join(', ')}.`);
  if (!feeds.includes(feed))
    throw misread(`There is no history of ${feed} to read. Feeds: ${feeds.join(', ')}.`);
  const { json, cancel } = values;
  const [from, to] = [values.from, values.to];
  if (from === undefined && to === undefined) {
    if (values.bbox !== undefined || values['dry-run']) throw misread('Give --from and --to.');
    return { name: cancel ? 'cancel' : 'follow', feed, json };
  }
  if (cancel) throw misread('--cancel ends what is read now; it takes no period.');
  const [first, end] = [parseDay(from ?? ''), parseDay(to ?? '')];
  if (first === null || end === null) throw misread('--from and --to must be days such as 2015-01-01.');
  if (first >= end) throw misread('--to must be a later day than --from; it is not read itself.');
  const box = values.bbox === undefined ? null : parseBox(values.bbox);
  if (box === undefined)
    throw misread('--bbox must be west,south,east,north in degrees: --bbox=-104,25.8,-93.5,36.6.');
  return { name: 'read', feed, from: first, until: end, box, dry_run: values['dry-run'], json };
}

function parseBox(text: string): Box | undefined {
  const sides = text.split(',').map((side) => (side.trim() === '' ? NaN : Number(side)));
  const [west = NaN, south = NaN, east = NaN, north = NaN] = sides;
  const is_valid =
    sides.length === 4 &&
    west >= -180 &&
    east <= 180 &&
    south >= -90 &&
    north <= 90 &&
    west < east &&
    south < north;
  return is_valid ? { west, south, east, north } : undefined;
}
