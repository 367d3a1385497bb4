import type { FeedPollFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import { coverageColumns, coverageValues, type CoverageRow } from '../../store/coverage/row.ts';
import { feedStatusColumns, feedStatusValues, type FeedStatusRow } from '../../store/feed_status/row.ts';
import { tableName } from '../../store/projections.ts';
import type { Projection, TableRows } from '../projection.ts';
import { pollProblem } from '../../log/validate-poll.ts';

interface PollChange {
  status: FeedStatusRow;
  coverage: CoverageRow[];
}

/** `hail.feed-poll.v1` → `feed_status` (every poll) and `coverage` (slices read completely). */
export function feedsProjection(version: number): Projection<PollChange, TableRows> {
  return {
    name: 'feeds',
    version,
    topics: [topics.feed_poll.name],
    schema_files: ['0006_feed_status', '0007_coverage'],
    compared: [
      { table: 'feed_status', place: "concat(feed, ' ', toString(intDiv(revision, 1000)))" },
      { table: 'coverage', place: "concat(feed, ' ', slice)" },
    ],
    project: (_topic, fact, key, { partition, offset }) => {
      const poll = fact as FeedPollFact;
      const problem = pollProblem(poll, key);
      if (problem !== null) return { outcome: 'dead', reason: 'invalid-fact', error: problem };
      return {
        outcome: 'ok',
        change: { status: statusOf(poll, partition, offset), coverage: coverageOf(poll, offset) },
      };
    },
    batch: (changes) => ({
      cells: null,
      rows: {
        table: tableName('feed_status', version),
        columns: feedStatusColumns,
        rows: changes.map(({ status }) => feedStatusValues(status)),
      },
      others: [
        {
          table: tableName('coverage', version),
          columns: coverageColumns,
          rows: changes.flatMap(({ coverage }) => coverage.map(coverageValues)),
        },
      ],
    }),
  };
}

function statusOf(poll: FeedPollFact, log_partition: number, revision: number): FeedStatusRow {
  const total = (of: (reading: FeedPollFact['readings'][number]) => number): number =>
    poll.readings.reduce((sum, reading) => sum + of(reading), 0);
  return {
    feed: poll.feed,
    log_partition,
    revision,
    publisher: poll.publisher,
    mode: poll.mode,
    asked: poll.asked,
    began_at: poll.began_at,
    ended_at: poll.ended_at,
    outcome: poll.outcome,
    reason: poll.reason ?? '',
    detail: poll.detail ?? '',
    read_through: poll.read_through,
    records: total(({ records }) => records),
    published: total(({ published }) => published),
    withdrawn: total(({ withdrawn }) => withdrawn),
    held: total(({ held }) => held.length),
    end_offsets: poll.offsets.map(({ topic, partition, end_offset }) => ({ topic, partition, end_offset })),
  };
}

function coverageOf(poll: FeedPollFact, revision: number): CoverageRow[] {
  return poll.readings
    .filter(({ complete }) => complete)
    .map((reading) => ({
      feed: poll.feed,
      slice: reading.slice,
      publisher: poll.publisher,
      covers_from: reading.from,
      covers_until: reading.until,
      west: reading.box?.west ?? null,
      south: reading.box?.south ?? null,
      east: reading.box?.east ?? null,
      north: reading.box?.north ?? null,
      records: reading.records,
      publisher_version: reading.publisher_version ?? '',
      read_at: poll.ended_at,
      revision,
    }));
}
