import { unlessAborted } from '../runtime/abort.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EventLog } from '../log/event-log.ts';
import { oldestWaiting, positionLags, type Lag } from '../log/lag.ts';
import { readAllPositions } from '../store/positions.ts';
import type { Store } from '../store/store.ts';
import { nameOf, type Projection } from './projection.ts';

export interface ProjectionLag {
  /** The version's name. */
  projection: string;
  lags: Lag[];
  /** How long the oldest message that it has not passed has been waiting; 0 where it has passed all. */
  waiting_ms: number;
}

/** A store that answers later than this is asked again at the next reading, and what is known of it counts. */
const usual_patience_ms = 1_000;

type Positions = Awaited<ReturnType<typeof readAllPositions>>;

/**
 * How far each running version is behind the log. Positions are those of the store. While it is away they stand where they last were, since
 * nobody can move them, so the lag is told also then: it is what grows. Null before positions have been read once.
 */
export function createLagReader(
  deps: { log: EventLog; store: Store; clock: Clock },
  running: () => readonly Projection[],
  store_patience_ms = usual_patience_ms,
): () => Promise<ProjectionLag[] | null> {
  const { log, store, clock } = deps;
  let known: Positions | null = null;
  let asking: Promise<void> | null = null;
  /** When the oldest waiting message of a partition was appended, so that one that still waits is not read again. */
  const appended = new Map<string, { next_offset: number | null; at: number | null }>();

  const askStore = async (): Promise<void> => {
    asking ??= readAllPositions(store)
      .then(
        (positions) => void (known = positions),
        // What is known counts; that the store is away is a metric of its own.
        () => undefined,
      )
      .finally(() => (asking = null));
    await unlessAborted(asking, AbortSignal.timeout(store_patience_ms)).catch(() => undefined);
  };

  const appendedAt = async (lag: Lag): Promise<number | null> => {
    const partition = `${lag.topic}/${lag.partition}`;
    const last = appended.get(partition);
    if (last?.next_offset === lag.next_offset) return last.at;
    const at = await oldestWaiting(log, lag);
    appended.set(partition, { next_offset: lag.next_offset, at });
    return at;
  };

  return async () => {
    await askStore();
    const positions = known;
    if (positions === null) return null;
    const topics = [...new Set(running().flatMap((each) => each.topics))];
    // After the positions, so that nobody seems to be past the end.
    const ends = new Map(
      await Promise.all(
        topics.map(async (topic) => [topic, await log.endOffsets(topic)] as [string, number[]]),
      ),
    );
    return Promise.all(
      running().map(async (each) => {
        const lags = lagsOf(log.id, each, positions, ends);
        const waiting = lags.filter(({ lag }) => (lag ?? 0) > 0);
        const since = (await Promise.all(waiting.map(appendedAt))).filter((at) => at !== null);
        const waiting_ms = Math.max(0, ...since.map((at) => clock() - at));
        return { projection: nameOf(each), lags, waiting_ms };
      }),
    );
  };
}

/** In every partition of every topic that the version reads; one without a position has been read up to its beginning. */
function lagsOf(
  log_id: string,
  { name, version, topics }: Projection,
  positions: Positions,
  ends: ReadonlyMap<string, readonly number[]>,
): Lag[] {
  const own = positions.filter((each) => each.projection === name && each.version === version);
  const beginnings = topics.map((topic) => ({ topic, partition: 0, log_id, next_offset: 0 }));
  const of_version = new Map([...ends].filter(([topic]) => topics.some((each) => each === topic)));
  return positionLags(log_id, [...own, ...beginnings], of_version).lags;
}
