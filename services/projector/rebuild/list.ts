import type { ProjectionState } from '../../store/projections.ts';
import type { RebuildDeps } from './deps.ts';
import { listedVersions, versionOf } from './plan.ts';
import { endsOf, reachedAt, sum } from './watch.ts';

export interface VersionLine {
  event: 'version';
  projection: string;
  version: number;
  state: ProjectionState;
  /** Messages that are still to come; null where the projector has not begun it, or where it was made from another log. */
  behind: number | null;
}

/** Every version of every projection and how far it is. */
export async function listVersions(deps: Pick<RebuildDeps, 'store' | 'log'>): Promise<VersionLine[]> {
  const lines: VersionLine[] = [];
  for (const listed of await listedVersions(deps)) {
    const projection = versionOf(listed.projection, listed.version);
    const ends = await endsOf(deps, projection);
    const reached = await reachedAt(deps, projection, ends);
    const behind = reached.includes(null) ? null : sum(ends.map(({ offset }) => offset)) - sum(reached);
    lines.push({ event: 'version', ...listed, behind });
  }
  return lines;
}
