import type { Kafka } from 'kafkajs';
import { pause } from '../../runtime/clock.ts';
import { HailmarkError, isTransient } from '../../runtime/errors.ts';
import type { GroupSeat } from '../consume.ts';
import type { Ownership } from '../event-log.ts';
import { createOwnedAppender, type Appender } from './append.ts';
import { own_topic } from './identity.ts';
import { createKafkaSeat } from './seat.ts';

const beat_ms = 1_000;
/** A group's coordinator may be starting, or forget a member that it has just let in. */
const most_tries = 20;
const try_again_ms = 250;

export interface Claim {
  ownership: Ownership;
  /** Appends for the owner, refused once another has claimed the resource. */
  appender: Appender;
}

export interface ClaimOptions {
  resource: string;
  log_id: string;
  session_ms: number;
  closing: AbortSignal;
  onEnd: () => void;
}

/**
 * Ownership is the one partition of a group of its own, which tells the living from the dead; and a transactional id, by which the broker
 * refuses whatever a former owner sends once another has begun. The epoch is where the claim stands in the log.
 */
export async function claimResource(kafka: Kafka, options: ClaimOptions): Promise<Claim> {
  const { resource, session_ms, closing } = options;
  const group = `hailmark.owner/${resource}`;
  const seat = createKafkaSeat(kafka, { group, topics: [own_topic.name], session_ms, keeps: true });
  const appender = createOwnedAppender(kafka, `hailmark/${options.log_id}/${resource}`);
  let stopBeating = (): void => undefined;
  try {
    await seat.enter();
    // Joining waits until a living owner has joined again, which keeps it, or until a dead one's session has ended.
    const held = await persistently(seat.settle);
    if (held.length === 0) throw ownedElsewhere(resource);
    // Beginning with the transactional id shuts a former owner out; the claim's own offset is an epoch that grows.
    const claim = { key: `owner/${resource}`, value: Buffer.from(`process ${process.pid}`) };
    stopBeating = keepAlive(seat);
    const [at] = await appender.append(own_topic, [claim]);
    const close = async (): Promise<void> => {
      closing.removeEventListener('abort', closeAtOnce);
      stopBeating();
      options.onEnd();
      await appender.close();
      await seat.leave();
    };
    const closeAtOnce = (): void => void close().catch(() => undefined);
    closing.addEventListener('abort', closeAtOnce, { once: true });
    let ending: Promise<void> | undefined;
    return {
      appender,
      ownership: { resource, epoch: (at?.offset ?? 0) + 1, release: () => (ending ??= close()) },
    };
  } catch (error) {
    stopBeating();
    await appender.close();
    await seat.leave();
    throw error;
  }
}

/**
 * Stays in the group. An owner that the coordinator lost sight of joins again: as long as nobody else claimed the resource, its appends are
 * not refused and it is the owner still.
 */
function keepAlive(seat: GroupSeat): () => void {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    (seat.unsettled() ? seat.settle() : seat.beat())
      .catch((error: unknown) => {
        if (!isTransient(error)) throw error;
      })
      .finally(() => {
        busy = false;
      });
  }, beat_ms);
  return () => clearInterval(timer);
}

async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || tried === most_tries) throw error;
      await pause(try_again_ms);
    }
  }
}

function ownedElsewhere(resource: string): HailmarkError {
  return new HailmarkError(
    'HAIL_OWNED_ELSEWHERE',
    `Another running process owns ${resource}: stop it, or let this one use other brokers.`,
  );
}
