import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { tlsOf } from '../../services/log/kafka/connection.ts';
import type { Around } from './around.ts';
import type { Check } from './examine.ts';
import { broken, notChecked, ok, warning } from './finding.ts';

const api_versions = 18;
const init_producer_id = 22;
/** With Kafka 2.5 came fencing of a producer by its epoch, on which the log's ownership stands. */
const least_init_producer_id = 3;
const start = 'Start the brokers, or correct KAFKA_BROKERS and the KAFKA_ settings beside it.';

/**
 * Every broker that the settings name, by itself: one that answers is enough to begin, so nobody notices that the others have been away for
 * weeks until it is the one's turn. What it is asked is the first question of every client, which needs no password.
 */
const brokers: Check = {
  name: 'kafka',
  look: async (around, signal) => {
    const { KAFKA_BROKERS } = around.config;
    if (KAFKA_BROKERS === undefined) return notChecked('KAFKA_BROKERS is not set: the log is a file.');
    const asked = await Promise.all(
      KAFKA_BROKERS.split(',').map(async (address) => ({
        address,
        versions: await askVersions(around, address, signal).catch(() => null),
      })),
    );
    const silent = asked.filter(({ versions }) => versions === null).map(({ address }) => address);
    if (silent.length === asked.length) return broken(`No broker answers at ${silent.join(', ')}.`, start);
    const old = asked.filter(
      ({ versions }) => versions !== null && (versions.get(init_producer_id) ?? -1) < least_init_producer_id,
    );
    if (old.length > 0)
      return broken(
        `Older than Kafka 2.5: ${old.map(({ address }) => address).join(', ')}.`,
        'Bring the brokers to a release that its makers support.',
      );
    if (silent.length > 0)
      return warning(
        `${silent.length} of ${asked.length} brokers do not answer: ${silent.join(', ')}.`,
        start,
      );
    return ok(`All ${asked.length} named brokers answer and speak the protocol of Kafka 2.5 or later.`);
  },
};

/** The highest version of each of a broker's APIs, by the API's number. */
async function askVersions(
  around: Around,
  address: string,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const [host = '', port = ''] = address.split(':');
  const { KAFKA_BROKERS = '', ...others } = around.config;
  const to = { host, port: Number(port) };
  const socket: Socket =
    around.config.KAFKA_TLS === 'true'
      ? connectTls({ ...to, servername: host, ...tlsOf({ ...others, KAFKA_BROKERS }) })
      : connectPlain(to);
  // Ahead of the check's own end, so that a broker that hangs is told from those that answer.
  const patience = AbortSignal.any([signal, AbortSignal.timeout(around.options.timeout_ms * 0.8)]);
  patience.addEventListener('abort', () => socket.destroy(new Error('late')), { once: true });
  try {
    socket.write(question());
    let bytes = Buffer.alloc(0);
    for await (const chunk of socket) {
      bytes = Buffer.concat([bytes, chunk as Buffer]);
      const whole = bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0);
      if (whole) return versionsIn(bytes);
    }
    throw new Error('the connection ended before the answer');
  } finally {
    socket.destroy();
  }
}

/** ApiVersions, version 0: length, API, version, correlation id 1, client id. */
function question(): Buffer {
  const client = Buffer.from('hailmark-doctor');
  const bytes = Buffer.alloc(14 + client.length);
  bytes.writeInt32BE(bytes.length - 4, 0);
  bytes.writeInt16BE(api_versions, 4);
  bytes.writeInt16BE(0, 6);
  bytes.writeInt32BE(1, 8);
  bytes.writeInt16BE(client.length, 12);
  client.copy(bytes, 14);
  return bytes;
}

/** Length, correlation id, error, count, then of each API its number, its lowest and its highest version. */
function versionsIn(bytes: Buffer): Map<number, number> {
  if (bytes.readInt16BE(8) !== 0) throw new Error('the broker refuses to tell its versions');
  const versions = new Map<number, number>();
  for (let at = 14; versions.size < bytes.readInt32BE(10); at += 6)
    versions.set(bytes.readInt16BE(at), bytes.readInt16BE(at + 4));
  return versions;
}

export const kafkaChecks: readonly Check[] = [brokers];
