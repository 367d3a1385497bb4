import { deltaCoded, granuleId, gridBounds, min_grid_size_tenths_mm } from '../../hail/grid.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { GridDraft } from '../kinds/grids.ts';
import type { Mode, PollRun, Settled } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import type { ReadSlice } from '../publish.ts';
import type { DecodedGranule } from './decode.ts';
import type { GranuleDecoder } from './granule-decoder.ts';
import { GranuleRefused, type GranuleRefusal } from './grib2/refused.ts';
import type { ListedGranule } from './list-granules.ts';
import type { MeshProduct } from './products.ts';

/** Sixteen times the largest object seen. */
const max_object_bytes = 8 * 1024 * 1024;

/** These say something of the moment, not of the bytes: the same object is worth another try. */
const passing: readonly GranuleRefusal[] = ['deadline', 'decoder-ended'];

/** How one granule ended. `refused`: its bytes are of no use, and asking for the same ones again would change nothing. */
export type GranuleEnding = 'read' | 'refused' | 'failed';

export interface GranuleReader {
  /** Fetches a granule, decodes it and publishes its fact and then its poll fact. `readThrough` is asked after the fact is published. */
  read: (
    run: PollRun,
    granule: ListedGranule,
    mode: Mode,
    readThrough: () => number | null,
  ) => Promise<GranuleEnding>;
}

/** Reads granules of one product. Each is a slice of its own: what one says, no other takes back. */
export function createGranuleReader(
  { decoder }: { decoder: GranuleDecoder },
  { base, product }: { base: string; product: MeshProduct },
): GranuleReader {
  const decode = async (bytes: Buffer, { stamp }: ListedGranule): Promise<DecodedGranule> => {
    try {
      return await decoder.decode(bytes, { product: product.name, stamp }, min_grid_size_tenths_mm);
    } catch (error) {
      if (!(error instanceof GranuleRefused)) throw error;
      throw new PollFailed('granule-refused', `${error.reason}: ${error.message}`, { cause: error });
    }
  };

  const readOne = async (run: PollRun, url: string, listed: ListedGranule): Promise<Settled> => {
    const body = await run.get(url, max_object_bytes);
    // Cut on its way, or issued anew since it was listed: nothing is wrong with the object, so it is asked for again.
    if (body.served.byteLength !== listed.bytes) {
      const lengths = `${body.served.byteLength} bytes came of an object that is listed with ${listed.bytes}`;
      throw new PollFailed('truncated', `${lengths}.`);
    }
    const provenance = run.provenance(url, body, listed.last_modified);
    const granule = await decode(body.bytes, listed);
    const draft = draftOf(granule, listed, product, provenance);
    const slice: ReadSlice = {
      slice: draft.slice,
      from: listed.from,
      until: listed.stamp,
      box: gridBounds(granule.geometry),
      publisher_version: listed.last_modified,
      complete: true,
    };
    const { readings, refused } = await run.publish([draft], () => [slice], provenance);
    return { outcome: 'read', readings, refused, sha256: body.sha256, read_through: null };
  };

  return {
    read: async (run, granule, mode, readThrough) => {
      const url = joinUrl(base, `/${granule.key}`);
      const seen: { refusal: boolean } = { refusal: false };
      const settled = await run.settle(mode, url, async () => {
        try {
          const ended = await readOne(run, url, granule);
          return ended.outcome === 'read' ? { ...ended, read_through: readThrough() } : ended;
        } catch (error) {
          const cause = error instanceof PollFailed ? error.cause : null;
          seen.refusal = cause instanceof GranuleRefused && !passing.includes(cause.reason);
          throw error;
        }
      });
      if (settled !== null) return 'read';
      return seen.refusal ? 'refused' : 'failed';
    },
  };
}

function draftOf(
  { geometry, cells, sizes, covered, uncovered }: DecodedGranule,
  { stamp }: ListedGranule,
  product: MeshProduct,
  provenance: GridDraft['provenance'],
): GridDraft {
  const id = granuleId({ product: product.name, stamp });
  return {
    ...{ record_key: id, slice: id, product: product.name, stamp },
    ...{ began_at: stamp - product.span_ms, ended_at: stamp },
    ...{ geometry, covered, uncovered, provenance },
    cells: deltaCoded([...cells]),
    sizes: [...sizes],
  };
}
