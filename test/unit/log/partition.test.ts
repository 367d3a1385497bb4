import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { murmur2, partitionOf } from '../../../services/log/partition.ts';

describe('the partition of a key', () => {
  // The values of Kafka's own UtilsTest.
  const known: [string, number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ];

  it('is murmur2 as Kafka computes it', () => {
    for (const [text, hash] of known) assert.equal(murmur2(Buffer.from(text)), hash, text);
  });

  it('drops the sign bit instead of negating, as Kafka does', () => {
    assert.equal(partitionOf('21', 6), (-973932308 & 0x7fffffff) % 6);
    assert.notEqual(partitionOf('21', 7), 973932308 % 7);
  });

  it('spreads the keys of a feed over all partitions', () => {
    const counts = Array<number>(6).fill(0);
    for (let id = 679_000; id < 685_000; id += 1) {
      const partition = partitionOf(`NOAA_SED/${id}`, 6);
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    for (const count of counts) assert.ok(count > 800 && count < 1_200, String(counts));
  });
});
