import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { it } from 'node:test';
import { createKafkaClient } from '../../services/log/kafka/connection.ts';
import { fetchStretches } from '../../services/log/kafka/fetch.ts';
import { createCluster } from '../../services/log/kafka/inner.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { eventually } from './event-log.support.ts';

it('waits for a broker that takes connections and does not answer yet, whichever caller meets it', async (t) => {
  const taken: Socket[] = [];
  const server = createServer((socket) => taken.push(socket.on('error', () => undefined)));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const kafka = createKafkaClient({ ...readConfig({}), KAFKA_BROKERS: `127.0.0.1:${port}` });
  const cluster = createCluster(kafka);
  const connecting = cluster.connect().catch((error: unknown) => error);
  t.after(async () => {
    server.close();
    for (const socket of taken) socket.destroy();
    await connecting;
    await cluster.disconnect();
  });
  // The first caller's request has arrived and waits for its answer: the connection stands, the broker is unknown.
  await eventually('the first request has come', () => (taken[0]?.bytesRead ?? 0) > 0);
  const place = { topic: 'observation', partition: 0, offset: 0 };
  await assert.rejects(fetchStretches(cluster, [place], { wait_ms: 0, partition_bytes: 1_000 }), (error) =>
    isHailmarkError(error, 'HAIL_LOG_UNAVAILABLE'),
  );
});
