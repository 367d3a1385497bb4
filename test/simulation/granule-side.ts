import { grids } from '../../services/feeds/kinds/grids.ts';
import { GranuleRefused } from '../../services/feeds/mrms/grib2/refused.ts';
import type { GranuleDecoder } from '../../services/feeds/mrms/granule-decoder.ts';
import { granuleKey } from '../../services/feeds/mrms/keys.ts';
import { createKnownGranules } from '../../services/feeds/mrms/known-granules.ts';
import type { ListedGranule } from '../../services/feeds/mrms/list-granules.ts';
import { createGranuleReader } from '../../services/feeds/mrms/read-granule.ts';
import type { GridFact } from '../../services/hail/grid.ts';
import { roundToHundredths } from '../../services/hail/size.ts';
import type { FetchedBody } from '../../services/runtime/http-client.ts';
import { storedInstant } from '../../services/store/projections.ts';
import { createGranules, geometry, product, stamps, type Issue } from './granules.ts';
import type { Random } from './random.ts';
import type { Ask, Side } from './side.ts';
import { textOf as columnText } from './tables.ts';

/** One object that a listing offers. `as_listed` reads it only where it is news. */
interface Offered {
  issue: Issue;
  as_listed: boolean;
}

const base = 'https://bucket.example';

/** Granules of a radar mosaic, each its own slice and never withdrawn, read by the feed's own reader. */
export function createGranuleSide(random: Random): Side {
  const world = createGranules(random);

  const offer = (issue: Issue): Offered => {
    const how = random.weighted({ listed: 12, again: 2, earlier: 4 });
    if (how !== 'earlier') return { issue, as_listed: how === 'listed' };
    return { issue: world.earlier(issue.stamp), as_listed: false };
  };

  return {
    feed: 'simulated_grids',
    publisher: 'MRMS_MESH',
    kind: grids,
    process_name: 'grid feed',
    record_keys: stamps.map(keyOf),
    change: world.change,
    rest: world.rest,
    poll: () => [
      ask(
        world
          .current()
          .filter(() => !random.oneIn(3))
          .map(offer),
      ),
    ],
    pollAll: (as_listed) => [ask(world.current().map((issue) => ({ issue, as_listed })))],
    rowText: ({ occurred_at, ended_at, lat, lon, size_in, size_tenths_mm, status }) =>
      `live ${columnText(occurred_at)} to ${columnText(ended_at)} ${Number(lat)} ${Number(lon)} ${Number(size_tenths_mm)} ` +
      `${Number(size_in)} ${columnText(status)}`,
    factTexts: (fact) => {
      const { stamp, cells, sizes } = fact as GridFact;
      let cell = 0;
      return cells.map((delta, at) => textOf(stamp, (cell += delta), sizes[at] ?? 0)).sort();
    },
    truth: () =>
      new Map(
        world
          .current()
          .map(({ stamp, hail }) => [
            keyOf(stamp),
            [...hail].map(([cell, size]) => textOf(stamp, cell, size)).sort(),
          ]),
      ),
  };
}

/** The row of a cell of hail, from the contract; the places by a calculation of its own. */
function textOf(stamp: number, cell: number, size_tenths_mm: number): string {
  const lat_micro = 30_000_000 - Math.floor(cell / geometry.columns) * 40_000;
  const lon_micro = -98_500_000 + (cell % geometry.columns) * 40_000;
  const began = storedInstant(stamp - 3_600_000);
  const size_in = roundToHundredths(size_tenths_mm / 254);
  return `live ${began} to ${storedInstant(stamp)} ${lat_micro} ${lon_micro} ${size_tenths_mm} ${size_in} final`;
}

function keyOf(stamp: number): string {
  return `MESH_Max_60min/${new Date(stamp).toISOString().slice(0, 19)}Z`;
}

/** A poll as the feed makes it: the listing, then every object that is news, the oldest first. */
function ask(offered: readonly Offered[]): Ask {
  return async ({ run, name, note }) => {
    const known = createKnownGranules(product, new Map(), run.index);
    const listed = await run.settle('live', `${base}/?list-type=2`, async () => {
      await run.index.catchUp();
      return { outcome: 'not_modified', read_through: null };
    });
    if (listed === null) return;
    const asked = offered
      .map(({ issue, as_listed }) => ({ issue, as_listed, granule: listedGranule(issue) }))
      .filter(({ as_listed, granule }) => !as_listed || known.isNews(granule));
    for (const { issue, granule } of asked.sort((a, b) => a.granule.stamp - b.granule.stamp)) {
      note(() => `${name} reads ${issueText(issue)}`);
      const reader = createGranuleReader({ decoder: decoderOf(issue) }, { base, product });
      const of_object = { ...run, get: () => Promise.resolve(body) };
      const ending = await reader.read(of_object, granule, 'live', () => null);
      known.ended(granule, ending);
      note(() => `${name}: granule ${ending}`);
    }
  };
}

function listedGranule({ stamp, last_modified }: Issue): ListedGranule {
  const { length: bytes } = body.bytes;
  return { key: granuleKey(product, stamp), stamp, last_modified, bytes, from: stamp - product.span_ms };
}

function issueText({ stamp, last_modified, hail }: Issue): string {
  const cells = [...hail].map(([cell, size]) => `${cell}:${size}`).join();
  return `granule ${new Date(stamp).toISOString()} of ${last_modified} (${cells})`;
}

/** The bytes stand for the issue that was asked for: what is in them is decided by the decoder below. */
const body: FetchedBody = {
  status: 200,
  headers: new Headers(),
  bytes: Buffer.alloc(0),
  served: Buffer.alloc(0),
  sha256: '9a'.repeat(32),
};

function decoderOf({ hail, is_damaged }: Issue): GranuleDecoder {
  const ascending = [...hail].sort(([a], [b]) => a - b);
  const all = geometry.rows * geometry.columns;
  return {
    decode: () =>
      is_damaged
        ? Promise.reject(new GranuleRefused('png-checksum', 'A chunk does not agree with its checksum.'))
        : Promise.resolve({
            geometry,
            cells: Int32Array.from(ascending.map(([cell]) => cell)),
            sizes: Uint16Array.from(ascending.map(([, size]) => size)),
            ...{ covered: all, no_hail: all - hail.size, smaller_hail: 0, uncovered: 0 },
          }),
    rest: () => Promise.resolve(),
  };
}
