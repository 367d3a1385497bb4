import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { zoneOffset } from '../../../../services/feeds/noaa_sed/time-zone.ts';

const hours = (label: string): number | null => {
  const offset_ms = zoneOffset(label);
  return offset_ms === null ? null : offset_ms / 3_600_000;
};

describe('the clock of a Storm Events label', () => {
  it('takes the number of a modern label literally', () => {
    for (const [label, expected] of [
      ['EST-5', -5],
      ['CST-6', -6],
      ['AKST-9', -9],
      ['HST-10', -10],
      ['SST-11', -11],
      ['AST-4', -4],
      ['GST10', 10],
      ['CDT-5', -5],
      ['cst-6', -6],
      ['Gst10', 10],
      ['ChST10', 10],
    ] as const) {
      assert.equal(hours(label), expected, label);
    }
  });

  it('knows the bare labels of old files, whatever their case', () => {
    for (const [label, expected] of [
      ['CST', -6],
      ['CSt', -6],
      ['ESt', -5],
      ['PST', -8],
      ['MDT', -6],
      ['CDT', -5],
      ['EDT', -4],
      ['PDT', -7],
      ['HST', -10],
      [' CST ', -6],
    ] as const) {
      assert.equal(hours(label), expected, label);
    }
  });

  it('guesses nothing', () => {
    for (const label of ['UNK', 'SCT', '', 'CST6', 'CST-', 'CST-99', '-6', 'America/Chicago']) {
      assert.equal(hours(label), null, label);
    }
  });
});
