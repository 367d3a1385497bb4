import { unlessAborted } from '../runtime/abort.ts';
import { pause } from '../runtime/clock.ts';
import { isTransient } from '../runtime/errors.ts';
import type { GroupMember, GroupOptions, StoredMessage } from './event-log.ts';
import type { TopicPartition } from './share.ts';

/** A partition in a member's hands. The generation of its taking tells one holding from a later one of the same member. */
export interface Holding extends TopicPartition {
  generation: number;
}

/** The place of one consumer in a group, whatever keeps the group. */
export interface GroupSeat {
  /** Becomes ready to settle. */
  enter: () => Promise<unknown>;
  /** Says that the member lives, also while a batch is under way. */
  beat: () => Promise<void>;
  /** True when members have come or gone since `settle`: what is held may belong to another. */
  unsettled: () => boolean;
  /** True while a partition of this member's share was still in another's hands at `settle`. */
  awaiting: () => boolean;
  /**
   * Brings what the member holds in line with its share: gives up what belongs to others, takes what is its own and free. Called while no
   * batch is in flight, so that a partition is never given up with one. Returns what is held now.
   */
  settle: () => Promise<Holding[]>;
  holds: (holding: Holding) => boolean;
  /** Moves the group's commit where the partition is still held; false where it is not. */
  commit: (holding: Holding, next_offset: number) => Promise<boolean>;
  leave: () => Promise<void>;
}

/** A holding and the offset at which it goes on. */
export interface Place {
  holding: Holding;
  next: number;
}

/** What lies in a partition from some offset on. */
export interface Stretch {
  messages: StoredMessage[];
  end_offset: number;
  high_watermark: number;
}

/** Where a consumer's messages come from. */
export interface PartitionSource {
  /** The next messages of a place, at most so many; null where there are none now. */
  read: (place: Place, messages: number) => Promise<Stretch | null>;
  /** To be called before looking: what it returns waits for anything that came since, for `limit_ms`, or for the signal. Never rejects. */
  lookout: () => (places: readonly Place[], limit_ms: number, signal: AbortSignal) => Promise<void>;
}

const heartbeat_ms = 1_000;
/** After so many batches of one partition the group is looked at again, and partitions that were at their end. */
const batches_a_turn = 8;
/** Pauses while the log is away. */
const first_wait_ms = 50;
const longest_wait_ms = 5_000;

/**
 * Joins a group and runs its member: batches of several partitions at once, never two of one. The group is looked at while no batch is in
 * flight, so a partition changes hands when its batch is done, or when its member is gone. A log that is away is waited for.
 */
export async function consumeGroup(
  parts: { seat: GroupSeat; source: PartitionSource },
  options: GroupOptions,
  closing: AbortSignal,
): Promise<GroupMember> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([
    stopping.signal,
    closing,
    ...(options.signal === undefined ? [] : [options.signal]),
  ]);
  const stopped = (): boolean => signal.aborted;
  const { seat, source, startAt } = patientParts(parts, options, signal);

  /** A holding is forgotten when it is lost, so that its start is asked anew when it comes back. */
  const settle = async (before: readonly Place[]): Promise<Place[]> => {
    const holdings = await seat.settle();
    const settled: Place[] = [];
    for (const holding of holdings) {
      const same = before.find((place) => isSame(place.holding, holding));
      settled.push(same ?? { holding, next: await startAt(holding) });
    }
    return settled;
  };

  const oneBatch = async (place: Place): Promise<boolean> => {
    const { holding, next } = place;
    const { topic, partition } = holding;
    const found = await source.read(place, options.batch_messages);
    if (found === null || !seat.holds(holding)) return false;
    const { messages, end_offset, high_watermark } = found;
    const isStale = (): boolean => !seat.holds(holding);
    await options.onBatch({
      topic,
      partition,
      messages,
      first_offset: next,
      end_offset,
      high_watermark,
      isStale,
    });
    // A batch that was no longer ours moves nothing: whoever holds the partition now starts from its own record.
    if (await seat.commit(holding, end_offset)) place.next = end_offset;
    return true;
  };

  /** Several places side by side; resolves when no batch is in flight any more. True when anything was found. */
  const oneTurn = async (places: readonly Place[]): Promise<boolean> => {
    const queue = places.map((place) => ({ place, left: batches_a_turn }));
    const failed: unknown[] = [];
    let found = false;
    const work = async (): Promise<void> => {
      for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
        if (stopped() || seat.unsettled() || failed.length > 0) return;
        const more = await oneBatch(each.place);
        found ||= more;
        each.left -= 1;
        if (more && each.left > 0) queue.push(each);
      }
    };
    await Promise.all(
      Array.from({ length: options.batches_in_hand ?? 1 }, () =>
        work().catch((error: unknown) => failed.push(error)),
      ),
    );
    if (failed.length > 0) throw failed[0] as Error;
    return found;
  };

  let broken: unknown;
  const startBeating = (): NodeJS.Timeout => {
    let beating = false;
    return setInterval(() => {
      if (beating) return;
      beating = true;
      seat
        .beat()
        .catch((error: unknown) => {
          // A beat that fails is made up for by the next; past a whole session the others take over.
          if (isTransient(error) || stopped()) return;
          broken = error;
          stopping.abort();
        })
        .finally(() => {
          beating = false;
        });
    }, heartbeat_ms);
  };

  const loop = async (): Promise<void> => {
    const beat = startBeating();
    let places: Place[] = [];
    let settled = false;
    try {
      while (!stopped()) {
        const wait = source.lookout();
        if (!settled || seat.unsettled() || seat.awaiting()) {
          places = await settle(places);
          settled = true;
        }
        const found = await oneTurn(places);
        options.onTurn?.();
        if (!found && !seat.unsettled()) await wait(places, heartbeat_ms, signal);
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

  await seat.enter();
  const done = loop();
  return {
    done,
    leave: async () => {
      stopping.abort();
      await done.catch(() => undefined);
    },
  };
}

interface PatientParts {
  seat: GroupSeat;
  source: PartitionSource;
  startAt: (holding: Holding) => Promise<number>;
}

/**
 * The parts, waiting with growing pauses while what keeps them is away, and giving up when told to stop. The consumer's record of its start
 * is waited for like the rest: it may stand in the same log, which may go away just when a partition comes.
 */
function patientParts(
  { seat, source }: { seat: GroupSeat; source: PartitionSource },
  options: GroupOptions,
  signal: AbortSignal,
): PatientParts {
  const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let wait_ms = first_wait_ms; ; wait_ms = Math.min(longest_wait_ms, wait_ms * 2)) {
      try {
        return await unlessAborted(work(), signal);
      } catch (error) {
        if (!isTransient(error) || signal.aborted) throw error;
        options.onAway?.(error);
        await pause(wait_ms, signal);
      }
    }
  };
  return {
    seat: {
      ...seat,
      enter: () => patiently(seat.enter),
      settle: () => patiently(seat.settle),
      // Its batch is done: a member that ended here because the log is away would end for what the next reading waits for anyway.
      commit: (holding, next_offset) => patiently(() => seat.commit(holding, next_offset)),
    },
    source: { ...source, read: (place, messages) => patiently(() => source.read(place, messages)) },
    startAt: (holding) => patiently(() => startOf(options, holding)),
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
