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
 * Joins a group and runs its member: one loop over all partitions it holds, in turn, never two batches of one partition. It
 * looks at the group with no batch in hand only, so a partition changes hands when its batch is done, or when its member is gone.
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
  const { batches_in_hand = 1 } = options;

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

  /** Begins the place's next batch; null where there is nothing to read. */
  const begin = (place: Place): Promise<void> | null => {
    const { holding, next } = place;
    const { topic, partition } = holding;
    const high_watermark = readEnds(database, topic)[partition] ?? 0;
    const range = { from: next, until: high_watermark };
    const messages = readPage(database, holding, range, options.batch_messages);
    const last = messages.at(-1);
    if (last === undefined) return null;
    const end_offset = last.offset + 1;
    const batch = { topic, partition, messages, first_offset: next, end_offset, high_watermark };
    const handle = async (): Promise<void> => {
      await options.onBatch({ ...batch, isStale: () => !seat.holds(holding) });
      // A batch that was no longer ours moves nothing: whoever holds the partition now starts from its own record.
      if (await seat.commit(holding, end_offset)) place.next = end_offset;
    };
    return handle();
  };

  const in_hand = new Map<Place, Promise<void>>();
  const take = (place: Place): boolean => {
    const batch = begin(place);
    if (batch === null) return false;
    in_hand.set(place, batch);
    // One that failed stays, so that whoever waits next meets its error.
    const put = (): void => void in_hand.delete(place);
    batch.then(put, () => undefined);
    return true;
  };

  /** Waits for a batch in hand to be done, or for more to read while another could be taken. */
  const something = async (seen: number): Promise<void> => {
    const waiting = new AbortController();
    const news =
      in_hand.size < batches_in_hand
        ? [database.news.after(seen, heartbeat_ms, AbortSignal.any([signal, waiting.signal]))]
        : [];
    try {
      await Promise.race([...in_hand.values(), ...news]);
    } finally {
      waiting.abort();
    }
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
        if (places === null || seat.unsettled() || seat.awaiting()) {
          await Promise.all(in_hand.values());
          places = await settle(places);
        }
        const idle = places.filter((place) => !in_hand.has(place));
        for (const place of idle) {
          if (in_hand.size >= batches_in_hand || stopped() || seat.unsettled()) break;
          // Those that have had their turn stand behind the others.
          if (take(place)) places.push(...places.splice(places.indexOf(place), 1));
        }
        if (!seat.unsettled()) await something(seen);
      }
      await Promise.all(in_hand.values());
    } catch (error) {
      // Work that is given up because it was told to stop is no failure: its batch is not committed and comes again.
      if (!stopped()) throw error;
    } finally {
      clearInterval(beat);
      // Of the batches in hand none is left when all went well. After an error they are stale, which ends those that wait for something.
      await seat.leave().catch((error: unknown) => {
        // Without a farewell the others find the member dead or silent; the error that ended it must not be hidden by this one.
        if (!isTransient(error)) throw error;
      });
      await Promise.allSettled(in_hand.values());
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
