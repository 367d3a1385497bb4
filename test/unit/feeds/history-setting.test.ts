import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHistory } from '../../../services/feeds/history-setting.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';

const text = (days: { from: number; until: number }): string =>
  [days.from, days.until].map((at) => new Date(at).toISOString().slice(0, 10)).join('/');

describe('a setting of history', () => {
  it('names periods, the last day exclusive', () => {
    assert.deepEqual(parseHistory('SPC_HISTORY', '2011-05-24/2011-05-25, 2026-08-27/2026-08-30').map(text), [
      '2011-05-24/2011-05-25',
      '2026-08-27/2026-08-30',
    ]);
    assert.deepEqual(parseHistory('SPC_HISTORY', ''), []);
  });

  it('is refused under its own name when it names none', () => {
    for (const wrong of [
      '2011-05-24',
      '2011-05-25/2011-05-25',
      '2011-02-30/2011-03-01',
      'x/y',
      '2011-05-24/2011-05-25/2011-05-26',
    ]) {
      assert.throws(
        () => parseHistory('COCORAHS_HISTORY', wrong),
        (error) => isHailmarkError(error, 'HAIL_CONFIG') && error.message.startsWith('COCORAHS_HISTORY'),
        wrong,
      );
    }
  });
});
