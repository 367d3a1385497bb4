import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Around } from '../../../../scripts/doctor/around.ts';
import { judgeClock, offsetInWords } from '../../../../scripts/doctor/clocks.ts';
import { examine, type Check } from '../../../../scripts/doctor/examine.ts';
import { judgeFeed, type FeedState } from '../../../../scripts/doctor/feeds.ts';
import { broken, ok } from '../../../../scripts/doctor/finding.ts';
import { judgeDisk } from '../../../../scripts/doctor/machine.ts';
import { make_room } from '../../../../services/runtime/disk.ts';
import { HailmarkError } from '../../../../services/runtime/errors.ts';

const hour_ms = 3_600_000;
const now_ms = Date.parse('2026-11-21T12:00:00Z');

describe('a disk', () => {
  const gigabyte = 1_000_000_000;
  it('is short by what was asked for, or by the share that the alert goes by', () => {
    for (const [free_gb, size_gb, expected] of [
      [1.9, 10, 'broken'],
      [3.9, 10, 'warning'],
      [4, 10, 'ok'],
      [90, 1_000, 'warning'],
      [100, 1_000, 'ok'],
    ] as const) {
      const disk = { free_bytes: free_gb * gigabyte, size_bytes: size_gb * gigabyte };
      const { state, remedy } = judgeDisk(disk, 2 * gigabyte);
      assert.equal(state, expected, `${free_gb} of ${size_gb}`);
      assert.equal(remedy, expected === 'ok' ? null : make_room);
    }
  });
});

describe('a feed', () => {
  const state = (read_hours_ago: number | null, outcome: string | null): FeedState => ({
    feed: 'nws_alerts',
    threshold_hours: 1,
    read_through_ms: read_hours_ago === null ? null : now_ms - read_hours_ago * hour_ms,
    last_poll: outcome === null ? null : { outcome, reason: outcome === 'failed' ? 'no-answer' : '' },
  });

  it('is as bad as what it costs', () => {
    for (const [read_hours_ago, outcome, expected] of [
      [0.5, 'read', 'ok'],
      [1, 'not_modified', 'ok'],
      [1.1, 'read', 'warning'],
      [0.5, 'failed', 'warning'],
      [1.1, 'failed', 'broken'],
      [null, 'failed', 'broken'],
      [null, 'read', 'warning'],
      [null, null, 'broken'],
    ] as const)
      assert.equal(
        judgeFeed(state(read_hours_ago, outcome), now_ms).state,
        expected,
        `${read_hours_ago} ${outcome}`,
      );
  });

  it('that fails says why, and where its publisher is set', () => {
    const { says, remedy } = judgeFeed(state(2, 'failed'), now_ms);
    assert.match(says, /2\.0 h ago.*no-answer/);
    assert.match(remedy ?? '', /NWS_URL/);
  });
});

describe('a clock', () => {
  it('is right, a little off, or wrong', () => {
    assert.deepEqual(
      [0, -2_000, 2_001, -30_000, 30_001, -5 * hour_ms].map((offset) => judgeClock('It', offset).state),
      ['ok', 'ok', 'warning', 'warning', 'broken', 'broken'],
    );
  });

  it('is told in words', () => {
    assert.deepEqual([2_500, -90_000, 3 * hour_ms].map(offsetInWords), [
      '2.5 s ahead',
      '1.5 min behind',
      '3.0 h ahead',
    ]);
  });
});

describe('the examination', () => {
  // Nothing of the surroundings but the deadline is looked at by these checks.
  const around = { options: { timeout_ms: 20 } } as unknown as Around;
  const hangs = (): Promise<never> => new Promise(() => undefined);
  const fails =
    (error: Error): Check['look'] =>
    () =>
      Promise.reject(error);

  it('gives every check its own end, in their order, whatever the others do', async () => {
    const checks: Check[] = [
      { name: 'hangs', look: hangs },
      { name: 'hangs-and-means-it', look: hangs, if_late: () => broken('It is away.', 'Start it.') },
      { name: 'throws', look: fails(Object.assign(new TypeError('NOT REAL secret'), { code: 'E_X' })) },
      { name: 'throws-at-once', look: () => assert.fail('NOT REAL secret') },
      { name: 'no-store', look: fails(new HailmarkError('HAIL_STORE_UNAVAILABLE', 'x')) },
      { name: 'several', look: () => [{ check: 'several.a', ...ok('A.') }] },
      { name: 'fine', look: () => Promise.resolve(ok('Fine.')) },
    ];
    const found = await examine(around, checks);
    assert.deepEqual(
      found.map(({ check, state }) => [check, state]),
      [
        ['hangs', 'not-checked'],
        ['hangs-and-means-it', 'broken'],
        ['throws', 'not-checked'],
        ['throws-at-once', 'not-checked'],
        ['no-store', 'not-checked'],
        ['several.a', 'ok'],
        ['fine', 'ok'],
      ],
    );
    assert.match(found[2]?.says ?? '', /TypeError \(E_X\)/);
    assert.match(found[4]?.says ?? '', /see `store`/);
    assert.ok(!JSON.stringify(found).includes('secret'));
  });
});
