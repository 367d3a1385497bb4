import { no_county } from '../../hail/county.ts';
import { isPlace } from '../../hail/geo/place.ts';
import type { ObservationFact, Provenance } from '../../hail/observation.ts';
import { max_size_in, roundToHundredths } from '../../hail/size.ts';
import { formatSecond } from '../../hail/time.ts';
import { PollFailed } from '../poll-failure.ts';
import type { SignatureRow } from './parse.ts';

/**
 * One hail signature: a storm cell's centroid as one radar saw it in one volume scan, an instant. The natural key is station, time and
 * cell; without a cell's name the place stands in for it, in the key only.
 */
export function observeSignature(
  row: SignatureRow,
  sliceOf: (began_at: number) => string,
  provenance: Provenance,
): Omit<ObservationFact, 'supersedes'> {
  const began_at = instant(row.ZTIME);
  if (began_at === null || !/^[A-Za-z0-9]{3,5}$/.test(row.WSR_ID)) {
    throw new PollFailed('not-the-format', 'A row has no station or no time.');
  }
  // A letter and a digit, as far as was seen. What could not stand in a key or a citation is no name of a cell.
  if (!/^[\w?*.-]{0,16}$/.test(row.CELL_ID)) {
    throw new PollFailed('not-the-format', 'A row has no name of a cell where one must be.');
  }
  const [lat, lon] = [decimal(row.LAT), decimal(row.LON)];
  const placed = lat !== null && lon !== null && isPlace(lat, lon);
  const scan = `${row.WSR_ID}/${formatSecond(began_at)}`;
  const size_in = decimal(row.MAXSIZE);
  return {
    publisher: 'NEXRAD_SWDI',
    record_key: row.CELL_ID === '' ? `${scan}/@${placed ? `${lat},${lon}` : ','}` : `${scan}/${row.CELL_ID}`,
    record_id: row.CELL_ID === '' ? scan : `${scan}/${row.CELL_ID}`,
    slice: sliceOf(began_at),
    began_at,
    ended_at: began_at,
    lat: placed ? lat : null,
    lon: placed ? lon : null,
    size_in: size_in === null || roundToHundredths(size_in) <= 0 || size_in > max_size_in ? null : size_in,
    status: 'final',
    ...no_county,
    evidence: {
      sevprob: percent(row.SEVPROB),
      prob: percent(row.PROB),
      qualifier: null,
      reporter: null,
      station: row.WSR_ID,
      cell_id: row.CELL_ID === '' ? null : row.CELL_ID,
      time_zone: null,
    },
    provenance,
  };
}

function instant(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return null;
  const at = Date.parse(text);
  // The parser takes 30 February for 2 March.
  return Number.isNaN(at) || formatSecond(at) !== text ? null : at;
}

function decimal(text: string): number | null {
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : null;
}

/** 0 to 100; the inventory's sentinels (-999) are no probability. */
function percent(text: string): number | null {
  const value = decimal(text);
  return value === null || value < 0 || value > 100 ? null : Math.round(value);
}
