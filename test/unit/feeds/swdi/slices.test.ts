import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daysOf } from '../../../../services/feeds/days.ts';
import { daySlices, halves, holds, parseBox } from '../../../../services/feeds/swdi/slices.ts';
import { isHailmarkError } from '../../../../services/runtime/errors.ts';

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const text = (days: { from: number; until: number }): string =>
  [days.from, days.until].map((at) => new Date(at).toISOString().slice(0, 10)).join('/');

describe('stretches of days', () => {
  it('halve down to a day', () => {
    assert.deepEqual(halves({ from: day('2026-08-01'), until: day('2026-08-04') })?.map(text), [
      '2026-08-01/2026-08-02',
      '2026-08-02/2026-08-04',
    ]);
    assert.equal(halves({ from: day('2026-08-01'), until: day('2026-08-02') }), null);
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
});
