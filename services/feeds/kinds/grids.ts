import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { deltaCoded, deltaDecoded, granuleId, type GridFact } from '../../hail/grid.ts';
import { gridProblem } from '../../hail/validate-grid.ts';
import { topics } from '../../log/topics.ts';
import type { FactKind } from './kind.ts';

/** A granule as it was read. It is its own slice: a reading of it says nothing about any other. */
export type GridDraft = Omit<GridFact, 'dropped'> & { record_key: string; slice: string };

/** Granules: a row stands in each cell with hail, so a place is a cell's number. */
export const grids: FactKind<GridFact, GridDraft> = {
  topic: topics.grid,
  prefix: () => '',
  said: (fact) => ({
    record_key: granuleId(fact),
    record_id: granuleId(fact),
    slice: granuleId(fact),
    hash: contentHash(fact),
    status: 'final',
    version: fact.provenance.publisher_version,
    own: grids.standings(grids.draft(fact)),
    named: deltaDecoded(fact.dropped).map(String),
    valid: gridProblem({ ...fact, dropped: [] }, granuleId(fact)) === null,
  }),
  contentHash,
  standings: ({ cells }) => deltaDecoded(cells).map((cell) => `L|${cell}`),
  weight: ({ cells }) => cells.length,
  fact: (draft, superseded) => {
    const { product, stamp, began_at, ended_at, geometry, cells, sizes, covered, uncovered, provenance } =
      draft;
    const dropped = deltaCoded(superseded.map(Number).sort((a, b) => a - b));
    return {
      ...{ product, stamp, began_at, ended_at, geometry, cells, sizes, dropped },
      ...{ covered, uncovered, provenance },
    };
  },
  // A granule holds the whole of its slice: there is no reading of the slice that could lack it.
  withdrawal: () => null,
  draft: (fact) => ({ ...fact, record_key: granuleId(fact), slice: granuleId(fact) }),
  messageKey: granuleId,
  // Thousands of cells a granule and years of granules: about a byte a cell instead of ten.
  pack: (texts) => {
    const cells = texts.map((text) => Number(text.slice(text.indexOf('|') + 1))).sort((a, b) => a - b);
    if (cells.length === 0) return '';
    const mark = texts[0]?.includes('|') === true ? texts[0].slice(0, 2) : '';
    return `${mark}${deflateRawSync(Buffer.from(deltaCoded(cells).join())).toString('base64url')}`;
  },
  unpack: (packed) => {
    if (packed === '') return [];
    const mark = packed[1] === '|' ? packed.slice(0, 2) : '';
    const deltas = inflateRawSync(Buffer.from(packed.slice(mark.length), 'base64url'))
      .toString()
      .split(',');
    return deltaDecoded(deltas.map(Number)).map((cell) => `${mark}${cell}`);
  },
};

function contentHash(
  fact: Pick<GridFact, 'began_at' | 'ended_at' | 'geometry' | 'cells' | 'sizes' | 'covered' | 'uncovered'>,
): string {
  const { began_at, ended_at, geometry, cells, sizes, covered, uncovered } = fact;
  const { rows, columns, first_lat, first_lon, step_deg } = geometry;
  const shape = [rows, columns, first_lat, first_lon, step_deg];
  const said: unknown[] = [began_at, ended_at, shape, cells, sizes, covered, uncovered];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}
