import { createHash } from 'node:crypto';
import { day_ms } from '../../hail/time.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { PollRun } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import { dayPrefix, keyBefore, stampOf } from './keys.ts';
import { parseListing, type ListedObject } from './listing.ts';
import { isTaken, type MeshProduct } from './products.ts';

/** One granule as the bucket lists it. */
export interface ListedGranule {
  key: string;
  /** Epoch milliseconds UTC. */
  stamp: number;
  /** The publisher's version: a granule that is issued anew gets a later one. */
  last_modified: string;
  /** As it is listed: what is served shorter is not the object. */
  bytes: number;
  /** The granule speaks for the time from here to its stamp. */
  from: number;
}

export interface GranuleListing {
  /** Ascending by stamp. */
  granules: ListedGranule[];
  /** How many granules were listed, those between the stamps that are taken included. */
  listed: number;
  /** Objects that are no granules of the product, by name; they are passed over, and said. */
  strangers: number;
  /** SHA-256 over the pages, in order. */
  sha256: string;
}

/** A page holds up to 1,000 keys of about 350 bytes. */
const max_page_bytes = 4 * 1024 * 1024;
/** A day has 720 keys; a listing without end is a fault of its server. */
const most_pages = 20;
/** Stamps of a 2-minute product drift by seconds: up to this gap a granule goes on where the one before it ended. */
const most_drift_ms = 240_000;

/** The address of a page of the listing; also what the poll fact of a listing names. */
export function listingUrl(
  base: string,
  prefix: string,
  { start_after, continuation }: { start_after?: string; continuation?: string } = {},
): string {
  const query = new URLSearchParams({ 'list-type': '2', prefix });
  if (start_after !== undefined) query.set('start-after', start_after);
  if (continuation !== undefined) query.set('continuation-token', continuation);
  return joinUrl(base, `/?${query.toString()}`);
}

/** All granules of the product that are taken and stamped from `from` through `through`, day by day. Fails as a whole with any of its pages. */
export async function listGranules(
  run: Pick<PollRun, 'get'>,
  base: string,
  product: MeshProduct,
  { from, through }: { from: number; through: number },
): Promise<GranuleListing> {
  // From a little earlier, because the first granule speaks for the time since the one before it.
  const since = from - most_drift_ms;
  const hash = createHash('sha256');
  const objects: ListedObject[] = [];
  for (let day = Math.floor(since / day_ms) * day_ms; day <= through; day += day_ms) {
    const prefix = dayPrefix(product, day);
    const start_after = day < since ? { start_after: keyBefore(product, since) } : {};
    let continuation: string | null = null;
    for (let page = 0; page === 0 || continuation !== null; page += 1) {
      if (page === most_pages) throw new PollFailed('not-the-format', 'The listing does not end.');
      const url: string = listingUrl(base, prefix, {
        ...start_after,
        ...(continuation === null ? {} : { continuation }),
      });
      const body = await run.get(url, max_page_bytes);
      const parsed = parseListing(body.bytes.toString('utf8'), prefix);
      hash.update(body.sha256);
      objects.push(...parsed.objects);
      ({ continuation } = parsed);
    }
  }
  return { ...granulesOf(objects, product, { from, through }), sha256: hash.digest('hex') };
}

function granulesOf(
  objects: readonly ListedObject[],
  product: MeshProduct,
  { from, through }: { from: number; through: number },
): Omit<GranuleListing, 'sha256'> {
  const stamped = objects.flatMap(({ key, last_modified, bytes }) => {
    const stamp = stampOf(product, key);
    return stamp === null ? [] : [{ key, stamp, last_modified, bytes }];
  });
  const granules = stamped
    .filter(({ stamp }) => isTaken(product, stamp))
    .sort((a, b) => a.stamp - b.stamp)
    .map((granule, at, all): ListedGranule => ({
      ...granule,
      from: beginOf(granule.stamp, all[at - 1]?.stamp ?? null, product),
    }))
    .filter(({ stamp }) => stamp >= from && stamp <= through);
  return { granules, listed: stamped.length, strangers: objects.length - stamped.length };
}

/** Where the period of a granule begins: its span before its stamp, or for drifting stamps at the one before, so that no gap of seconds stays. */
function beginOf(stamp: number, before: number | null, { span_ms, every_ms }: MeshProduct): number {
  const goes_on = every_ms === null && before !== null && stamp - before <= most_drift_ms;
  return goes_on ? before : stamp - span_ms;
}
