import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { link_distance_m, link_gap_ms, linked } from '../../../../services/hail/event/link.ts';
import { earth_radius_m } from '../../../../services/hail/geo/distance.ts';
import { hail, noon } from './made-up.ts';

describe('the link rule', () => {
  it('counts a gap of exactly twenty minutes, and not a millisecond more', () => {
    const first = hail({ began_ms: noon + 1_000 });
    assert.ok(linked(first, hail({ began_ms: noon + 1_000 + link_gap_ms })));
    assert.ok(!linked(first, hail({ began_ms: noon + 1_001 + link_gap_ms })));
  });

  it('measures the gap from the end of a span', () => {
    const long = hail({ began_ms: noon, ended_ms: noon + 3_600_000 });
    assert.ok(linked(long, hail({ began_ms: noon + 3_600_000 + link_gap_ms })));
    assert.ok(linked(long, hail({ began_ms: noon + 60_000 })));
  });

  it('never links across 12Z', () => {
    assert.ok(!linked(hail({ began_ms: noon - 1 }), hail({ began_ms: noon })));
  });

  it('counts five miles, and not a metre more', () => {
    const degrees = (metres: number): number => ((metres / earth_radius_m) * 180) / Math.PI;
    const here = hail({ lat: 0, lon: 0 });
    assert.ok(linked(here, hail({ lat: degrees(link_distance_m - 0.001), lon: 0 })));
    assert.ok(!linked(here, hail({ lat: degrees(link_distance_m + 1), lon: 0 })));
  });
});
