import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  byMonth,
  daySlices,
  daysOf,
  halves,
  holds,
  parseBox,
  parseHistory,
  stretches,
  wholeDays,
} from '../../../../services/feeds/swdi/slices.ts';
import { isHailmarkError } from '../../../../services/runtime/errors.ts';

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const text = (days: { from: number; until: number }): string =>
  [days.from, days.until].map((at) => new Date(at).toISOString().slice(0, 10)).join('/');

describe('stretches of days', () => {
  it('are cut at the firsts of months, so that none is longer than 744 hours and no day is lost', () => {
    const chunks = byMonth({ from: day('2026-01-30'), until: day('2026-04-01') });
    assert.deepEqual(chunks.map(text), [
      '2026-01-30/2026-02-01',
      '2026-02-01/2026-03-01',
      '2026-03-01/2026-04-01',
    ]);
    for (const { from, until } of chunks) assert.ok((until - from) / 3_600_000 <= 744);
  });

  it('halve down to a day', () => {
    assert.deepEqual(halves({ from: day('2026-08-01'), until: day('2026-08-04') })?.map(text), [
      '2026-08-01/2026-08-02',
      '2026-08-02/2026-08-04',
    ]);
    assert.equal(halves({ from: day('2026-08-01'), until: day('2026-08-02') }), null);
  });

  it('are the whole days that a period touches', () => {
    const touched = wholeDays({ from: day('2026-08-01') + 1, until: day('2026-08-02') + 1 });
    assert.equal(text(touched), '2026-08-01/2026-08-03');
    const exact = { from: day('2026-08-01'), until: day('2026-08-02') };
    assert.deepEqual(wholeDays(exact), exact);
  });

  it('join single days', () => {
    const days = ['2026-08-01', '2026-08-02', '2026-08-05'].map(day);
    assert.deepEqual(stretches(days).map(text), ['2026-08-01/2026-08-03', '2026-08-05/2026-08-06']);
    assert.deepEqual(stretches([]), []);
  });
});

describe('the slices of an answer', () => {
  it('are days in the box, whole before the last day of the inventory', () => {
    const box = parseBox('-125,24,-66.5,50');
    const days = { from: day('2026-08-28'), until: day('2026-08-30') };
    assert.deepEqual(
      daySlices(days, box, day('2026-08-29')).map(({ slice, complete }) => [slice, complete]),
      [
        ['2026-08-28@-125,24,-66.5,50', true],
        ['2026-08-29@-125,24,-66.5,50', false],
      ],
    );
    assert.equal(daysOf(days).length, 2);
  });
});

describe('a box', () => {
  const outer = parseBox('-100,29,-97,31');

  it('holds another with its edges, and nothing that reaches over one of them', () => {
    assert.ok(holds(outer, outer));
    assert.ok(holds(outer, parseBox('-99,29.5,-98,30.5')));
    for (const sides of ['-101,29,-97,31', '-100,28,-97,31', '-100,29,-96,31', '-100,29,-97,32']) {
      assert.equal(holds(outer, parseBox(sides)), false, sides);
    }
  });
});

describe('settings of the radar feed', () => {
  const refused = (work: () => unknown): void =>
    assert.throws(work, (error) => isHailmarkError(error, 'HAIL_CONFIG'));

  it('name the box west, south, east, north', () => {
    assert.deepEqual(parseBox('-99.5,29,-97.5,30.1'), { west: -99.5, south: 29, east: -97.5, north: 30.1 });
    for (const wrong of ['', '1,2,3', '-66,24,-125,50', '-125,50,-66,24', '-125,24,-66,50,1', 'a,b,c,d']) {
      refused(() => parseBox(wrong));
    }
  });

  it('name periods of history, the last day exclusive', () => {
    assert.deepEqual(parseHistory('2011-05-24/2011-05-25, 2026-08-27/2026-08-30').map(text), [
      '2011-05-24/2011-05-25',
      '2026-08-27/2026-08-30',
    ]);
    assert.deepEqual(parseHistory(''), []);
    for (const wrong of ['2011-05-24', '2011-05-25/2011-05-25', '2011-02-30/2011-03-01', 'x/y']) {
      refused(() => parseHistory(wrong));
    }
  });
});
