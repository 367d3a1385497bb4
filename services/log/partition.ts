/**
 * Kafka's default partitioner (murmur2 of the key, sign bit off, modulo), so that a key lies in the same partition in either twin and a
 * log copied from one to the other keeps its order. Source: org.apache.kafka.common.utils.Utils.murmur2.
 */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key, 'utf8')) & 0x7fffffff) % partitions;
}

const multiplier = 0x5bd1e995;

export function murmur2(data: Buffer): number {
  const { length } = data;
  const whole = length - (length % 4);
  let hash = (0x9747b28c ^ length) | 0;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(data.readInt32LE(at), multiplier);
    word ^= word >>> 24;
    hash = Math.imul(hash, multiplier) ^ Math.imul(word, multiplier);
  }
  const rest = length - whole;
  if (rest >= 3) hash ^= data.readUInt8(whole + 2) << 16;
  if (rest >= 2) hash ^= data.readUInt8(whole + 1) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ data.readUInt8(whole), multiplier);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, multiplier);
  return hash ^ (hash >>> 15);
}
