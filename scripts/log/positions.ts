import { positionLags, readGroupLags, readTopicEnds, type Lag } from '../../services/log/lag.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { topics } from '../../services/log/topics.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { readPositions } from '../../services/store/positions.ts';
import { readProjections } from '../../services/store/projections.ts';
import { isMissingTable, type Store } from '../../services/store/store.ts';

/** A reader of the log and how far it is: a group by its commits, a projection's version by its positions in the store. */
export interface Reader {
  kind: 'group' | 'projection';
  name: string;
  /** Of a projection's version: building, serving, kept. */
  state: string | null;
  lags: Lag[];
  /** A sentence where the lags do not say all. */
  note: string | null;
}

/** Groups first, then projections, one reader a time; the last word is why the store could not be asked, or null. */
export async function* readReaders(log: EventLog, store: Store): AsyncGenerator<Reader, string | null> {
  const ends = await readTopicEnds(
    log,
    Object.values(topics).map(({ name }) => name),
  );
  for (const { group, lags } of await readGroupLags(log, ends)) {
    const note = lags.length === 0 ? 'it has committed nothing yet' : null;
    yield { kind: 'group', name: group, state: null, lags, note };
  }
  try {
    for (const { projection, version, state } of await readProjections(store)) {
      if (state === 'removed') continue;
      const { lags, foreign } = positionLags(log.id, await readPositions(store, projection, version), ends);
      const none = lags.length === 0 ? 'it has no positions yet' : null;
      const note = foreign > 0 ? `${foreign} of its positions are of another log than this one` : none;
      yield { kind: 'projection', name: `${projection} v${version}`, state, lags, note };
    }
    return null;
  } catch (error) {
    if (isMissingTable(error)) return 'The store has no tables of projections yet: the projector makes them.';
    if (isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE'))
      return `${error.message} Positions of projections are not shown.`;
    throw error;
  }
}

/** One line a topic: what is still to be read in all, then where each partition stands of its end. */
export function readerText({ kind, name, state, lags, note }: Reader): string {
  const head = `${kind} ${name}${state === null ? '' : ` (${state})`}${note === null ? '' : `: ${note}`}`;
  const topic_lines = [...Map.groupBy(lags, ({ topic }) => topic)].map(([topic, partitions]) => {
    const behind = partitions.reduce((sum, { lag }) => sum + (lag ?? 0), 0);
    const places = partitions.map(({ next_offset, end_offset }) => `${next_offset ?? '-'}/${end_offset}`);
    return `  ${topic}  lag ${behind}  ${places.join(' ')}`;
  });
  return [head, ...topic_lines].join('\n');
}
