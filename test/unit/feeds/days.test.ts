import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byMonth, daysOf, stretches, wholeDays } from '../../../services/feeds/days.ts';

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

  it('are their midnights', () => {
    const days = daysOf({ from: day('2024-02-28'), until: day('2024-03-02') });
    assert.deepEqual(days, ['2024-02-28', '2024-02-29', '2024-03-01'].map(day));
    assert.deepEqual(daysOf({ from: day('2024-03-02'), until: day('2024-02-28') }), []);
  });
});
