import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { HailmarkError } from '../../runtime/errors.ts';
import type { StoredMessage } from '../event-log.ts';

/** What a stretch of a partition's log holds. */
export interface DecodedRecords {
  messages: StoredMessage[];
  /** One past the last offset that the whole batches speak for, marks and removed messages included; the first offset where there is none. */
  next_offset: number;
}

/** A transaction that was given up: what its producer wrote from here up to its mark is void. */
export interface AbortedTransaction {
  producer_id: bigint;
  first_offset: number;
}

const header_bytes = 61;
const magic = 2;
const log_append_time = 0x08;
const transactional = 0x10;
const control = 0x20;

/**
 * Reads record batches of format 2 (https://kafka.apache.org/documentation/#recordbatch) as a fetch gives them: the first may begin before
 * `from`, the last may be cut off. Values are views of `bytes`.
 */
export function decodeRecords(
  bytes: Buffer,
  at: { topic: string; partition: number; from: number },
  aborted: readonly AbortedTransaction[],
): DecodedRecords {
  const messages: StoredMessage[] = [];
  const open_aborted = aborted.toSorted((a, b) => a.first_offset - b.first_offset);
  const void_producers = new Set<bigint>();
  let next_offset = at.from;
  for (let start = 0; start + header_bytes <= bytes.length;) {
    const end = start + 12 + bytes.readInt32BE(start + 8);
    if (end > bytes.length) break;
    if (bytes.readInt8(start + 16) !== magic) {
      throw unreadable(at, 'has a record batch of an old format; Kafka 0.11 and later write the present one');
    }
    const base_offset = readInt64(bytes, start);
    const attributes = bytes.readInt16BE(start + 21);
    const last_offset = base_offset + bytes.readInt32BE(start + 23);
    const first_timestamp = readInt64(bytes, start + 27);
    const max_timestamp = readInt64(bytes, start + 35);
    const producer_id = bytes.readBigInt64BE(start + 43);
    const count = bytes.readInt32BE(start + 57);
    while ((open_aborted[0]?.first_offset ?? Infinity) <= last_offset) {
      const void_from = open_aborted.shift();
      if (void_from !== undefined) void_producers.add(void_from.producer_id);
    }
    const is_control = (attributes & control) !== 0;
    const is_void = (attributes & transactional) !== 0 && void_producers.has(producer_id);
    // A mark ends its producer's transaction, given up or not.
    if (is_control) void_producers.delete(producer_id);
    if (!is_control && !is_void) {
      const records = decompressed(bytes.subarray(start + header_bytes, end), attributes & 7, at);
      const cursor = { bytes: records, at: 0 };
      for (let index = 0; index < count; index += 1) {
        const appended = (attributes & log_append_time) !== 0 ? max_timestamp : null;
        const message = decodeRecord(cursor, at, base_offset, first_timestamp, appended);
        if (message.offset >= at.from) messages.push(message);
      }
    }
    next_offset = Math.max(next_offset, last_offset + 1);
    start = end;
  }
  return { messages, next_offset };
}

interface Cursor {
  bytes: Buffer;
  at: number;
}

function decodeRecord(
  cursor: Cursor,
  { topic, partition }: { topic: string; partition: number },
  base_offset: number,
  first_timestamp: number,
  appended_at: number | null,
): StoredMessage {
  const length = varint(cursor);
  const end = cursor.at + length;
  cursor.at += 1;
  const timestamp_delta = varint(cursor);
  const offset = base_offset + varint(cursor);
  const key = bytesOf(cursor);
  const value = bytesOf(cursor);
  const headers: Record<string, string> = {};
  for (let left = varint(cursor); left > 0; left -= 1) {
    const name = bytesOf(cursor)?.toString('utf8') ?? '';
    headers[name] = bytesOf(cursor)?.toString('utf8') ?? '';
  }
  cursor.at = end;
  return {
    topic,
    partition,
    offset,
    key: key === null ? '' : key.toString('utf8'),
    value,
    headers,
    appended_at: appended_at ?? first_timestamp + timestamp_delta,
  };
}

/** Length and bytes; a length of -1 is null. */
function bytesOf(cursor: Cursor): Buffer | null {
  const length = varint(cursor);
  if (length < 0) return null;
  const from = cursor.at;
  cursor.at = from + length;
  return cursor.bytes.subarray(from, cursor.at);
}

/** A zigzag number, also beyond 32 bits: exact up to 2^53. */
function varint(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = cursor.bytes[cursor.at] ?? 0;
    cursor.at += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
    scale *= 128;
  }
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

export function readInt64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

function decompressed(bytes: Buffer, codec: number, at: { topic: string; partition: number }): Buffer {
  if (codec === 0) return bytes;
  if (codec === 1) return gunzipSync(bytes);
  if (codec === 4) return zstdDecompressSync(bytes);
  throw unreadable(
    at,
    'has messages compressed with snappy or lz4, which are not read here: let their producer use gzip, zstd or no compression, and set ' +
      'compression.type=zstd on the topic',
  );
}

function unreadable({ topic, partition }: { topic: string; partition: number }, why: string): HailmarkError {
  return new HailmarkError('HAIL_CONFIG', `Partition ${partition} of ${topic} ${why}.`);
}
