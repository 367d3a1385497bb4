import { eventsAt, type Filters } from '../../../services/hail/event/event.ts';
import type { Observation } from '../../../services/hail/observation.ts';
import { roundToHundredths, tenths_mm_per_inch } from '../../../services/hail/size.ts';
import { day_ms, formatSecond, hour_ms, minute_ms } from '../../../services/hail/time.ts';

/** A question that is as wide as the contract allows, and the observations it has to group. All of them pass its filters. */
export interface GroupingCase {
  name: string;
  filters: Filters;
  observations: Observation[];
}

export type Random = () => number;

const filters: Filters = {
  lat: 35,
  lon: -97.5,
  radius_mi: 25,
  from_ms: Date.parse('2016-01-01T00:00:00Z'),
  until_ms: Date.parse('2027-01-01T00:00:00Z'),
  min_size_in: 0.75,
};

/** Cells of an hourly granule that lie within 25 miles of a place at this latitude, about. */
const cells_of_the_circle = 5_400;

/** NOT REAL: made-up hail around one place, `count` observations a case. */
export function groupingCases(count: number, random: Random): GroupingCase[] {
  const years = storms(count, 100, random);
  return [
    { name: 'ten years of radar signatures, 100 storm days', filters, observations: take(years, count) },
    { name: 'all of it in one evening', filters, observations: take(storms(count, 1, random), count) },
    {
      name: 'hourly granules, two swaths in each',
      filters,
      observations: take(granules(random, 400), count),
    },
    {
      name: 'hourly granules, hail over the whole circle',
      filters,
      observations: take(granules(random, cells_of_the_circle), count),
    },
    {
      name: 'a third records, two thirds cells',
      filters,
      observations: shuffled(
        [
          ...take(storms(count / 3, 100, random), Math.floor(count / 3)),
          ...take(granules(random, 400), count),
        ],
        count,
        random,
      ),
    },
  ];
}

/** Cells that cross the circle for three hours, seen by four radars every five minutes or so. */
function* storms(count: number, days: number, random: Random): Generator<Observation> {
  const a_day = Math.ceil(count / days);
  for (let serial = 0; ; serial += 1) {
    const day = Math.floor(serial / a_day);
    const evening_ms = filters.from_ms + day * 36 * day_ms + 20 * hour_ms;
    const track = serial % 4;
    const age_ms = random() * 3 * hour_ms;
    const began_ms = Math.floor(evening_ms + age_ms);
    yield observation({
      publisher: 'NEXRAD_SWDI',
      record_key: `KTLX/${formatSecond(began_ms)}/${serial}`,
      began_ms,
      ended_ms: began_ms,
      lat: filters.lat + 0.15 * (track - 1.5) + 0.02 * (random() - 0.5),
      lon: filters.lon - 0.3 + (0.6 * age_ms) / (3 * hour_ms) + 0.02 * (random() - 0.5),
      size_in: 0.75 + Math.floor(random() * 10) / 4,
      size_tenths_mm: null,
    });
  }
}

/** One granule after another, six hours apart on the same grid, each with up to `cells` cells: swaths fifteen miles apart, or the whole circle. */
function* granules(random: Random, cells: number): Generator<Observation> {
  const whole = cells === cells_of_the_circle;
  for (let number = 0; ; number += 1) {
    const ended_ms = filters.from_ms + (number % 12_000) * 6 * hour_ms;
    const record_key = `MESH_Max_60min/${formatSecond(ended_ms)}`;
    const rows = whole ? 72 : 10;
    for (let index = 0; index < cells; index += 1) {
      const [row, column] = [index % rows, Math.floor(index / rows)];
      const apart = !whole && row >= rows / 2 ? 17 : 0;
      const size_tenths_mm = 200 + Math.floor(random() * 300);
      yield observation({
        publisher: 'MRMS_MESH',
        record_key,
        began_ms: ended_ms - 60 * minute_ms,
        ended_ms,
        lat: filters.lat + 0.36 - 0.01 * (row + apart),
        lon: filters.lon - 0.4 + 0.01 * column,
        size_in: roundToHundredths(size_tenths_mm / tenths_mm_per_inch),
        size_tenths_mm,
      });
    }
  }
}

/** One shape for all, as the rows of the table become: places in thousandths of a degree, as most publishers give them. */
function observation(parts: Omit<Observation, 'record_id'>): Observation {
  const { publisher, record_key, began_ms, ended_ms, size_in, size_tenths_mm } = parts;
  const [lat, lon] = [thousandths(parts.lat), thousandths(parts.lon)];
  return {
    publisher,
    record_key,
    record_id: record_key,
    began_ms,
    ended_ms,
    lat,
    lon,
    size_in,
    size_tenths_mm,
  };
}

/** The first `count` that an answer would keep. */
function take(endless: Generator<Observation>, count: number): Observation[] {
  const kept: Observation[] = [];
  for (const each of endless) {
    if (kept.length === count) break;
    if (eventsAt([each], filters).length === 1) kept.push(each);
  }
  return kept;
}

function shuffled(all: Observation[], count: number, random: Random): Observation[] {
  return all
    .slice(0, count)
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

function thousandths(degrees: number): number {
  return Math.round(degrees * 1_000) / 1_000;
}
