import type { FeedPollFact } from '../../../services/log/facts.ts';

const day = Date.parse('2026-08-27T00:00:00Z');
const day_ms = 86_400_000;

/** A live poll of the radar feed that read one day of the country completely and part of another. */
export function poll(change: Partial<FeedPollFact> = {}): FeedPollFact {
  const reading = {
    slice: '2026-08-27@-125,24,-66.5,50',
    from: day,
    until: day + day_ms,
    box: { west: -125, south: 24, east: -66.5, north: 50 },
    publisher_version: null,
    complete: true,
    records: 79,
    published: 79,
    withdrawn: 0,
    held: [],
  };
  return {
    feed: 'radar_hail',
    publisher: 'NEXRAD_SWDI',
    mode: 'live',
    asked: 'https://www.ncei.noaa.gov/swdiws/csv/nx3hail/20260827:20260829',
    began_at: day + 3 * day_ms,
    ended_at: day + 3 * day_ms + 1_500,
    outcome: 'read',
    reason: null,
    detail: null,
    read_through: day + 2 * day_ms,
    offsets: [{ topic: 'hail.observation.v1', partition: 0, end_offset: 12 }],
    readings: [reading, { ...reading, slice: 'today', complete: false, records: 3, held: ['a', 'b'] }],
    document_sha256: null,
    ...change,
  };
}
