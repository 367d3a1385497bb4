import { connect, type Socket } from 'node:net';
import { within } from './within.ts';

/** Below the time of a test, so that what had come back is told. */
const close_ms = 60_000;

/** Everything that came back on a connection until it was closed, whoever closed it. */
export interface RawAnswer {
  text: string;
  /** The status of each answer, in order. */
  statuses: number[];
}

/**
 * Sends bytes as they are and resolves when the connection is closed. `feed` writes what it likes; a client that is cut while it writes is
 * closed like any other.
 */
export function exchangeRaw(url: string, feed: (socket: Socket) => void): Promise<RawAnswer> {
  const parts: Buffer[] = [];
  const closed = new Promise<RawAnswer>((done) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => feed(socket));
    socket.on('data', (part: Buffer) => parts.push(part));
    // The close that follows says all: half of these tests are about being cut.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const text = Buffer.concat(parts).toString('latin1');
      done({
        text,
        statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
      });
    });
  });
  return within(
    'the connection is closed',
    closed,
    () => Buffer.concat(parts).toString('latin1').slice(0, 400),
    close_ms,
  );
}

export function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  return exchangeRaw(url, (socket) => socket.write(bytes));
}
