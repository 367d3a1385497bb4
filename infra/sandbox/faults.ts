/** Names of health's feeds and the geocoder: what one fault is switched for. */
export const sandbox_feeds = [
  'mrms_mesh',
  'radar_hail',
  'storm_events',
  'local_storm_reports',
  'cocorahs_hail',
  'nws_alerts',
  'geocoder',
] as const;

export type SandboxFeed = (typeof sandbox_feeds)[number];

/** Publishers whose files or data are found through a listing or a catalogue. */
const feeds_with_listing: ReadonlySet<SandboxFeed> = new Set(['mrms_mesh', 'radar_hail', 'storm_events']);

/**
 * Ways in which a publisher fails, each seen at a real one or to be expected of one:
 *
 * - `dead`: the connection is reset
 * - `hang`: nothing is ever answered
 * - `slow`: the true answer, a byte a second
 * - `truncated`: the length of the true answer, half its bytes, then the connection is cut
 * - `endless`: a body that never ends
 * - `403`, `500`: these statuses with a page in HTML
 * - `html`: a page in HTML with status 200
 * - `retry-after`: status 429 with `Retry-After: 1`
 * - `stale-listing`: the listing lacks its newest file, the catalogue ends a day earlier
 */
export const fault_kinds = [
  'dead',
  'hang',
  'slow',
  'truncated',
  'endless',
  '403',
  '500',
  'html',
  'retry-after',
  'stale-listing',
] as const;

export type FaultKind = (typeof fault_kinds)[number];

/** The faults that are on, at most one a feed. Looked at for every request, so that whoever holds it may change it. */
export type Faults = Map<SandboxFeed, FaultKind>;

/**
 * Switches a fault on, or off with `none`. Returns null, or, with nothing changed, the sentence that says what cannot be switched: an
 * unknown feed or kind, or a stale listing of a publisher that has none.
 */
export function switchFault(faults: Faults, feed: string, kind: string): string | null {
  const known_feed = sandbox_feeds.find((each) => each === feed);
  if (known_feed === undefined) return `Unknown feed "${feed}": one of ${sandbox_feeds.join(', ')}.`;
  if (kind === 'none') {
    faults.delete(known_feed);
    return null;
  }
  const known_kind = fault_kinds.find((each) => each === kind);
  if (known_kind === undefined) return `Unknown fault "${kind}": one of ${fault_kinds.join(', ')}, none.`;
  if (known_kind === 'stale-listing' && !feeds_with_listing.has(known_feed)) {
    return `${known_feed} has no listing: stale-listing is for ${[...feeds_with_listing].join(', ')}.`;
  }
  faults.set(known_feed, known_kind);
  return null;
}
