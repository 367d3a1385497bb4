import { HailmarkError } from '../../runtime/errors.ts';
import type { StoredMessage } from '../event-log.ts';
import { guardedQuestion, typeOf } from './failures.ts';
import { fetchRequest, read_committed, type Cluster } from './inner.ts';
import { decodeRecords, readInt64, type AbortedTransaction } from './record-batch.ts';

export interface TopicPartition {
  topic: string;
  partition: number;
}

/** What one fetch found in one partition. */
export interface FetchedStretch extends TopicPartition {
  messages: StoredMessage[];
  first_offset: number;
  /** Where reading goes on; equal to `first_offset` where nothing was there. */
  end_offset: number;
  /** The end of what can be read: open transactions lie beyond it. */
  high_watermark: number;
}

export interface Place extends TopicPartition {
  offset: number;
}

const error_codes = { offset_out_of_range: 1 } as const;

/**
 * Reads on at the given places, at most `partition_bytes` of each (one whole record batch at least), waiting up to `wait_ms` for the first
 * byte. Leaders are looked up anew after a failure, which the caller sees as `HAIL_LOG_UNAVAILABLE`.
 */
export async function fetchStretches(
  cluster: Cluster,
  places: readonly Place[],
  options: { wait_ms: number; partition_bytes: number },
): Promise<FetchedStretch[]> {
  return guardedQuestion(async () => {
    await cluster.addMultipleTargetTopics([...new Set(places.map(({ topic }) => topic))]);
    await cluster.refreshMetadataIfNecessary();
    try {
      const answers = await Promise.all(
        [...byLeader(cluster, places)].map(([nodeId, own]) => fetchFrom(cluster, nodeId, own, options)),
      );
      return answers.flat();
    } catch (error) {
      await cluster.refreshMetadata();
      throw error;
    }
  });
}

async function fetchFrom(
  cluster: Cluster,
  nodeId: number,
  places: readonly Place[],
  { wait_ms, partition_bytes }: { wait_ms: number; partition_bytes: number },
): Promise<FetchedStretch[]> {
  const broker = await cluster.findBroker({ nodeId });
  const topics = [...new Set(places.map(({ topic }) => topic))].map((topic) => ({
    topic,
    partitions: places
      .filter((place) => place.topic === topic)
      .map(({ partition, offset }) => ({ partition, fetchOffset: offset, maxBytes: partition_bytes })),
  }));
  const from = new Map(places.map((place) => [`${place.topic}/${place.partition}`, place.offset]));
  return broker.connectionPool.send({
    request: fetchRequest({
      replicaId: -1,
      maxWaitTime: wait_ms,
      minBytes: 1,
      maxBytes: partition_bytes * places.length,
      topics,
    }),
    response: {
      decode: (bytes) => Promise.resolve(decodeAnswer(bytes, from)),
      parse: (decoded) => Promise.resolve(decoded),
    },
  });
}

/** Fetch Response (Version: 11), https://kafka.apache.org/protocol#The_Messages_Fetch. */
function decodeAnswer(bytes: Buffer, from: ReadonlyMap<string, number>): FetchedStretch[] {
  let at = 4;
  const int16 = (): number => bytes.readInt16BE((at += 2) - 2);
  const int32 = (): number => bytes.readInt32BE((at += 4) - 4);
  const int64 = (): number => readInt64(bytes, (at += 8) - 8);
  const failed = int16();
  if (failed !== 0) throw fetchFailure(failed, 'the fetch');
  at += 4;
  const stretches: FetchedStretch[] = [];
  for (let topics = int32(); topics > 0; topics -= 1) {
    const name_bytes = int16();
    const topic = bytes.toString('utf8', at, (at += name_bytes));
    for (let partitions = int32(); partitions > 0; partitions -= 1) {
      const partition = int32();
      const error = int16();
      at += 8;
      const high_watermark = int64();
      at += 8;
      const aborted: AbortedTransaction[] = [];
      for (let left = int32(); left > 0; left -= 1) {
        const producer_id = bytes.readBigInt64BE((at += 8) - 8);
        aborted.push({ producer_id, first_offset: int64() });
      }
      at += 4;
      const size = int32();
      const records = bytes.subarray(at, (at += Math.max(0, size)));
      if (error !== 0) throw fetchFailure(error, `${topic}, partition ${partition}`);
      const first_offset = from.get(`${topic}/${partition}`) ?? 0;
      const { messages, next_offset } = decodeRecords(
        records,
        { topic, partition, from: first_offset },
        aborted,
      );
      stretches.push({ topic, partition, messages, first_offset, end_offset: next_offset, high_watermark });
    }
  }
  return stretches;
}

function fetchFailure(code: number, where: string): HailmarkError {
  if (code === error_codes.offset_out_of_range) {
    return new HailmarkError(
      'HAIL_OTHER_LOG',
      `An offset asked for lies outside ${where} of the log: messages were removed, or this is another log. Rebuild the views from this one.`,
    );
  }
  return new HailmarkError('HAIL_LOG_UNAVAILABLE', `Kafka cannot read ${where} now (error ${code}).`);
}

function byLeader(cluster: Cluster, places: readonly Place[]): Map<number, Place[]> {
  const leaders = new Map<number, Place[]>();
  for (const place of places) {
    const leader = cluster
      .findTopicPartitionMetadata(place.topic)
      .find(({ partitionId }) => partitionId === place.partition)?.leader;
    if (leader === undefined || leader < 0) {
      throw new HailmarkError(
        'HAIL_LOG_UNAVAILABLE',
        `Kafka has no leader for ${place.topic}, partition ${place.partition}, now.`,
      );
    }
    leaders.set(leader, [...(leaders.get(leader) ?? []), place]);
  }
  return leaders;
}

/** The end of what can be read of each partition, by partition: everything below it is committed. */
export async function readEnds(cluster: Cluster, topic: string): Promise<number[]> {
  return guardedQuestion(async () => {
    try {
      await cluster.addMultipleTargetTopics([topic]);
      await cluster.refreshMetadataIfNecessary();
      const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const ends = Array.from({ length: partitions.length }, () => 0);
      const places = partitions.map((partition) => ({ topic, partition, offset: 0 }));
      for (const [nodeId, own] of byLeader(cluster, places)) {
        const broker = await cluster.findBroker({ nodeId });
        const { responses } = await broker.listOffsets({
          replicaId: -1,
          isolationLevel: read_committed,
          topics: [{ topic, partitions: own.map(({ partition }) => ({ partition, timestamp: -1 })) }],
        });
        for (const { partition, offset } of responses.flatMap((each) => each.partitions))
          ends[partition] = Number(offset);
      }
      return ends;
    } catch (error) {
      if (typeOf(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') await cluster.refreshMetadata();
      throw error;
    }
  });
}
