import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { emptyIndex, openIndexDatabase } from '../../../services/feeds/index/database.ts';
import { createFeedIndex, type FeedIndex } from '../../../services/feeds/index/feed-index.ts';
import { stage } from '../../../services/feeds/index/staging.ts';
import { publishPoll, publishSlices, type PublisherDeps } from '../../../services/feeds/publish.ts';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import type { DeadLetterState, SliceReading } from '../../../services/log/facts.ts';
import { topics } from '../../../services/log/topics.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { createMemoryCodec, type Condition } from '../../simulation/codec.ts';
import { draftsOf, provenanceOf, publisher, type Document, type Said } from '../../simulation/publisher.ts';
import { points } from '../../../services/feeds/kinds/points.ts';

const feed = 'storm_events';
const said: Said = { began_at: 0, lat: 29.5, lon: -98.5, size_in: 1, status: 'final' };
const minute_ms = 60_000;

interface Feed {
  index: FeedIndex;
  /** The condition of the next fact that is encoded; whole again after it. */
  breakNext: () => void;
  /** One question about whole slices, and its poll fact. */
  read: (...documents: Document[]) => Promise<SliceReading[]>;
  sayOfFirst: (state: DeadLetterState) => Promise<void>;
  pass: (span_ms: number) => void;
  /** Statuses of all messages of the record, in order. */
  history: () => Promise<string[]>;
  forget: () => Promise<void>;
}

const made: FeedIndex[] = [];

function document(slice: string, publisher_version: string, ...records: string[]): Document {
  return { slice, publisher_version, records: new Map(records.map((key) => [key, said])) };
}

async function startFeed(): Promise<Feed> {
  let now = Date.parse('2026-11-20T09:00:00Z');
  let next: Condition = 'whole';
  const clock = (): number => (now += 1);
  const log = createMemoryLog({ clock }).open();
  await log.ensureTopics(Object.values(topics));
  const codec = createMemoryCodec(() => {
    const condition = next;
    next = 'whole';
    return condition;
  });
  const database = openIndexDatabase(':memory:', log.id);
  const index = createFeedIndex({ log, codec, database }, { feed, publisher, kind: points });
  made.push(index);
  const owner = await log.claim(`feed/${feed}`);
  const never = (): never => assert.fail('nothing is suspicious here');
  const deps: PublisherDeps = {
    ...{ feed, publisher, kind: points, log, codec, index, owner, clock },
    suspects: {
      ...{ refuse: never, refused: never, accept: never, isAccepted: never, anyAccepted: never },
      settle: () => undefined,
    },
  };
  const observation = topics.observation.name;

  return {
    index,
    breakNext: () => {
      next = 'lost';
    },
    read: async (...documents) => {
      const began_at = clock();
      const drafts = documents.flatMap((each) => [...draftsOf(each, provenanceOf(each, began_at))]);
      await stage(database, points, drafts);
      const slices = documents.map(({ slice, publisher_version }) => ({
        ...{ slice, publisher_version, from: 0, until: 1, box: null, complete: true },
      }));
      const first = documents[0] ?? document('', '');
      const { readings } = await publishSlices(deps, slices, provenanceOf(first, began_at));
      await publishPoll(deps, {
        ...{ feed, publisher, mode: 'live', asked: '', began_at, ended_at: clock(), outcome: 'read' },
        ...{ reason: null, detail: null, read_through: null, readings, document_sha256: null },
      });
      await index.catchUp();
      return readings;
    },
    sayOfFirst: async (state) => {
      const ends = await log.endOffsets(observation);
      const partition = ends.findIndex((end) => end > 0);
      const place = { topic: observation, partition, offset: 0, key: `${publisher}/1` };
      const letter = {
        ...place,
        value: null,
        headers: {},
        state,
        at: '',
        reason: '',
        error: '',
        failed_at: clock(),
      };
      const value = codec.encode(topics.dead_letter.name, letter);
      await log.append(topics.dead_letter.name, [{ key: place.key, value }]);
      await index.catchUp();
    },
    pass: (span_ms) => {
      now += span_ms;
    },
    history: async () => {
      const statuses: string[] = [];
      for await (const page of log.scan(observation)) {
        for (const { value } of page) {
          const fact: ObservationFact | null = codec.meant(observation, value);
          statuses.push(`${fact?.status ?? ''} in ${fact?.slice ?? ''}`);
        }
      }
      return statuses;
    },
    forget: async () => {
      emptyIndex(database);
      await index.catchUp();
    },
  };
}

// Each of these was found by the simulation (npm run simulate), and lost a record or kept a ghost for good.
describe('a slice whose version has not changed', () => {
  afterEach(() => {
    for (const index of made.splice(0)) index.close();
  });

  it('does not withdraw a record that another slice of the same question has just taken over', async () => {
    const { read, history } = await startFeed();
    await read(document('2016', 'a', '1'));
    await read(document('2017', 'b', '1'), document('2016', 'b'));
    assert.deepEqual(await history(), ['final in 2016', 'final in 2017']);
  });

  it('is read again when another slice took its record over and withdrew it', async () => {
    const { read, index, forget, history } = await startFeed();
    await read(document('2017', 'b', '1'));
    await read(document('2016', 'a', '1'));
    assert.ok(index.isSettled('2017'), 'a record in two slices is no reason to read them for ever');
    await read(document('2016', 'c'));
    assert.ok(!index.isSettled('2017'));
    await forget();
    assert.ok(!index.isSettled('2017'), 'an index made anew knows it too');
    await read(document('2017', 'b', '1'));
    assert.ok(index.isSettled('2017') && index.isSettled('2016'));
    const all = ['final in 2017', 'final in 2016', 'withdrawn in 2016', 'final in 2017'];
    assert.deepEqual(await history(), all);
  });

  it('is settled by a reading that does not have the record either', async () => {
    const { read, index } = await startFeed();
    await read(document('2017', 'b', '1'));
    await read(document('2016', 'a', '1'));
    await read(document('2016', 'c'));
    await read(document('2017', 'd'));
    assert.ok(index.isSettled('2017'));
  });

  it('is read again when it lacked a record of which only an unreadable message was known', async () => {
    const { read, index, breakNext, forget } = await startFeed();
    breakNext();
    await read(document('2017', 'a', '1'));
    const [reading] = await read(document('2017', 'b'));
    assert.deepEqual(reading?.held, ['1']);
    assert.ok(!index.isSettled('2017'));
    await forget();
    assert.ok(!index.isSettled('2017'));
  });

  it('is read again after a message was dropped that nobody could read', async () => {
    const { read, index, breakNext, sayOfFirst, pass, forget, history } = await startFeed();
    breakNext();
    await read(document('2017', 'a', '1'));
    pass(30 * minute_ms);
    await sayOfFirst('dead');
    await sayOfFirst('dropped');
    assert.ok(!index.isSettled('2017'));
    await forget();
    assert.ok(!index.isSettled('2017'));
    pass(30 * minute_ms);
    await read(document('2017', 'a', '1'));
    assert.ok(index.isSettled('2017'));
    assert.deepEqual(await history(), ['final in 2017', 'final in 2017']);
  });
});
