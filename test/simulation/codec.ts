import type { Codec, Decoded } from '../../services/log/codec.ts';
import type { FactOfTopic } from '../../services/log/facts.ts';
import type { TopicName } from '../../services/log/topics.ts';

/** How a message came out: whole, not decodable before its repair, or never decodable. */
export type Condition = 'whole' | 'broken' | 'lost';

export interface MemoryCodec extends Codec {
  /** Broken messages as numbers that `repair` takes. */
  broken: () => number[];
  /** As when the schema that was missing is registered: from now on every reader can decode it. */
  repair: (id: number) => void;
  /** The condition of some bytes, or null where this codec has not made them. */
  conditionOf: (value: Buffer | null) => Condition | null;
  /** What was meant, whatever the bytes' condition. */
  meant: <T extends TopicName>(topic: T, value: Buffer | null) => FactOfTopic[T] | null;
}

/**
 * A codec whose bytes are numbers of facts it keeps: no schema, no registry, and a message can be made undecodable until it is repaired.
 * `conditionOfNext` is asked once for each fact that is encoded.
 */
export function createMemoryCodec(conditionOfNext: (topic: TopicName) => Condition): MemoryCodec {
  const made: { topic: TopicName; fact: FactOfTopic[TopicName]; condition: Condition }[] = [];
  const find = (value: Buffer | null): (typeof made)[number] | undefined =>
    value?.length === 4 ? made[value.readUInt32BE(0)] : undefined;

  const decodeKnown = <T extends TopicName>(topic: T, value: Buffer | null): Decoded<FactOfTopic[T]> => {
    const found = find(value);
    if (found?.topic !== topic)
      return { outcome: 'dead', reason: 'wrong-subject', error: 'of another topic' };
    if (found.condition !== 'whole')
      return { outcome: 'dead', reason: 'unknown-schema', error: `it is ${found.condition}` };
    // A copy: no reader may change what another one reads.
    return { outcome: 'ok', fact: { ...found.fact } as FactOfTopic[T] };
  };

  return {
    registerAll: () => Promise.resolve(),
    encode: (topic, fact) => {
      const value = Buffer.allocUnsafe(4);
      value.writeUInt32BE(made.length, 0);
      made.push({ topic, fact, condition: conditionOfNext(topic) });
      return value;
    },
    decode: (topic, value) => Promise.resolve(decodeKnown(topic, value)),
    decodeKnown,
    broken: () => made.flatMap(({ condition }, id) => (condition === 'broken' ? [id] : [])),
    repair: (id) => {
      const found = made[id];
      if (found?.condition === 'broken') found.condition = 'whole';
    },
    conditionOf: (value) => find(value)?.condition ?? null,
    meant: <T extends TopicName>(topic: T, value: Buffer | null) => {
      const found = find(value);
      return found?.topic === topic ? (found.fact as FactOfTopic[T]) : null;
    },
  };
}
