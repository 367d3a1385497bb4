import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsAt } from '../../../../services/hail/event/event.ts';
import type { Observation } from '../../../../services/hail/observation.ts';
import { everywhere, hail, noon } from './made-up.ts';

describe('events', () => {
  it('are led by the largest, then the nearest, then the publisher, then the earliest', () => {
    const order = (observations: Observation[]): string[] =>
      eventsAt(observations, everywhere).flatMap((event) => event.observations.map((each) => each.record_id));
    assert.deepEqual(order([hail({ record_id: 'small' }), hail({ record_id: 'large', size_in: 2 })]), [
      'large',
      'small',
    ]);
    assert.deepEqual(
      order([hail({ record_id: 'far', lat: 29.52 }), hail({ record_id: 'near', lat: 29.51 })]),
      ['near', 'far'],
    );
    assert.deepEqual(
      order([
        hail({ record_id: 'radar', publisher: 'NEXRAD_SWDI' }),
        hail({ record_id: 'grid', publisher: 'MRMS_MESH' }),
        hail({ record_id: 'gauge', publisher: 'COCORAHS' }),
        hail({ record_id: 'report', publisher: 'NOAA_SED', began_ms: noon + 60_000 }),
      ]),
      ['report', 'gauge', 'grid', 'radar'],
    );
    assert.deepEqual(
      order([
        hail({ record_id: 'a', began_ms: noon + 1 }),
        hail({ record_id: 'b' }),
        hail({ record_id: 'c' }),
      ]),
      ['b', 'c', 'a'],
    );
  });

  it('come oldest first, ties by the lead record id as text', () => {
    const far = { lat: 29.8, lon: -98.5 };
    const ids = eventsAt(
      [
        hail({ record_id: '9' }),
        hail({ record_id: '10', ...far }),
        hail({ record_id: '1', began_ms: noon - 1 }),
      ],
      everywhere,
    ).map((event) => event.lead.record_id);
    assert.deepEqual(ids, ['1', '10', '9']);
  });

  it('are made of what passes the filters: a bridge that is too small joins nothing', () => {
    const chain = [hail({ lat: 29.5 }), hail({ lat: 29.55, size_in: 0.5 }), hail({ lat: 29.6 })];
    assert.equal(eventsAt(chain, everywhere).length, 2);
    assert.equal(eventsAt(chain, { ...everywhere, min_size_in: 0.5 }).length, 1);
  });

  it('take the radius inclusive and the window half open', () => {
    const at = hail({ began_ms: noon });
    assert.equal(eventsAt([at], { ...everywhere, from_ms: noon, until_ms: noon + 1 }).length, 1);
    assert.equal(eventsAt([at], { ...everywhere, from_ms: noon + 1 }).length, 0);
    assert.equal(eventsAt([at], { ...everywhere, until_ms: noon }).length, 0);
    assert.equal(eventsAt([at], { ...everywhere, radius_mi: 1e-9 }).length, 1);
  });

  it('of several CoCoRaHS reports with one id keep the largest, then the earliest', () => {
    const report = { publisher: 'COCORAHS' as const, record_id: 'CO-LR-610/2026-06-01' };
    const [event] = eventsAt(
      [
        hail({ ...report, record_key: 'a', size_in: 1 }),
        hail({ ...report, record_key: 'b', size_in: 1.5, began_ms: noon + 2 }),
        hail({ ...report, record_key: 'c', size_in: 1.5, began_ms: noon + 1 }),
      ],
      everywhere,
    );
    assert.deepEqual(
      event?.observations.map((each) => each.record_key),
      ['c'],
    );
  });
});
