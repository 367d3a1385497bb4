import { isPlace } from '../hail/geo/place.ts';
import { isPublisher } from '../hail/publisher.ts';
import type { Box, FeedPollFact } from './facts.ts';
import { isInstant } from '../hail/validate-observation.ts';

const modes: readonly string[] = ['live', 'backfill'] satisfies FeedPollFact['mode'][];
const outcomes: readonly string[] = ['read', 'not_modified', 'failed'] satisfies FeedPollFact['outcome'][];
/** The store's partitions have 16 bits. */
const most_partitions = 65_536;

/** What makes a decoded poll no valid fact, in a few words without its values; null where nothing does. */
export function pollProblem(poll: FeedPollFact, key: string): string | null {
  if (poll.feed === '' || key !== poll.feed) return 'the message key is not the feed';
  if (!isPublisher(poll.publisher)) return 'the publisher is none of the six';
  if (!modes.includes(poll.mode)) return 'the mode is unknown';
  if (!outcomes.includes(poll.outcome)) return 'the outcome is unknown';
  if (![poll.began_at, poll.ended_at, poll.read_through].every(isInstant))
    return 'a time lies outside 1900 to 2299';
  for (const { topic, partition, end_offset } of poll.offsets) {
    if (topic === '' || !isCount(partition) || partition >= most_partitions || !isCount(end_offset))
      return 'an end of a partition is none';
  }
  for (const { slice, from, until, box, records, published, withdrawn } of poll.readings) {
    if (slice === '') return 'a slice has no name';
    if (!isInstant(from) || !isInstant(until)) return 'a period reaches outside 1900 to 2299';
    if (until < from) return 'a period ends before it begins';
    if (box !== null && !isBox(box)) return 'a region is none';
    if (![records, published, withdrawn].every(isCount)) return 'a count is none';
  }
  return null;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** An edge that is no number would be stored as null, which claims the whole country. */
function isBox({ west, south, east, north }: Box): boolean {
  return isPlace(south, west) && isPlace(north, east) && west <= east && south <= north;
}
