import { randomUUID } from 'node:crypto';
import type { TopicSpec } from '../event-log.ts';
import type { Appender } from './append.ts';
import { fetchStretches, readEnds } from './fetch.ts';
import type { Cluster } from './inner.ts';

/**
 * The log's own topic, which holds no facts: who the log is, and the claims of owners. It lives and goes with the others; keys are never
 * written twice under one name, so compaction removes nothing that is asked for.
 */
export const own_topic: TopicSpec = {
  name: 'hail.log.v1',
  partitions: 1,
  compacted: true,
  retention_ms: null,
  max_message_bytes: 64 * 1024,
};

const id_key = /^log\/(.+)$/;

/** The log's id: the first that anyone wrote. Processes that open a new log at the same moment agree on it. */
export async function readLogId(cluster: Cluster, appender: Appender): Promise<string> {
  const known = await firstId(cluster);
  if (known !== null) return known;
  const id = randomUUID();
  await appender.append(own_topic, [{ key: `log/${id}`, value: Buffer.from(id) }]);
  return (await firstId(cluster)) ?? id;
}

async function firstId(cluster: Cluster): Promise<string | null> {
  const end = (await readEnds(cluster, own_topic.name))[0] ?? 0;
  for (let offset = 0; offset < end;) {
    const places = [{ topic: own_topic.name, partition: 0, offset }];
    const [stretch] = await fetchStretches(cluster, places, { wait_ms: 500, partition_bytes: 1024 * 1024 });
    for (const { key } of stretch?.messages ?? []) {
      const id = id_key.exec(key)?.[1];
      if (id !== undefined) return id;
    }
    offset = stretch?.end_offset ?? offset;
  }
  return null;
}
