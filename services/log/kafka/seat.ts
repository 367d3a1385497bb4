import { AssignerProtocol, type Kafka } from 'kafkajs';
import { isTransient } from '../../runtime/errors.ts';
import type { GroupSeat, Holding } from '../consume.ts';
import { shareOf, type Subscriber } from '../share.ts';
import { guarded, typeOf } from './failures.ts';
import { createCluster, type Broker, type Cluster, type JoinAnswer } from './inner.ts';

/** How long the others wait for a member that has a batch in hand when the group changes: longer than any batch should take. */
const rebalance_ms = 120_000;
const protocol = 'hailmark';
/** What a member says of itself when it joins. */
const holder = Buffer.from('holder');
const nobody = Buffer.alloc(0);
/** After these the coordinator does not know this member, or not in this generation: what it held may be another's. */
const unknown_member = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID']);

export interface SeatOptions {
  group: string;
  topics: readonly string[];
  session_ms: number;
  /** True where whoever holds the partitions keeps them, instead of sharing them with those who come. */
  keeps?: boolean;
  /** Steady time, milliseconds; goes on while the process is stopped. */
  now?: () => number;
}

/**
 * The place of one consumer in a group of Kafka's: joining, sharing, heartbeats and commits over connections of its own. A holding counts
 * only while the coordinator has heard this member within the session, so that a process that was stopped knows before it is told.
 */
export function createKafkaSeat(kafka: Kafka, options: SeatOptions): GroupSeat {
  const { group, topics, session_ms, now = () => performance.now() } = options;
  const cluster = createCluster(kafka);
  let coordinator: Broker | null = null;
  let member = '';
  let generation = -1;
  let holdings: Holding[] = [];
  let settled = false;
  let heard_at = -Infinity;
  let gone = false;

  const atCoordinator = async <T>(work: (broker: Broker) => Promise<T>): Promise<T> => {
    try {
      return await guarded(async () => {
        if (coordinator === null) {
          await cluster.connect();
          coordinator = await cluster.findGroupCoordinator({ groupId: group });
        }
        return work(coordinator);
      });
    } catch (error) {
      const type = typeOf(error);
      if (unknown_member.has(type)) {
        settled = false;
        holdings = [];
        if (type === 'UNKNOWN_MEMBER_ID') member = '';
      } else if (type === 'REBALANCE_IN_PROGRESS') {
        settled = false;
      } else {
        // It may have moved to another broker.
        coordinator = null;
      }
      throw error;
    }
  };

  const join = async (broker: Broker): Promise<Holding[]> => {
    const metadata = AssignerProtocol.MemberMetadata.encode({
      version: 1,
      topics: [...topics],
      userData: options.keeps === true && holdings.length > 0 ? holder : nobody,
    });
    const joined = await broker.joinGroup({
      groupId: group,
      sessionTimeout: session_ms,
      rebalanceTimeout: rebalance_ms,
      memberId: member,
      groupProtocols: [{ name: protocol, metadata }],
    });
    member = joined.memberId;
    heard_at = now();
    const shares = joined.leaderId === member ? await sharesOf(cluster, joined) : [];
    const { memberAssignment } = await broker.syncGroup({
      groupId: group,
      generationId: joined.generationId,
      memberId: member,
      groupAssignment: shares,
    });
    heard_at = now();
    // What was held in the generation just before cannot have been another's in between; a gap in the count means it can.
    const kept = joined.generationId === generation + 1 ? holdings : [];
    generation = joined.generationId;
    const assigned = AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {};
    return Object.entries(assigned).flatMap(([topic, partitions]) =>
      partitions.map(
        (partition) =>
          kept.find((each) => each.topic === topic && each.partition === partition) ?? {
            topic,
            partition,
            generation,
          },
      ),
    );
  };

  const holds = ({ topic, partition, generation: taken }: Holding): boolean =>
    now() - heard_at < session_ms &&
    holdings.some(
      (each) => each.topic === topic && each.partition === partition && each.generation === taken,
    );

  return {
    enter: () => guarded(() => cluster.connect()),
    beat: async () => {
      if (!settled || gone) return;
      await atCoordinator((broker) =>
        broker.heartbeat({ groupId: group, groupGenerationId: generation, memberId: member }),
      ).then(
        () => {
          heard_at = now();
        },
        (error: unknown) => {
          const type = typeOf(error);
          // The group is changing and knows that this member lives.
          if (type === 'REBALANCE_IN_PROGRESS') heard_at = now();
          else if (!unknown_member.has(type)) throw error;
        },
      );
    },
    unsettled: () => !settled,
    awaiting: () => false,
    settle: async () => {
      // No beats meanwhile: a member that is joining is known to live, and its old generation is none any more.
      settled = false;
      try {
        holdings = await atCoordinator(join);
      } catch (error) {
        // Nothing is held for certain; the caller comes again.
        holdings = [];
        throw error;
      }
      settled = true;
      return holdings;
    },
    holds,
    commit: async (holding, next_offset) => {
      if (!holds(holding)) return false;
      const { topic, partition } = holding;
      await atCoordinator((broker) =>
        broker.offsetCommit({
          groupId: group,
          groupGenerationId: generation,
          memberId: member,
          topics: [{ topic, partitions: [{ partition, offset: String(next_offset) }] }],
        }),
      ).catch((error: unknown) => {
        // A commit is for showing lag, and the next one makes up for it; what was lost with it shows in `holds`.
        if (!isTransient(error)) throw error;
      });
      return holdings.includes(holding);
    },
    leave: async () => {
      gone = true;
      holdings = [];
      if (member !== '' && coordinator !== null) {
        await coordinator.leaveGroup({ groupId: group, memberId: member }).catch(() => undefined);
      }
      await cluster.disconnect().catch(() => undefined);
    },
  };
}

/** The leader's part: who gets what, by the rule that both twins share. */
async function sharesOf(
  cluster: Cluster,
  { members }: JoinAnswer,
): Promise<{ memberId: string; memberAssignment: Buffer }[]> {
  const all = members.map(({ memberId, memberMetadata }) => {
    const metadata = AssignerProtocol.MemberMetadata.decode(memberMetadata);
    const subscriber: Subscriber = { member: memberId, topics: metadata?.topics ?? [] };
    return { subscriber, is_holder: metadata?.userData.equals(holder) ?? false };
  });
  const holders = all.filter(({ is_holder }) => is_holder);
  const subscribers = (holders.length > 0 ? holders : all).map(({ subscriber }) => subscriber);
  const topics = [...new Set(subscribers.flatMap((each) => each.topics))];
  await cluster.addMultipleTargetTopics(topics);
  const partitions = topics.flatMap((topic) =>
    cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ topic, partition: partitionId })),
  );
  return all.map(({ subscriber: { member } }) => {
    const assignment: Record<string, number[]> = {};
    for (const { topic, partition } of shareOf(member, subscribers, partitions)) {
      assignment[topic] = [...(assignment[topic] ?? []), partition];
    }
    return {
      memberId: member,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: 1,
        assignment,
        userData: nobody,
      }),
    };
  });
}
