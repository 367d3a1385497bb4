import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bearing, rose } from '../../../services/hail/geo/bearing.ts';
import { distanceMetres, distanceMiles } from '../../../services/hail/geo/distance.ts';

describe('distance and bearing', () => {
  it('measures on the mean sphere', () => {
    // A quarter of the equator of a sphere of 6371.0088 km.
    assert.ok(Math.abs(distanceMetres(0, 0, 0, 90) - 10_007_557.221) < 0.001);
    // One degree of latitude in miles: 6371.0088 km * pi / 180 / 1.609344.
    assert.ok(Math.abs(distanceMiles(29, -98, 30, -98) - 69.093) < 0.001);
    assert.equal(distanceMetres(29.5, -98.5, 29.5, -98.5), 0);
  });

  it('is as short across the antimeridian', () => {
    assert.ok(Math.abs(distanceMetres(0, 179.5, 0, -179.5) - distanceMetres(0, 0, 0, 1)) < 1e-6);
  });

  it('names the sixteen directions, each from its lower edge', () => {
    assert.equal(bearing(30, -98, 31, -98), 'N');
    assert.equal(bearing(30, -98, 30.0001, -97.9999), 'NE');
    assert.equal(bearing(30, -98, 29, -98), 'S');
    assert.equal(bearing(0, 0, 0, 1), 'E');
    assert.equal(bearing(0, 0, 0, -1), 'W');
    // 348.75 and 11.25 degrees: the sectors of N and NNE begin there.
    assert.equal(bearing(0, 0, Math.cos(rad(348.8)) * 0.001, Math.sin(rad(348.8)) * 0.001), 'N');
    assert.equal(bearing(0, 0, Math.cos(rad(348.7)) * 0.001, Math.sin(rad(348.7)) * 0.001), 'NNW');
    assert.equal(bearing(0, 0, Math.cos(rad(11.3)) * 0.001, Math.sin(rad(11.3)) * 0.001), 'NNE');
    assert.equal(rose.length, 16);
  });

  it('is N at distance 0', () => {
    assert.equal(bearing(30, -98, 30, -98), 'N');
  });
});

function rad(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
