import { parseArgs } from 'node:util';
import { parseDay } from '../../services/hail/time.ts';
import type { Box } from '../../services/log/facts.ts';

export type BackfillCommand =
  | { name: 'help' }
  | { name: 'unclear'; why: string }
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

/** The words of the command line; what cannot be meant is `unclear`, with a sentence. `feeds` are those that have history to read. */
export function readWords(words: readonly string[], feeds: readonly string[]): BackfillCommand {
  const unclear = (why: string): BackfillCommand => ({ name: 'unclear', why });
  const parsed = parsedOrNull(words);
  if (parsed === null) return unclear('The command was not understood. --help says what there is.');
  const { values, positionals } = parsed;
  if (values.help) return { name: 'help' };
  const [feed, ...more] = positionals;
  if (feed === undefined || more.length > 0) return unclear(`Give one feed: ${feeds.join(', ')}.`);
  if (!feeds.includes(feed))
    return unclear(`There is no history of ${feed} to read. Feeds: ${feeds.join(', ')}.`);
  const { json, cancel } = values;
  const [from, to] = [values.from, values.to];
  if (from === undefined && to === undefined) {
    if (values.bbox !== undefined || values['dry-run']) return unclear('Give --from and --to.');
    return { name: cancel ? 'cancel' : 'follow', feed, json };
  }
  if (cancel) return unclear('--cancel ends what is read now; it takes no period.');
  const [first, end] = [parseDay(from ?? ''), parseDay(to ?? '')];
  if (first === null || end === null) return unclear('--from and --to must be days such as 2015-01-01.');
  if (first >= end) return unclear('--to must be a later day than --from; it is not read itself.');
  const box = values.bbox === undefined ? null : parseBox(values.bbox);
  if (box === undefined)
    return unclear('--bbox must be west,south,east,north in degrees: --bbox=-104,25.8,-93.5,36.6.');
  return { name: 'read', feed, from: first, until: end, box, dry_run: values['dry-run'], json };
}

function parsedOrNull(words: readonly string[]): ReturnType<typeof parsed> | null {
  try {
    return parsed(words);
  } catch {
    return null;
  }
}

function parsed(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      ...{ from: { type: 'string' }, to: { type: 'string' }, bbox: { type: 'string' } },
      'dry-run': { type: 'boolean', default: false },
      cancel: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
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
