import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { roundToHundredths } from '../../../services/hail/size.ts';
import {
  convectiveDay,
  formatDay,
  formatInstant,
  formatSecond,
  parseDay,
  yearsBefore,
} from '../../../services/hail/time.ts';

describe('days', () => {
  it('turns at 12:00:00Z for hail', () => {
    const day = (text: string): number => convectiveDay(Date.parse(text));
    assert.equal(day('2026-08-29T01:08:12Z'), day('2026-08-28T12:00:00Z'));
    assert.equal(day('2026-08-29T11:59:59.999Z'), day('2026-08-28T20:00:00Z'));
    assert.equal(day('2026-08-29T12:00:00Z'), day('2026-08-28T12:00:00Z') + 1);
    assert.equal(day('1955-09-22T12:00:00Z'), day('1955-09-22T11:59:59Z') + 1);
  });

  it('accepts real calendar days only', () => {
    assert.equal(parseDay('2024-02-29'), Date.UTC(2024, 1, 29));
    for (const text of [
      '2023-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-04-31',
      '2024-1-1',
      '',
      '2024-01-01T00:00:00Z',
      ' 2024-01-01',
    ]) {
      assert.equal(parseDay(text), null, text);
    }
    assert.equal(parseDay('0099-01-01'), new Date('0099-01-01T00:00:00Z').getTime());
  });

  it('writes instants as the contract does', () => {
    const at = Date.parse('2026-08-29T01:08:12Z');
    assert.equal(formatDay(at), '2026-08-29');
    assert.equal(formatInstant(at), '2026-08-29T01:08:12.000Z');
    assert.equal(formatSecond(at), '2026-08-29T01:08:12Z');
  });

  it('goes back whole calendar years, 29 February to the 28th', () => {
    assert.equal(yearsBefore(Date.parse('2024-02-29T10:00:00Z'), 1), Date.parse('2023-02-28T10:00:00Z'));
    assert.equal(yearsBefore(Date.parse('2024-02-29T10:00:00Z'), 4), Date.parse('2020-02-29T10:00:00Z'));
    assert.equal(yearsBefore(Date.parse('2026-11-21T00:00:00Z'), 10), Date.parse('2016-11-21T00:00:00Z'));
  });
});

describe('sizes', () => {
  it('round half up to two decimals', () => {
    for (const [from, to] of [
      [0.875, 0.88],
      [1.005, 1.01],
      [1.004999, 1],
      [2.675, 2.68],
      [0.745, 0.75],
      [1.75, 1.75],
      [0, 0],
      [8.995, 9],
    ] as const) {
      assert.equal(roundToHundredths(from), to, String(from));
    }
  });
});
