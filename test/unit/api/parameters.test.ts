import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  mergeProblems,
  sentValues,
  syntaxProblems,
  type DeclaredParameter,
} from '../../../services/api/parameters/check.ts';
import { dayProblems, tomorrow } from '../../../services/api/parameters/days.ts';
import { readRawQuery } from '../../../services/api/parameters/raw-query.ts';

const declared: DeclaredParameter[] = [
  { name: 'address', schema: { type: 'string' } },
  { name: 'day', schema: { type: 'string', format: 'date' } },
  { name: 'radius', schema: { type: 'number' } },
  { name: 'limit', schema: { type: 'integer' } },
];

function problemsIn(query: string): string[] {
  return syntaxProblems(declared, readRawQuery(`/path?${query}`)).map(({ parameter }) => parameter);
}

describe('the raw query', () => {
  it('decodes UTF-8 and plus signs and tells what it cannot decode', () => {
    assert.deepEqual(readRawQuery('/p?a=1+2%2B&b=%C3%B1&c=%ff&%zz=1&d&&e='), [
      { name: 'a', value: '1 2+', name_is_malformed: false },
      { name: 'b', value: 'ñ', name_is_malformed: false },
      { name: 'c', value: null, name_is_malformed: false },
      { name: '%zz', value: '1', name_is_malformed: true },
      { name: 'd', value: '', name_is_malformed: false },
      { name: 'e', value: '', name_is_malformed: false },
    ]);
    assert.deepEqual(readRawQuery('/p'), []);
  });
});

describe('the syntax of parameters', () => {
  it('accepts plain values and the key', () => {
    assert.deepEqual(problemsIn('address=100+Main+St&day=2024-02-29&radius=0.5&limit=10&api_key=x'), []);
  });

  const bad: [query: string, parameter: string][] = [
    ['unknown=1', 'unknown'],
    ['Radius=1', 'Radius'],
    ['radius[]=1', 'radius[]'],
    ['radius=1&radius=2', 'radius'],
    ['api_key=a&api_key=b', 'api_key'],
    ['api_key=', 'api_key'],
    ['radius=', 'radius'],
    ['radius', 'radius'],
    ['radius=%zz', 'radius'],
    ['%zz=1', '%zz'],
    ...[
      '1e1',
      '0x10',
      ' 5',
      '5 ',
      '%2B5',
      '.5',
      '5.',
      '1,5',
      'Infinity',
      'NaN',
      '٥',
      '5_0',
      '--5',
      'null',
      'five',
    ].map((text): [string, string] => [`radius=${text.replaceAll(' ', '+')}`, 'radius']),
    ...['1.0', '1e2', '5.5', '%2B1', 'abc', '1+0'].map((text): [string, string] => [
      `limit=${text}`,
      'limit',
    ]),
    ...[
      '2023-02-29',
      '2024-2-9',
      '20240209',
      '2024-02-09T00:00:00Z',
      '2024-13-01',
      '0000-00-00',
      'today',
      '+2024-02-09',
    ].map((text): [string, string] => [`day=${text}`, 'day']),
    ...['abcd', '+abcd++++', '1+Main%00St', '1+Main+St%0A', 'a'.repeat(301)].map((text): [string, string] => [
      `address=${text}`,
      'address',
    ]),
  ];
  for (const [query, parameter] of bad) {
    it(`refuses ${query.slice(0, 40)}`, () => assert.deepEqual(problemsIn(query), [parameter]));
  }

  it('counts an address in characters, after trimming', () => {
    assert.deepEqual(problemsIn(`address=${'a'.repeat(300)}`), []);
    assert.deepEqual(problemsIn(`address=+++${'a'.repeat(300)}+++`), []);
    assert.deepEqual(problemsIn(`address=${encodeURIComponent('😀'.repeat(300))}`), []);
    assert.deepEqual(problemsIn(`address=${encodeURIComponent('😀'.repeat(301))}`), ['address']);
  });

  it('never repeats a value and cuts a long name', () => {
    const told = JSON.stringify(
      syntaxProblems(declared, readRawQuery(`/p?radius=secret&${'n'.repeat(500)}=1`)),
    );
    assert.equal(told.includes('secret'), false);
    assert.equal(told.includes('n'.repeat(65)), false);
  });

  it('puts all problems together, its own message first, in the order of the declaration', () => {
    const merged = mergeProblems(
      declared,
      [
        { parameter: 'bogus', message: 'own' },
        { parameter: 'radius', message: 'own' },
      ],
      [
        { parameter: 'radius', message: 'schema' },
        { parameter: 'address', message: 'is required' },
      ],
    );
    assert.deepEqual(merged, [
      { parameter: 'address', message: 'is required' },
      { parameter: 'radius', message: 'own' },
      { parameter: 'bogus', message: 'own' },
    ]);
  });
});

describe('the bounds of days', () => {
  const problems = (day: string, last: string): number =>
    dayProblems(sentValues(readRawQuery(`/p?day=${day}`)), 'day', last).length;

  it('are inclusive on both sides', () => {
    assert.equal(problems('1950-01-01', '2026-11-22'), 0);
    assert.equal(problems('1949-12-31', '2026-11-22'), 1);
    assert.equal(problems('2026-11-22', '2026-11-22'), 0);
    assert.equal(problems('2026-11-23', '2026-11-22'), 1);
  });

  it('reckon tomorrow in UTC', () => {
    assert.equal(tomorrow(Date.parse('2026-12-31T23:59:59.999Z')), '2027-01-01');
    assert.equal(tomorrow(Date.parse('2026-12-31T00:00:00.000Z')), '2027-01-01');
  });
});
