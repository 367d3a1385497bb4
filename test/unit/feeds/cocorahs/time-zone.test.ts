import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDateTime } from '../../../../services/feeds/cocorahs/clock.ts';
import { allStates, parseStates, stateBox } from '../../../../services/feeds/cocorahs/states.ts';
import { instantOfClock, offsetAt, zonesAt } from '../../../../services/feeds/cocorahs/time-zone.ts';
import { isHailmarkError } from '../../../../services/runtime/errors.ts';

describe('the states', () => {
  it('are fifty and the District, each with a box and a zone', () => {
    assert.equal(allStates.length, 51);
    for (const state of allStates) {
      const { west, south, east, north } = stateBox(state);
      assert.ok(west < east && south < north, state);
      const zones = zonesAt(state, null);
      assert.ok(zones.length >= 1 && zones.length <= 2, state);
      for (const zone of zones) assert.ok(offsetAt(zone, 0) < 0, zone);
    }
  });

  it('are asked for by their codes only: any other would be answered with the whole country', () => {
    assert.deepEqual(parseStates(''), allStates);
    assert.deepEqual(parseStates(' ks, CO,co '), ['CO', 'KS']);
    for (const wrong of ['XX', 'CO,Colorado', 'CO;KS', 'PR']) {
      assert.throws(
        () => parseStates(wrong),
        (error) => isHailmarkError(error, 'HAIL_CONFIG'),
      );
    }
  });
});

describe('the zone of a place', () => {
  // Zones of well-known towns, from general knowledge; coordinates to a tenth of a degree or better.
  const towns: [state: string, town: string, lat: number, lon: number, zones: string[]][] = [
    ['CO', 'Denver', 39.74, -104.99, ['America/Denver']],
    ['TX', 'Dallas', 32.78, -96.8, ['America/Chicago']],
    ['TX', 'El Paso', 31.76, -106.49, ['America/Denver']],
    ['TX', 'Van Horn, near the line', 31.04, -104.83, ['America/Chicago', 'America/Denver']],
    ['KS', 'Wichita', 37.69, -97.34, ['America/Chicago']],
    ['KS', 'Goodland', 39.35, -101.71, ['America/Denver']],
    ['NE', 'Omaha', 41.26, -95.93, ['America/Chicago']],
    ['NE', 'Scottsbluff', 41.87, -103.66, ['America/Denver']],
    ['SD', 'Rapid City', 44.08, -103.23, ['America/Denver']],
    ['SD', 'Sioux Falls', 43.54, -96.73, ['America/Chicago']],
    ['SD', 'Pierre, on the line', 44.37, -100.35, ['America/Chicago', 'America/Denver']],
    ['ND', 'Fargo', 46.88, -96.79, ['America/Chicago']],
    ['ND', 'Williston', 48.15, -103.62, ['America/Chicago', 'America/Denver']],
    ['TN', 'Nashville', 36.16, -86.78, ['America/Chicago']],
    ['TN', 'Knoxville', 35.96, -83.92, ['America/New_York']],
    ['TN', 'Chattanooga', 35.05, -85.27, ['America/New_York']],
    ['KY', 'Louisville', 38.25, -85.76, ['America/New_York']],
    ['KY', 'Lexington', 38.04, -84.5, ['America/New_York']],
    ['KY', 'Bowling Green', 36.99, -86.44, ['America/Chicago']],
    ['IN', 'Indianapolis', 39.77, -86.16, ['America/Indiana/Indianapolis']],
    ['IN', 'Gary', 41.59, -87.35, ['America/Chicago']],
    ['FL', 'Tallahassee', 30.44, -84.28, ['America/New_York']],
    ['FL', 'Pensacola', 30.42, -87.22, ['America/Chicago']],
    ['MI', 'Detroit', 42.33, -83.05, ['America/Detroit']],
    ['MI', 'Ironwood', 46.45, -90.17, ['America/Menominee']],
    ['ID', 'Boise', 43.62, -116.2, ['America/Boise']],
    ['ID', 'Coeur d’Alene', 47.68, -116.78, ['America/Los_Angeles']],
    ['OR', 'Portland', 45.52, -122.68, ['America/Los_Angeles']],
    ['OR', 'Ontario', 44.03, -116.97, ['America/Boise']],
    ['AZ', 'Phoenix', 33.45, -112.07, ['America/Phoenix']],
    ['AZ', 'Window Rock', 35.68, -109.05, ['America/Phoenix', 'America/Denver']],
    ['NV', 'Las Vegas', 36.17, -115.14, ['America/Los_Angeles']],
  ];
  for (const [state, town, lat, lon, zones] of towns) {
    it(`is ${zones.join(' or ')} at ${town}`, () => {
      assert.deepEqual(zonesAt(state, { lat, lon }), zones);
    });
  }
});

describe('what a clock shows', () => {
  const shown = (text: string): number => readDateTime(text) ?? NaN;
  const utc = (zone: string, text: string): string | null => {
    const at = instantOfClock(zone, shown(text));
    return at === null ? null : new Date(at).toISOString();
  };

  it('is an instant, by the daylight saving time of its own date', () => {
    assert.equal(utc('America/Denver', '2026-06-01 01:00 PM'), '2026-06-01T19:00:00.000Z');
    assert.equal(utc('America/Denver', '2026-01-15 01:00 PM'), '2026-01-15T20:00:00.000Z');
    assert.equal(utc('America/Phoenix', '2026-06-01 01:00 PM'), '2026-06-01T20:00:00.000Z');
    assert.equal(utc('Pacific/Honolulu', '2026-06-01 11:30 PM'), '2026-06-02T09:30:00.000Z');
    // Until 2006 daylight saving time began in April.
    assert.equal(utc('America/Chicago', '2005-03-20 06:00 PM'), '2005-03-21T00:00:00.000Z');
    assert.equal(utc('America/Chicago', '2015-03-20 06:00 PM'), '2015-03-20T23:00:00.000Z');
  });

  it('is none in the hour that is skipped, nor in the one that comes twice', () => {
    assert.equal(utc('America/Chicago', '2026-03-08 02:30 AM'), null);
    assert.equal(utc('America/Chicago', '2026-11-01 01:30 AM'), null);
    assert.equal(utc('America/Chicago', '2026-03-08 01:59 AM'), '2026-03-08T07:59:00.000Z');
    assert.equal(utc('America/Chicago', '2026-03-08 03:00 AM'), '2026-03-08T08:00:00.000Z');
    assert.equal(utc('America/Chicago', '2026-11-01 12:59 AM'), '2026-11-01T05:59:00.000Z');
    assert.equal(utc('America/Chicago', '2026-11-01 02:00 AM'), '2026-11-01T08:00:00.000Z');
  });

  it('has twelve hours twice', () => {
    assert.equal(shown('2026-06-01 12:05 AM'), Date.UTC(2026, 5, 1, 0, 5));
    assert.equal(shown('2026-06-01 12:05 PM'), Date.UTC(2026, 5, 1, 12, 5));
    assert.equal(shown('6/1/2026 1:05 pm'), Date.UTC(2026, 5, 1, 13, 5));
    for (const wrong of [
      '2026-06-01',
      '2026-06-01 13:00',
      '2026-06-01 13:00 PM',
      '2026-02-30 01:00 PM',
      '',
    ]) {
      assert.equal(readDateTime(wrong), null, wrong);
    }
  });
});
