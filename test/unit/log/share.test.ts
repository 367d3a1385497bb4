import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOf, type Subscriber } from '../../../services/log/share.ts';

const topics = ['observation', 'feed_poll', 'alert'];
const subscribers = fc.uniqueArray(
  fc.record({ member: fc.uuid(), topics: fc.subarray(topics, { minLength: 1 }) }),
  { selector: ({ member }) => member, minLength: 1, maxLength: 8 },
);
const partitions = fc
  .array(fc.integer({ min: 1, max: 9 }), { minLength: topics.length, maxLength: topics.length })
  .map((counts) =>
    counts.flatMap((count, index) =>
      Array.from({ length: count }, (_, partition) => ({ topic: topics[index] ?? '', partition })),
    ),
  );

describe('the shares of a group', () => {
  it('give every partition with a subscriber to exactly one, and to one that asked for its topic', () => {
    fc.assert(
      fc.property(subscribers, partitions, (members, all) => {
        const dealt = members.flatMap(({ member, topics: asked }) =>
          shareOf(member, members, all).map((at) => {
            assert.ok(asked.includes(at.topic));
            return `${at.topic}/${at.partition}`;
          }),
        );
        const wanted = all.filter(({ topic }) => members.some((member) => member.topics.includes(topic)));
        assert.deepEqual(dealt.sort(), wanted.map(({ topic, partition }) => `${topic}/${partition}`).sort());
      }),
    );
  });

  it('do not depend on the order of the lists', () => {
    fc.assert(
      fc.property(subscribers, partitions, fc.infiniteStream(fc.nat()), (members, all, keys) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((each) => ({ each, key: Number(keys.next().value) }))
            .sort((a, b) => a.key - b.key)
            .map(({ each }) => each);
        for (const { member } of members) {
          assert.deepEqual(shareOf(member, shuffled(members), shuffled(all)), shareOf(member, members, all));
        }
      }),
    );
  });

  it('differ by one at most where all members ask for the same', () => {
    fc.assert(
      fc.property(subscribers, partitions, (members, all) => {
        const same: Subscriber[] = members.map(({ member }) => ({ member, topics }));
        const counts = same.map(({ member }) => shareOf(member, same, all).length);
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1);
      }),
    );
  });
});
