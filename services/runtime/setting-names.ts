/** Names that are read elsewhere than in the configuration, or by tests; they are no mistakes. */
const known_elsewhere = /^HAILMARK_(?:STOP_WITH_PARENT|API_KEY|TEST_\w+)$/;

export interface StrangeName {
  name: string;
  /** The setting that may have been meant; null where none is near. */
  nearest: string | null;
}

/**
 * Names in the environment that look like settings and are none: everything that begins as ours do, and what lies one or two slips of the
 * hand from a setting. A setting that is mistyped is silently its default, which nobody notices for weeks.
 */
export function strangeNames(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): StrangeName[] {
  return Object.keys(environment)
    .filter((name) => !settings.includes(name) && !known_elsewhere.test(name))
    .flatMap((name) => {
      const nearest = nearestOf(name, settings);
      return nearest !== null || name.startsWith('HAILMARK_') ? [{ name, nearest }] : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** True for a setting whose value opens a door. A path to a key's file is none. */
export function isSecret(setting: string): boolean {
  return /PASSWORD|SECRET|TOKEN|_KEY$/.test(setting);
}

/** A value as it may be shown: secrets are masked, and so are what a URL carries before its host and after its path. */
export function shownValue(setting: string, value: unknown): unknown {
  if (value === undefined || value === '') return value ?? null;
  if (isSecret(setting)) return '***';
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  const url = new URL(value);
  if (url.username === '' && url.password === '' && url.search === '') return value;
  const user = url.username === '' && url.password === '' ? '' : '***@';
  return `${url.protocol}//${user}${url.host}${url.pathname}${url.search === '' ? '' : '?***'}`;
}

function nearestOf(name: string, settings: readonly string[]): string | null {
  // Two slips in a short name make another name: AWS_URL is not NWS_URL with a slip.
  const slips = name.length <= 8 ? 0 : name.length <= 12 ? 1 : 2;
  let best: { setting: string; distance: number } | null = null;
  for (const setting of settings) {
    if (Math.abs(setting.length - name.length) > slips) continue;
    const distance = editDistance(name, setting);
    if (distance <= slips && (best === null || distance < best.distance)) best = { setting, distance };
  }
  return best?.setting ?? null;
}

/** How many letters must be put in, left out, replaced or swapped with their neighbour. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
