import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Draft } from '../../../services/feeds/kinds/points.ts';
import {
  observationsProjection,
  type ObservationChange,
} from '../../../services/projector/projections/observations.ts';
import { sortKey, type ObservationRow } from '../../../services/store/observations/row.ts';
import {
  correctedHistory,
  createRevisions,
  keyOf,
  liveText,
  radarDrafts,
  truthOf,
  type StoredFact,
} from './history.ts';

interface Versioned {
  revision: number;
  is_deleted: 0 | 1;
}

/** ReplacingMergeTree(revision, is_deleted) read with FINAL: the highest revision of a key counts, of equal ones the last inserted. */
function createReplacing<Row extends Versioned>(
  key: (row: Row) => string,
): { insert: (row: Row) => void; read: () => Row[] } {
  const newest = new Map<string, Row>();
  return {
    insert: (row) => {
      const before = newest.get(key(row));
      if (before === undefined || row.revision >= before.revision) newest.set(key(row), row);
    },
    read: () => [...newest.values()].filter(({ is_deleted }) => is_deleted === 0),
  };
}

const projection = observationsProjection(1);

function changeOfMessage({ fact, partition, offset }: StoredFact): ObservationChange {
  const place = { topic: 'hail.observation.v1', partition, offset };
  const outcome = projection.project('hail.observation.v1', fact, keyOf(fact), place);
  assert.ok(outcome.outcome === 'ok', JSON.stringify(outcome));
  return outcome.change;
}

/** Projects one partition with deliveries that begin at or before the position and are cut anywhere, as crashes leave them. */
function project(
  messages: readonly StoredFact[],
  deliveries: readonly { back: number; take: number }[],
): ReturnType<typeof truthOf> {
  const observations = createReplacing<ObservationRow>(sortKey);
  const set_aside = createReplacing<NonNullable<ObservationChange['set_aside']>>(keyOf);
  let position = 0;
  const deliver = (from: number, until: number, steps: number): void => {
    const changes = messages.slice(from, until).map(changeOfMessage);
    if (steps > 1) for (const { rows } of changes) rows.forEach(observations.insert);
    if (steps > 2)
      for (const change of changes) if (change.set_aside !== null) set_aside.insert(change.set_aside);
    if (steps > 3) position = Math.max(position, until);
  };
  for (const { back, take } of deliveries) {
    const from = Math.max(0, position - back);
    // `take` also tells after which step the process dies; every fourth delivery is whole.
    deliver(from, Math.min(messages.length, from + 1 + Math.floor(take / 4)), 1 + (take % 4));
  }
  deliver(position, messages.length, 4);
  return {
    live: observations
      .read()
      .map((row) => liveText({ ...row, began_at: row.occurred_at }, row.revision))
      .sort(),
    set_aside: set_aside
      .read()
      .map((row) => [keyOf(row), row.reason, row.revision].join(' '))
      .sort(),
  };
}

function stored(facts: readonly StoredFact['fact'][]): StoredFact[] {
  return facts.map((fact, offset) => ({ fact, partition: 0, offset }));
}

const delivery = fc.record({ back: fc.nat(6), take: fc.nat(24) });

/** Revisions of a few records over a few places, times and sizes, so that they often come back to where they were. */
const revision = fc.record({
  record: fc.nat(2),
  lat: fc.option(fc.constantFrom(29.9, 30.1, 89.999999), { nil: null }),
  began_at: fc.option(fc.constantFrom(0, 1_503_360_000_000), { nil: null }),
  size_in: fc.option(fc.constantFrom(0.75, 1.005, 4), { nil: null }),
  withdrawn: fc.boolean(),
});

describe('the views', () => {
  const [template] = radarDrafts();

  it('equal the newest messages, whatever the corrections, cuts, deaths and deliveries', () => {
    assert.ok(template);
    const draftOf = (of: {
      record: number;
      lat: number | null;
      began_at: number | null;
      size_in: number | null;
      withdrawn: boolean;
    }): Draft =>
      of.withdrawn
        ? {
            ...template,
            record_key: `r${of.record}`,
            began_at: null,
            ended_at: null,
            lat: null,
            lon: null,
            size_in: null,
            status: 'withdrawn',
          }
        : {
            ...template,
            record_key: `r${of.record}`,
            began_at: of.began_at,
            ended_at: of.began_at,
            lat: of.lat,
            lon: of.lat === null ? null : -98.4,
            size_in: of.size_in,
          };
    fc.assert(
      fc.property(
        fc.array(revision, { maxLength: 14 }),
        fc.array(delivery, { maxLength: 12 }),
        (revisions, deliveries) => {
          const messages = stored(revisions.map(draftOf).map(createRevisions()));
          assert.deepEqual(project(messages, deliveries), truthOf(messages));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('equal the newest messages of the recorded rows and their corrections', () => {
    const messages = stored(correctedHistory(radarDrafts()));
    const truth = truthOf(messages);
    assert.ok(truth.live.length > 50 && truth.set_aside.length > 10);
    fc.assert(
      fc.property(fc.array(delivery, { maxLength: 40 }), (deliveries) => {
        assert.deepEqual(project(messages, deliveries), truth);
      }),
      { numRuns: 30 },
    );
  });
});
