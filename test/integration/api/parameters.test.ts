import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { errorOf, startInProcess, type InProcessApi } from './in-process.ts';

/** What every operation takes, valid; `bad` lists values that are refused, by parameter. The clock stands at 2026-11-21T23:30Z. */
interface Case {
  path: string;
  valid: Record<string, string>;
  required: string[];
  bad: Record<string, string[]>;
}

const numbers = [
  'abc',
  '1e1',
  '0x10',
  '5,5',
  '%2B5',
  '.5',
  '5.',
  'NaN',
  'Infinity',
  '5%00',
  '+5',
  '%zz',
  '%ff',
];
const days = ['2026-02-29', '2026-1-1', '20260101', '2026-01-01T00:00:00Z', '1949-12-31', 'today', '%zz'];
const addresses = [
  'abcd',
  '+++abcd+++',
  'a'.repeat(301),
  '1+Main%0ASt',
  '1+Main%00St',
  '1+Main+St%07',
  '1+Main+%zz',
  '1+Main+%C3%28',
];
const radius = [...numbers, '0', '0.0', '-1', '25.01', '26', '1000000000000000000000000'];
const size = [...numbers, '-0.01', '10.01', '11'];

const cases: Case[] = [
  {
    path: '/property/verify',
    valid: {
      address: '100+Military+Plaza',
      date_of_loss: '2026-08-28',
      window_days: '10',
      radius_mi: '5',
      min_size_in: '1',
    },
    required: ['address', 'date_of_loss'],
    bad: {
      address: addresses,
      date_of_loss: [...days, '2026-11-23', '9999-12-31'],
      window_days: ['0', '-1', '181', '1.5', '10.0', 'abc', '1e1', '%2B5', '9999999999999999999999'],
      radius_mi: radius,
      min_size_in: size,
    },
  },
  {
    path: '/property/history',
    valid: {
      address: '100+Military+Plaza',
      since: '2016-01-01',
      until: '2026-01-01',
      radius_mi: '5',
      min_size_in: '1',
      limit: '10',
    },
    required: ['address'],
    bad: {
      address: addresses,
      since: [...days, '2026-11-23', '2026-01-02'],
      until: [...days, '2101-01-01', '2015-12-31'],
      radius_mi: radius,
      min_size_in: size,
      limit: ['0', '-1', '5001', '1.5', '10.0', 'abc', '1e1'],
    },
  },
  {
    path: '/property/score',
    valid: {
      address: '100+Military+Plaza',
      roof_age: '10',
      roof_type: 'slate',
      radius_mi: '5',
    },
    required: ['address'],
    bad: {
      address: addresses,
      roof_age: ['-1', '101', '1.5', '10.0', 'abc', '1e1', '%2B5'],
      roof_type: ['Slate', 'asphalt', 'metal', 'slate,wood_shake', '%zz'],
      radius_mi: radius,
    },
  },
  { path: '/meta/health', valid: {}, required: [], bad: {} },
  { path: '/meta/methodology', valid: {}, required: [], bad: {} },
];

const query = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

describe('bad input to every parameter', () => {
  let api: InProcessApi;
  before(async () => {
    api = await startInProcess();
  });
  after(() => api.stop());

  const refusedFor = async (path: string): Promise<string[]> => {
    const response = await api.get(path);
    assert.equal(response.status, 400, path);
    const error = await errorOf(response);
    assert.equal(error.code, 'bad_request');
    assert.equal(error.request_id, response.headers.get('X-Request-Id'));
    const errors = error.detail['errors'] as { parameter: string; message: string }[];
    for (const { parameter, message } of errors)
      assert.ok(error.message.includes(`${parameter}: ${message}`));
    return errors.map(({ parameter }) => parameter);
  };

  for (const prefix of ['/api/v1', '/v1']) {
    for (const { path, valid, required, bad } of cases) {
      it(`${prefix}${path} names the one parameter that is bad`, async () => {
        for (const [parameter, values] of Object.entries(bad)) {
          for (const value of [...values, '']) {
            // A bad bound of the period is told of the other one where both were sent.
            const told = await refusedFor(`${prefix}${path}?${query({ ...valid, [parameter]: value })}`);
            const either = parameter === 'until' && value === '2015-12-31' ? 'since' : parameter;
            assert.deepEqual(told, [either], `${parameter}=${value}`);
          }
          const twice = `${query(valid)}&${parameter}=${valid[parameter] ?? ''}`;
          assert.deepEqual(await refusedFor(`${prefix}${path}?${twice}`), [parameter], `${parameter} twice`);
        }
        for (const parameter of required) {
          const rest = Object.fromEntries(Object.entries(valid).filter(([name]) => name !== parameter));
          assert.deepEqual(await refusedFor(`${prefix}${path}?${query(rest)}`), [parameter]);
        }
        for (const unknown of ['window', 'Radius_mi', 'radius_mi[]', '__proto__', 'constructor', '%zz']) {
          assert.deepEqual(await refusedFor(`${prefix}${path}?${query({ ...valid, [unknown]: '1' })}`), [
            unknown,
          ]);
        }
        assert.deepEqual(await refusedFor(`${prefix}${path}?${query(valid)}&api_key=`), ['api_key']);
        assert.deepEqual(await refusedFor(`${prefix}${path}?${query(valid)}&api_key=a&api_key=b`), [
          'api_key',
        ]);
      });
    }
  }

  it('tells all problems at once, the declared parameters in their order', async () => {
    const bad = 'bogus=1&limit=0&radius_mi=26&until=2026-02-30&since=1900-01-01&min_size_in=x';
    assert.deepEqual(await refusedFor(`/v1/property/history?${bad}`), [
      'address',
      'since',
      'until',
      'radius_mi',
      'min_size_in',
      'limit',
      'bogus',
    ]);
  });

  it('names the default of since where until lies before it', async () => {
    const response = await api.get('/v1/property/history?address=100+Military+Plaza&until=2014-12-31');
    const error = await errorOf(response);
    assert.deepEqual(error.detail, {
      errors: [
        { parameter: 'until', message: 'must not be before since, which is 2015-01-01 where it is not sent' },
      ],
    });
  });

  it('names today as the default of until where since is tomorrow', async () => {
    const error = await errorOf(
      await api.get('/v1/property/history?address=100+Military+Plaza&since=2026-11-22'),
    );
    assert.ok(error.message.includes('2026-11-21'), error.message);
  });

  it('never repeats a value', async () => {
    const told = await (
      await api.get('/v1/property/verify?address=secret%07&date_of_loss=secret&radius_mi=secret')
    ).text();
    assert.equal(told.includes('secret'), false);
  });
});

describe('good input at every bound', () => {
  let api: InProcessApi;
  before(async () => {
    api = await startInProcess({ geocoder: { locate: () => Promise.resolve({ outcome: 'no_match' }) } });
  });
  after(() => api.stop());

  const good = [
    'verify?address=12345&date_of_loss=1950-01-01',
    'verify?address=100+Military+Plaza&date_of_loss=2026-11-22&window_days=1&radius_mi=0.001&min_size_in=0',
    'verify?address=100+Military+Plaza&date_of_loss=2024-02-29&window_days=180&radius_mi=25&min_size_in=10',
    'verify?address=100+Military+Plaza&date_of_loss=2024-02-29&radius_mi=25.000&min_size_in=0.50',
    `verify?address=++${'a'.repeat(300)}++&date_of_loss=2024-02-29`,
    'verify?address=100+Main+St+%231%2C+%26+Co%3A+%2F%3F%5B%5D%40%21%24%27%28%29*%3B%3D&date_of_loss=2024-02-29',
    'verify?address=100 Main St, (rear) @ $5 [x] !*;:/?&date_of_loss=2024-02-29',
    'history?address=100+Military+Plaza&since=1950-01-01&until=2100-12-31&limit=1',
    'history?address=100+Military+Plaza&since=2026-11-22&until=2026-11-22&limit=5000',
    'score?address=100+Military+Plaza&roof_age=0&roof_type=wood_shake&radius_mi=25',
    'score?address=12345&roof_age=100&roof_type=metal_standing_seam',
    'history?address=100+Military+Plaza&until=2015-01-01&api_key=anything',
  ];
  for (const path of good) {
    it(`passes ${path.slice(0, 90)}`, async () => {
      // The address is then asked for, and has no match.
      for (const prefix of ['/api/v1', '/v1'])
        assert.equal((await api.get(`${prefix}/property/${path}`)).status, 422);
    });
  }
});
