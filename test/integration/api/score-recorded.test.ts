import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { methodology } from '../../../services/hail/methodology/methodology.ts';
import { sanAntonioRows } from '../../support/recorded.ts';
import { now_ms, startInProcess, type InProcessApi } from './in-process.ts';

/** Near the largest of the recorded cells, 2.50 in on 27 August 2026. */
const place = { lat: 29.762, lon: -98.322 };

interface Read {
  time: string;
  station: string;
  cell: string;
  sevprob: number;
  size: number;
  lat: number;
  lon: number;
}

const rows: Read[] = sanAntonioRows().map((line) => {
  const [time = '', station = '', cell = '', , sevprob, size, lat, lon] = line.split(',');
  return {
    time,
    station,
    cell,
    sevprob: Number(sevprob),
    size: Number(size),
    lat: Number(lat),
    lon: Number(lon),
  };
});

/** Miles by the law of cosines, which the service does not use. */
function miles({ lat, lon }: Read): number {
  const r = Math.PI / 180;
  const cosine =
    Math.sin(lat * r) * Math.sin(place.lat * r) +
    Math.cos(lat * r) * Math.cos(place.lat * r) * Math.cos((lon - place.lon) * r);
  return (Math.acos(Math.min(1, cosine)) * 6371.0088) / 1.609344;
}

/** P(standard normal < z), by adding up the density. */
function phi(z: number): number {
  const steps = 20_000;
  const width = (z + 9) / steps;
  let sum = 0;
  for (let i = 0; i < steps; i += 1) sum += Math.exp(-((-9 + (i + 0.5) * width) ** 2) / 2);
  return (sum * width) / Math.sqrt(2 * Math.PI);
}

/** The score of wood shakes of 12 years, written down from the methodology's page alone. */
function scoreByHand(): { percent: number; counted: number } {
  const { fitted, priors, size_classes_in: classes } = methodology.score;
  const { intercept, nearest, largest, size_class } = fitted.coefficients;
  const days = new Map<string, Read[]>();
  let counted = 0;
  for (const row of rows) {
    if (row.size < 0.75 || miles(row) > 5) continue;
    counted += 1;
    const day = new Date(Date.parse(row.time) - 12 * 3_600_000).toISOString().slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  let intact = 1;
  for (const [day, of_day] of days) {
    const strength = ({ size, sevprob }: Read): number =>
      Math.log(size) + 0.005 * Math.max(-30, Math.min(30, sevprob - 47.5 - 58 * Math.log(size)));
    const a = Math.max(...of_day.map((row) => strength(row) - (miles(row) / fitted.kernel_mi) ** 2));
    const b = Math.max(...of_day.map(strength));
    const hail = (s: number): number => {
      const log_odds = intercept + nearest * a + largest * b - size_class * Math.log(s);
      return (
        1 / (1 + Math.exp(-log_odds - Math.log(priors.reports_to_falls.value * priors.area_to_roof.value)))
      );
    };
    // Shakes keep their capacity for 5 years and 0.7 of it from 20 on; the day decides how old they were.
    const age = 12 - (now_ms - Date.parse(`${day}T12:00:00Z`)) / 31_556_952_000;
    const median = 0.9 * Math.exp(1.2815515655446 * 0.25) * (1 - (0.3 * (age - 5)) / 15);
    const damage = classes.reduce((sum, s, index) => {
      const next = classes[index + 1];
      const middle = next === undefined ? s : Math.sqrt(s * next);
      return sum + (hail(s) - (next === undefined ? 0 : hail(next))) * phi(Math.log(middle / median) / 0.25);
    }, 0);
    intact *= 1 - damage;
  }
  return { percent: 100 * (1 - intact), counted };
}

describe('the score of the recorded storms at San Antonio', () => {
  let api: InProcessApi | undefined;
  after(() => api?.stop());

  it('is the number that a reader of the page works out from the recorded rows', async () => {
    api = await startInProcess({
      geocoder: {
        locate: () => Promise.resolve({ outcome: 'match', resolved_address: 'R', ...place, corrections: [] }),
      },
      hail: {
        observationsNear: () =>
          Promise.resolve({
            observations: rows.map(({ time, station, cell, sevprob, size, lat, lon }) => ({
              publisher: 'NEXRAD_SWDI',
              record_key: `${station}/${time}/${cell}`,
              record_id: `${station}/${time}/${cell}`,
              began_ms: Date.parse(time),
              ended_ms: Date.parse(time),
              ...{ lat, lon, size_in: size, size_tenths_mm: null, sevprob },
            })),
            token: 'v1.test.0',
            coverage: { NOAA_SED: 'none', NEXRAD_SWDI: 'complete', MRMS_MESH: 'none', COCORAHS: 'none' },
          }),
        feedsReadThrough: () => Promise.resolve(new Map()),
      },
    });
    const response = await api.get('/v1/property/score?address=12345&roof_age=12&roof_type=wood_shake');
    const { data } = (await response.json()) as {
      data: { score: { value: number }; events: { items: { sources: unknown[] }[] } };
    };
    const { percent, counted } = scoreByHand();
    assert.ok(counted >= 10, `${counted} rows within five miles`);
    assert.equal(
      data.events.items.reduce((sum, { sources }) => sum + sources.length, 0),
      counted,
    );
    // Far enough from a half that neither way of adding up decides the rounding.
    assert.ok(Math.abs(percent - Math.floor(percent) - 0.5) > 0.001);
    assert.ok(percent > 0.5);
    assert.equal(data.score.value, Math.round(percent));
  });
});
