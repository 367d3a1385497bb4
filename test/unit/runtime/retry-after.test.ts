import assert from 'node:assert/strict';
import { it } from 'node:test';
import { retryAfterMs } from '../../../services/runtime/retry-after.ts';

it('Retry-After is seconds or an HTTP date, and else nothing', () => {
  const now = Date.parse('2026-06-10T21:00:00Z');
  for (const [header, span_ms] of [
    ['120', 120_000],
    [' 0 ', 0],
    ['Wed, 10 Jun 2026 21:00:30 GMT', 30_000],
    ['Wed, 10 Jun 2026 20:00:00 GMT', 0],
    [null, null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026-06-10T21:00:30Z', null],
    ['Wed, 99 Jun 2026 21:00:30 GMT', null],
  ] as const) {
    assert.equal(retryAfterMs(header, now), span_ms, String(header));
  }
});
