import type { Admin, Kafka } from 'kafkajs';
import { pause } from '../../runtime/clock.ts';
import { HailmarkError, isTransient } from '../../runtime/errors.ts';
import type { GroupSeat } from '../consume.ts';
import type { Ownership } from '../event-log.ts';
import { createOwnedAppender, type Appender } from './append.ts';
import { guardedQuestion } from './failures.ts';
import { own_topic } from './identity.ts';
import { createKafkaSeat } from './seat.ts';

const look_ms = 100;
const beat_ms = 1_000;

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
export async function claimResource(kafka: Kafka, admin: Admin, options: ClaimOptions): Promise<Claim> {
  const { resource, session_ms, closing } = options;
  const group = `hailmark.owner/${resource}`;
  await untilNobody(admin, group, options);
  const seat = createKafkaSeat(kafka, { group, topics: [own_topic.name], session_ms });
  const appender = createOwnedAppender(kafka, `hailmark/${options.log_id}/${resource}`);
  try {
    await seat.enter();
    const held = await seat.settle();
    // Another claimed it at the same moment and came first.
    if (held.length === 0) throw ownedElsewhere(resource);
    // Beginning with the transactional id shuts a former owner out; the claim's own offset is an epoch that grows.
    const claim = { key: `owner/${resource}`, value: Buffer.from(`process ${process.pid}`) };
    const [at] = await appender.append(own_topic, [claim]);
    const stopBeating = keepAlive(seat);
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
    await appender.close();
    await seat.leave();
    throw error;
  }
}

/** A dead owner is in its group until its session ends; one that is still there a while later lives. */
async function untilNobody(
  admin: Admin,
  group: string,
  { resource, session_ms, closing }: ClaimOptions,
): Promise<void> {
  const until = performance.now() + session_ms + 1_000;
  for (;;) {
    const members = await guardedQuestion(async () => {
      const { groups } = await admin.describeGroups([group]);
      return groups[0]?.members.length ?? 0;
    });
    if (members === 0) return;
    if (performance.now() > until || closing.aborted) throw ownedElsewhere(resource);
    await pause(look_ms, closing);
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

function ownedElsewhere(resource: string): HailmarkError {
  return new HailmarkError(
    'HAIL_OWNED_ELSEWHERE',
    `Another running process owns ${resource}: stop it, or let this one use other brokers.`,
  );
}
