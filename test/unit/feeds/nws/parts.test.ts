import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseHailTag } from '../../../../services/feeds/nws/hail-tag.ts';
import { parseLocalTime } from '../../../../services/feeds/nws/local-time.ts';
import { parseVtec } from '../../../../services/feeds/nws/vtec.ts';

describe('a hail tag', () => {
  it('is inches, with or without a word before and a unit behind', () => {
    const read: [string, number | null, string | null][] = [
      ['1.75', 1.75, null],
      ['0.75', 0.75, null],
      ['Up to .75', 0.75, 'up to'],
      ['UP TO 0.25', 0.25, 'up to'],
      ['<.50 IN', 0.5, '<'],
      ['1.00 IN', 1, null],
      [' 4 ', 4, null],
    ];
    for (const [text, max_hail_in, hail_qualifier] of read)
      assert.deepEqual(parseHailTag(text), { max_hail_in, hail_qualifier }, text);
  });

  it('of nothing, of no hail or of no number is no size', () => {
    for (const text of ['0.00', '0', '', 'Up to', 'Golf ball', '-1', '1,75', '1.75-2.00', 'NaN', '99.9', '.'])
      assert.deepEqual(parseHailTag(text), { max_hail_in: null, hail_qualifier: null }, text);
  });
});

describe('a VTEC', () => {
  it('says what becomes of which event', () => {
    assert.deepEqual(parseVtec('/O.NEW.KTOP.SV.W.0347.260709T0523Z-260709T0600Z/'), {
      ...{ product_class: 'O', action: 'NEW', office: 'KTOP', phenomenon: 'SV', significance: 'W', etn: 347 },
      begins_at: Date.parse('2026-07-09T05:23:00Z'),
      ends_at: Date.parse('2026-07-09T06:00:00Z'),
    });
  });

  it('has no start once the event goes on, which is no time in 2000', () => {
    const vtec = parseVtec('/O.CAN.KTOP.SV.W.0347.000000T0000Z-260709T0600Z/');
    assert.deepEqual([vtec?.begins_at, vtec?.ends_at], [null, Date.parse('2026-07-09T06:00:00Z')]);
  });

  it('of another form is none', () => {
    const wrong = [
      '',
      'O.NEW.KTOP.SV.W.0347.260709T0523Z-260709T0600Z',
      '/O.NEW.KTOP.SV.W.347.260709T0523Z-260709T0600Z/',
      '/O.NEW.KTOP.SV.W.0347.260709T0523Z/',
      '/O.NEW.KTOP.SV.W.0347.260230T0523Z-260709T0600Z/',
      '/O.NEW.KTOP.SV.W.0347.260709T2523Z-260709T0600Z/',
      '/KTOPS.1.ER.260709T0523Z.260709T0523Z.260709T0523Z.NO/',
    ];
    for (const text of wrong) assert.equal(parseVtec(text), null, text);
  });
});

describe('a time with an offset', () => {
  it('is an instant, whatever the offset it is written with', () => {
    const instant = fc.integer({ min: Date.UTC(1990, 0, 1) / 1_000, max: Date.UTC(2090, 0, 1) / 1_000 });
    const minutes = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(instant, minutes, (second, offset) => {
        const local = new Date((second + offset * 60) * 1_000).toISOString().slice(0, 19);
        const [hours, rest] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const two = (value: number): string => String(value).padStart(2, '0');
        const text = `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
        assert.equal(parseLocalTime(text), second * 1_000, text);
      }),
    );
    assert.equal(parseLocalTime('2026-07-15T20:00:37Z'), Date.UTC(2026, 6, 15, 20, 0, 37));
  });

  it('is none without an offset, or on a day of no calendar', () => {
    const wrong = [
      '2026-07-09T00:23:00',
      '2026-02-30T00:00:00Z',
      '2026-07-09T24:00:00-05:00',
      '2026-07-09',
      '07/09/2026',
      'soon',
      '',
    ];
    for (const text of wrong) assert.equal(parseLocalTime(text), null, text);
  });
});
