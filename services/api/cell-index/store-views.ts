import { readAtPosition } from '../../store/answer-at.ts';
import { readChangesSince } from '../../store/cell_changes/changes-since.ts';
import { all_time, readObservations } from '../../store/observations/query.ts';
import { tableName } from '../../store/projections.ts';
import type { Store } from '../../store/store.ts';
import type { CellViews } from './indexed-answers.ts';

/** The views of one asker, whose patience the store has. */
export function storeViews(
  store: Store,
  { topics, mrms_product }: { topics: readonly string[]; mrms_product: string },
): CellViews {
  return {
    changesSince: (version, since) => readChangesSince(store, version, topics, since),
    observationsIn: (version, cells) =>
      readObservations(store, {
        ...all_time,
        ...{ table: tableName('observations', version), cells, mrms_product },
      }),
    pastIndex: (question) => readAtPosition(store, question, 1),
  };
}
