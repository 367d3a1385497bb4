import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sourceOf } from '../../../services/hail/citation.ts';

const place = { began_ms: Date.parse('2026-08-29T01:08:12Z'), lat: 29.654, lon: -98.179 };

describe('citations', () => {
  it('of a Storm Event link to its page and have no detail', () => {
    assert.deepEqual(sourceOf({ publisher: 'NOAA_SED', record_id: '679888', ...place }), {
      publisher: 'NOAA_SED',
      record_id: '679888',
      url: 'https://www.ncei.noaa.gov/access/storm-events-database/event-details/679888',
    });
  });

  it('of a radar cell link to the query that returns the row', () => {
    assert.deepEqual(
      sourceOf({ publisher: 'NEXRAD_SWDI', record_id: 'KEWX/2026-08-29T01:08:12Z/G2', ...place }),
      {
        publisher: 'NEXRAD_SWDI',
        record_id: 'KEWX/2026-08-29T01:08:12Z/G2',
        url: 'https://www.ncei.noaa.gov/swdiws/csv/nx3hail/202608290108:202608290109?bbox=-98.189,29.644,-98.169,29.664',
        detail: { station: 'KEWX', timestamp: '2026-08-29T01:08:12Z', cell_id: 'G2' },
      },
    );
  });

  it('of a radar row without a cell name only station and time', () => {
    assert.deepEqual(
      sourceOf({ publisher: 'NEXRAD_SWDI', record_id: 'KEWX/2026-08-29T01:08:12Z', ...place }).detail,
      {
        station: 'KEWX',
        timestamp: '2026-08-29T01:08:12Z',
      },
    );
  });

  it('of a granule link to its object', () => {
    const source = sourceOf({
      publisher: 'MRMS_MESH',
      record_id: 'MESH_Max_60min/2026-06-10T21:00:00Z',
      ...place,
    });
    assert.equal(
      source.url,
      'https://noaa-mrms-pds.s3.amazonaws.com/CONUS/MESH_Max_60min_00.50/20260610/MRMS_MESH_Max_60min_00.50_20260610-210000.grib2.gz',
    );
    assert.deepEqual(source.detail, { product: 'MESH_Max_60min', timestamp: '2026-06-10T21:00:00Z' });
  });

  it('of an observer have no link', () => {
    assert.deepEqual(sourceOf({ publisher: 'COCORAHS', record_id: 'CO-LR-610/2026-06-01', ...place }), {
      publisher: 'COCORAHS',
      record_id: 'CO-LR-610/2026-06-01',
      detail: { station: 'CO-LR-610', date: '2026-06-01' },
    });
  });
});
