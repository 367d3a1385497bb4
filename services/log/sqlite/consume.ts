import { isTransient } from '../../runtime/errors.ts';
import type { GroupMember, GroupOptions } from '../event-log.ts';
import type { LogDatabase } from './database.ts';
import { createGroupSeat, type Holding } from './group.ts';
import { readEnds, readPage } from './read.ts';

const heartbeat_ms = 1_000;

/** A holding and the offset at which it goes on. */
interface Place {
  holding: Holding;
  next: number;
}

/**
 * Joins a group and runs its member: one loop over all partitions it holds, one batch at a time, in turn. It looks at the group between
 * batches only, so a partition changes hands when its batch in flight is done, or when its member is gone.
 */
export async function consumeGroup(database: LogDatabase, options: GroupOptions): Promise<GroupMember> {
  const topics = [...new Set(options.topics)];
  const seat = createGroupSeat(database, options.group, topics);
  const stopping = new AbortController();
  const signals = [
    stopping.signal,
    database.closing,
    ...(options.signal === undefined ? [] : [options.signal]),
  ];
  const signal = AbortSignal.any(signals);
  const stopped = (): boolean => signal.aborted;

  let broken: unknown;

  /** A holding is forgotten when it is lost, so that its start is asked anew when it comes back. */
  const settle = async (before: readonly Place[] | null): Promise<Place[]> => {
    const holdings = await seat.settle();
    const settled: Place[] = [];
    for (const holding of holdings) {
      const same = before?.find((place) => isSame(place.holding, holding));
      settled.push(same ?? { holding, next: await startOf(options, holding) });
    }
    return settled;
  };

  const oneBatch = async (place: Place): Promise<boolean> => {
    const { holding, next } = place;
    const { topic, partition } = holding;
    const high_watermark = readEnds(database, topic)[partition] ?? 0;
    const messages = readPage(
      database,
      holding,
      { from: next, until: high_watermark },
      options.batch_messages,
    );
    const last = messages.at(-1);
    if (last === undefined) return false;
    const end_offset = last.offset + 1;
    await options.onBatch({
      topic,
      partition,
      messages,
      first_offset: next,
      end_offset,
      high_watermark,
      isStale: () => !seat.holds(holding),
    });
    // A batch that was no longer ours moves nothing: whoever holds the partition now starts from its own record.
    if (await seat.commit(holding, end_offset)) place.next = end_offset;
    return true;
  };

  const loop = async (): Promise<void> => {
    let beating = false;
    const beat = setInterval(() => {
      if (beating) return;
      beating = true;
      seat
        .beat()
        .catch((error: unknown) => {
          // A beat that the file refuses is made up for by the next; past a whole session the others take over.
          if (isTransient(error) || stopped()) return;
          broken = error;
          stopping.abort();
        })
        .finally(() => {
          beating = false;
        });
    }, heartbeat_ms);
    let places: Place[] | null = null;
    try {
      while (!stopped()) {
        const seen = database.news.version();
        if (places === null || seat.unsettled() || seat.awaiting()) places = await settle(places);
        let found = false;
        for (const place of places) {
          if (stopped()) break;
          found = (await oneBatch(place)) || found;
          if (seat.unsettled()) break;
        }
        if (!found && !seat.unsettled()) await database.news.after(seen, heartbeat_ms, signal);
      }
    } catch (error) {
      // Work that is given up because it was told to stop is no failure: its batch is not committed and comes again.
      if (!stopped()) throw error;
    } finally {
      clearInterval(beat);
      await seat.leave().catch((error: unknown) => {
        // Without a farewell the others find the member dead or silent; the error that ended it must not be hidden by this one.
        if (!isTransient(error)) throw error;
      });
    }
    if (broken !== undefined) throw broken as Error;
  };

  // The member is in the group when `join` resolves; what it holds is asked for by its loop.
  await seat.settle();
  const done = loop();
  return {
    done,
    leave: async () => {
      stopping.abort();
      await done.catch(() => undefined);
    },
  };
}

/** The holding's start by the consumer's own record. */
async function startOf(options: GroupOptions, { topic, partition }: Holding): Promise<number> {
  const start = await options.startAt(topic, partition);
  if (Number.isSafeInteger(start) && start >= 0) return start;
  throw new RangeError(`startAt must give an offset, for ${topic}/${partition} it gave ${start}`);
}

function isSame(a: Holding, b: Holding): boolean {
  return a.topic === b.topic && a.partition === b.partition && a.generation === b.generation;
}
