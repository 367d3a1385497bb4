import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cellOf, cellText, cellsWithin } from '../../../services/hail/geo/geohash.ts';
import { distanceMetres, earth_radius_m } from '../../../services/hail/geo/distance.ts';

describe('geohash cells', () => {
  it('agrees with published geohashes', () => {
    // Niemeyer's own example and two places of the recorded feeds.
    assert.equal(cellText(cellOf(57.64911, 10.40744)), 'u4pru');
    assert.equal(cellText(cellOf(42.6, -5.6)), 'ezs42');
    assert.equal(cellText(cellOf(29.424, -98.494)), '9v1zq');
  });

  it('gives a border to the cell east and north of it', () => {
    assert.equal(cellText(cellOf(0, 0)), 's0000');
    assert.equal(cellText(cellOf(45, -90)), 'f0000');
    const corner = cellOf(35.15625, -97.734375);
    assert.equal(corner, cellOf(35.15626, -97.73437));
    assert.notEqual(corner, cellOf(35.15624, -97.73437));
    assert.notEqual(corner, cellOf(35.15626, -97.73438));
  });

  it('has one cell for one place: 180 E is 180 W, and the poles are inside', () => {
    assert.equal(cellOf(10, 180), cellOf(10, -180));
    assert.equal(cellText(cellOf(90, 0)).length, 5);
    assert.equal(cellText(cellOf(-90, -180)), '00000');
  });

  it('refuses what is not on the globe', () => {
    for (const [lat, lon] of [
      [Number.NaN, 0],
      [90.1, 0],
      [0, 180.1],
      [Number.POSITIVE_INFINITY, 0],
    ] as const) {
      assert.throws(() => cellOf(lat, lon), RangeError);
    }
  });

  it('covers every place within the radius', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -85, max: 85, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: 1, max: 60_000, noNaN: true }),
        fc.double({ min: 0, max: 360, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (lat, lon, radius_m, azimuth_deg, share) => {
          const [there_lat, there_lon] = destination(lat, lon, radius_m * Math.sqrt(share), azimuth_deg);
          fc.pre(distanceMetres(lat, lon, there_lat, there_lon) <= radius_m);
          return cellsWithin(lat, lon, radius_m).includes(cellOf(there_lat, there_lon));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('covers places on the rim', () => {
    for (const lat of [0, 25, 38.5, 49, 71]) {
      for (let azimuth_deg = 0; azimuth_deg < 360; azimuth_deg += 1) {
        const [there_lat, there_lon] = destination(lat, -97.5, 40_233.6, azimuth_deg);
        assert.ok(cellsWithin(lat, -97.5, 40_234).includes(cellOf(there_lat, there_lon)));
      }
    }
  });

  it('stays small: 25 miles in Kansas are some hundred cells, ascending and distinct', () => {
    const cells = cellsWithin(38.5, -98, 40_233.6);
    assert.ok(cells.length > 200 && cells.length < 420, `${cells.length} cells`);
    assert.deepEqual(
      cells,
      [...new Set(cells)].sort((a, b) => a - b),
    );
  });
});

/** The place `distance_m` away in a direction, on the sphere; longitude back in [-180, 180). */
function destination(lat: number, lon: number, distance_m: number, azimuth_deg: number): [number, number] {
  const rad = Math.PI / 180;
  const arc = distance_m / earth_radius_m;
  const sine =
    Math.sin(lat * rad) * Math.cos(arc) + Math.cos(lat * rad) * Math.sin(arc) * Math.cos(azimuth_deg * rad);
  const turn = Math.atan2(
    Math.sin(azimuth_deg * rad) * Math.sin(arc) * Math.cos(lat * rad),
    Math.cos(arc) - Math.sin(lat * rad) * sine,
  );
  return [Math.asin(sine) / rad, ((((lon + turn / rad + 180) % 360) + 360) % 360) - 180];
}
