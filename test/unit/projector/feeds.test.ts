import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FeedPollFact } from '../../../services/log/facts.ts';
import { feedsProjection } from '../../../services/projector/projections/feeds.ts';
import { pollProblem } from '../../../services/log/validate-poll.ts';
import { feedStatusColumns } from '../../../services/store/feed_status/row.ts';
import { poll } from './polls.ts';

describe('a fact of hail.feed-poll.v1', () => {
  const projection = feedsProjection(1);
  const place = { topic: 'hail.feed-poll.v1', partition: 0, offset: 7 };
  const project = (fact: FeedPollFact, key = fact.feed): ReturnType<typeof projection.project> =>
    projection.project('hail.feed-poll.v1', fact, key, place);

  it('becomes a status, and coverage for each slice that was read completely', () => {
    const outcome = project(poll());
    assert.ok(outcome.outcome === 'ok');
    const { cells, rows, others } = projection.batch([outcome.change]);
    assert.equal(cells, null);
    const status = Object.fromEntries(feedStatusColumns.map((name, at) => [name, rows?.rows[0]?.[at]]));
    assert.deepEqual(
      [status['records'], status['held'], status['revision'], status['read_through'], status['reason']],
      [82, 2, 7, '2026-08-29 00:00:00.000', ''],
    );
    assert.deepEqual(
      others.map(({ table, rows: of }) => [table, of.map(([feed, slice]) => [feed, slice])]),
      [['coverage_v1', [['radar_hail', '2026-08-27@-125,24,-66.5,50']]]],
    );
  });

  it('is dead where a column could not hold it or a claim would be false', () => {
    const [reading] = poll().readings;
    assert.ok(reading);
    const wrong: Partial<FeedPollFact>[] = [
      { feed: '' },
      { publisher: 'NOAA' },
      { mode: 'dry' as 'live' },
      { outcome: 'maybe' as 'read' },
      { ended_at: 1e17 },
      { read_through: -1e15 },
      { offsets: [{ topic: 'hail.observation.v1', partition: 70_000, end_offset: 1 }] },
      { offsets: [{ topic: 'hail.observation.v1', partition: 0, end_offset: -1 }] },
      { readings: [{ ...reading, slice: '' }] },
      { readings: [{ ...reading, until: reading.from - 1 }] },
      { readings: [{ ...reading, records: -1 }] },
      // NaN would be stored as null: everywhere.
      { readings: [{ ...reading, box: { west: NaN, south: 24, east: -66, north: 50 } }] },
      { readings: [{ ...reading, box: { west: -66, south: 24, east: -125, north: 50 } }] },
    ];
    for (const change of wrong) {
      const outcome = project(poll(change));
      assert.equal(outcome.outcome === 'dead' && outcome.reason, 'invalid-fact', JSON.stringify(change));
    }
    assert.equal(project(poll(), 'other').outcome, 'dead');
    assert.equal(pollProblem(poll({ readings: [{ ...reading, box: null }] }), 'radar_hail'), null);
  });
});
