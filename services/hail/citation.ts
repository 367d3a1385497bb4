import { minute_ms } from './time.ts';
import type { CitingPublisher } from './publisher.ts';
import type { Observation } from './observation.ts';

/** The contract's Source object (2.4). */
export interface Source {
  publisher: CitingPublisher;
  record_id: string;
  url?: string;
  detail?: Record<string, string>;
}

type Cited = Pick<Observation, 'publisher' | 'record_id' | 'began_ms' | 'lat' | 'lon'>;

/**
 * The citation of an observation, derived from its id and place alone: nothing about it is read from a table. Links name the
 * publisher's public host whatever base URL the service reads from, because the reader of an answer stands outside.
 */
export function sourceOf(observation: Cited): Source {
  const { publisher, record_id } = observation;
  switch (publisher) {
    case 'NOAA_SED':
      return {
        publisher,
        record_id,
        url: `https://www.ncei.noaa.gov/access/storm-events-database/event-details/${encodeURIComponent(record_id)}`,
      };
    case 'NEXRAD_SWDI':
      return { publisher, record_id, url: swdiUrl(observation), detail: radarDetail(record_id) };
    case 'MRMS_MESH':
      return {
        publisher,
        record_id,
        url: mrmsUrl(record_id),
        detail: pair(record_id, 'product', 'timestamp'),
      };
    case 'COCORAHS':
      return { publisher, record_id, detail: pair(record_id, 'station', 'date') };
  }
}

/** The query that returns the row: its minute, and a box of a hundredth of a degree around it. */
function swdiUrl({ began_ms, lat, lon }: Cited): string {
  const minute = Math.floor(began_ms / minute_ms) * minute_ms;
  const box = [lon - 0.01, lat - 0.01, lon + 0.01, lat + 0.01].map((degrees) => degrees.toFixed(3)).join(',');
  return `https://www.ncei.noaa.gov/swdiws/csv/nx3hail/${swdiMinute(minute)}:${swdiMinute(minute + minute_ms)}?bbox=${box}`;
}

function swdiMinute(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, 16).replace(/[-T:]/g, '');
}

function radarDetail(record_id: string): Record<string, string> {
  const [station = '', timestamp = '', cell_id] = record_id.split('/');
  return cell_id === undefined ? { station, timestamp } : { station, timestamp, cell_id };
}

function mrmsUrl(record_id: string): string {
  const { product = '', timestamp = '' } = pair(record_id, 'product', 'timestamp');
  const [day = '', time = ''] = timestamp.replace(/[-:Z]/g, '').split('T');
  const name = `${product}_00.50`;
  return `https://noaa-mrms-pds.s3.amazonaws.com/CONUS/${name}/${day}/MRMS_${name}_${day}-${time}.grib2.gz`;
}

function pair(record_id: string, first: string, second: string): Record<string, string> {
  const slash = record_id.lastIndexOf('/');
  return { [first]: record_id.slice(0, slash), [second]: record_id.slice(slash + 1) };
}
