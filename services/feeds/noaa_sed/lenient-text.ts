import { isUtf8 } from 'node:buffer';

/** Whole UTF-8 sequences, or one byte that belongs to none, in bytes read as Latin-1 (RFC 3629, section 4). */
const sequence =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;
const byte_order_mark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * A stream's bytes as valid UTF-8 without a byte order mark. Old Storm Events files hold bare cp1252 bytes among UTF-8; each such byte
 * becomes its character and is counted, because one of them must not cost the file.
 */
export async function* lenientText(
  chunks: AsyncIterable<Buffer>,
  counts: { cp1252_bytes: number },
): AsyncGenerator<Buffer> {
  let carried: Buffer = Buffer.alloc(0);
  let is_first = true;
  for await (const chunk of chunks) {
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    // A character may be cut in two by the chunks; its first part waits for the next one.
    const whole = bytes.length - cutLength(bytes);
    carried = bytes.subarray(whole);
    const start = is_first && bytes.indexOf(byte_order_mark) === 0 ? byte_order_mark.length : 0;
    is_first = false;
    yield repaired(bytes.subarray(start, whole), counts);
  }
  if (carried.length > 0) yield repaired(carried, counts);
}

function repaired(bytes: Buffer, counts: { cp1252_bytes: number }): Buffer {
  if (isUtf8(bytes)) return bytes;
  const cp1252 = new TextDecoder('windows-1252');
  const text = bytes.toString('latin1').replace(sequence, (found) => {
    if (found.length > 1) return found;
    counts.cp1252_bytes += 1;
    return Buffer.from(cp1252.decode(Buffer.from(found, 'latin1'))).toString('latin1');
  });
  return Buffer.from(text, 'latin1');
}

/** How many bytes at the end begin a character that goes on past it: 0 to 3. */
function cutLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}
