import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

/** An answer as it came over HTTP. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; null where it is empty or no JSON. */
  body: unknown;
}

export type Expectation = (answer: Answer) => void;

/** What must be broken for a sentence to be seen: answered by an app in this process with that part exchanged. */
export type Fault =
  | 'geocoder away'
  | 'several matches'
  | 'corrected address'
  | 'store away'
  | 'nothing read'
  | 'past the deadline'
  | 'minute used up'
  | 'day used up'
  | 'no match and no store'
  | 'another house'
  | 'another state'
  /** Nothing is broken; the clock stands at noon of 29 February 2024. */
  | 'leap day';

/** A key of the right form that nobody was ever given. NOT REAL. */
export const wrong_key = 'hm_live_00000000_aaaaaaaaaaaaaaaaaaaaaaaa';
/** The same as a whole header. */
export const wrong = { authorization: `Bearer ${wrong_key}` };

export interface Ask {
  path: string;
  query: string;
  method: string;
  /** Where the key is, or which one is in the header; an object is a whole header. */
  key:
    | 'header'
    | 'query'
    | 'query twice'
    | 'query beside a wrong header'
    | 'none'
    | 'revoked'
    | 'default limits'
    | { authorization: string };
  headers: Readonly<Record<string, string>>;
  prefixes: readonly string[];
  fault: Fault | null;
  /** Asked before without conditions, and now with the tag of that answer. */
  again: 'with its ETag' | null;
}

/**
 * A sentence of the contract or a row of the decisions: seen over HTTP, or proven by a test elsewhere (which must be there under that name).
 */
export type Line = { id: string; says: string } & (
  { ask: Ask; expect: readonly Expectation[] } | { proven: { file: string; title: string } }
);

export function line(id: string, says: string, ask: Ask, ...expect: Expectation[]): Line {
  return { id, says, ask, expect };
}

export function proven(id: string, says: string, file: string, title: string): Line {
  return { id, says, proven: { file, title } };
}

type Values = Readonly<Record<string, string | undefined>>;

const both = ['/api/v1', '/v1'];

export function get(path: string, values: Values | string = {}, more: Partial<Ask> = {}): Ask {
  const query =
    typeof values === 'string'
      ? values
      : new URLSearchParams(
          Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined),
        ).toString();
  return {
    ...{ path, query, method: 'GET', key: 'header', headers: {}, prefixes: both, fault: null, again: null },
    ...more,
  };
}

/** Hail of 2026-08-28 around 00:30 UTC, seen by four radars. */
export const somerset = '7360 E 6th St, Somerset, TX 78069';
/** Four Storm Events in the evening of 2017-03-06, Central Standard Time. */
export const kansas_city = '414 E 12th St, Kansas City, MO 64106';
export const oklahoma_city = '2300 N Lincoln Blvd, Oklahoma City, OK 73105';

export const verify = (values: Values = {}, more: Partial<Ask> = {}): Ask =>
  get('/property/verify', { address: somerset, date_of_loss: '2026-08-28', ...values }, more);
export const score = (values: Values = {}, more: Partial<Ask> = {}): Ask =>
  get('/property/score', { address: somerset, ...values }, more);
export const history = (values: Values = {}, more: Partial<Ask> = {}): Ask =>
  get(
    '/property/history',
    { address: kansas_city, since: '2017-01-01', until: '2017-12-31', ...values },
    more,
  );
export const lookup = (values: Values = {}, more: Partial<Ask> = {}): Ask =>
  get('/lookup', { address: somerset, ...values }, { prefixes: ['/api/v1'], ...more });
export const health = (more: Partial<Ask> = {}): Ask => get('/meta/health', {}, { key: 'none', ...more });
export const methodology = (more: Partial<Ask> = {}): Ask =>
  get('/meta/methodology', {}, { key: 'none', ...more });
export const openapi = (more: Partial<Ask> = {}): Ask =>
  get('/openapi.json', {}, { prefixes: ['/api/v1'], key: 'none', ...more });
/** A page beside the API, under no prefix. */
export const page = (path: string, more: Partial<Ask> = {}): Ask =>
  get(path, {}, { prefixes: [''], key: 'none', ...more });

export const status =
  (code: number): Expectation =>
  (answer) =>
    assert.equal(answer.status, code, answer.text.slice(0, 400));

/** The value at a path such as `data.events.0.size_in`; undefined where there is none. */
export function valueAt(body: unknown, path: string): unknown {
  let node = body;
  for (const name of path === '' ? [] : path.split('.')) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Record<string, unknown>)[name];
  }
  return node;
}

export const at =
  (path: string, expected: unknown): Expectation =>
  (answer) => {
    const found = valueAt(answer.body, path);
    if (expected instanceof RegExp) assert.match(String(found), expected, path);
    else assert.deepEqual(found, expected, path);
  };

/** Exactly these names, in any order: what is more is no part of the contract. */
export const names =
  (path: string, ...expected: string[]): Expectation =>
  (answer) =>
    assert.deepEqual(Object.keys(valueAt(answer.body, path) as object).sort(), [...expected].sort(), path);

export const count =
  (path: string, expected: number): Expectation =>
  (answer) =>
    assert.equal((valueAt(answer.body, path) as unknown[]).length, expected, path);

/** Something that holds for each item of a list, which must not be empty. */
export const each =
  (path: string, holds: (item: Readonly<Record<string, unknown>>) => boolean): Expectation =>
  (answer) => {
    const items = valueAt(answer.body, path) as Record<string, unknown>[];
    assert.ok(items.length > 0, `${path} is empty`);
    for (const item of items) assert.ok(holds(item), `${path}: ${JSON.stringify(item).slice(0, 300)}`);
  };

export const header =
  (name: string, expected: string | RegExp | null): Expectation =>
  (answer) => {
    const found = answer.headers.get(name);
    if (expected instanceof RegExp) assert.match(found ?? '', expected, name);
    else assert.equal(found, expected, name);
  };

export const noHeaderLike =
  (pattern: RegExp): Expectation =>
  (answer) =>
    assert.deepEqual(
      [...answer.headers.keys()].filter((name) => pattern.test(name)),
      [],
    );

/** The header says what the body says. */
export const headerIs =
  (name: string, path: string): Expectation =>
  (answer) =>
    assert.equal(answer.headers.get(name), String(valueAt(answer.body, path)), `${name} and ${path}`);

/** 400 that names these parameters, all of them and in this order. */
export const refuses =
  (...parameters: string[]): Expectation =>
  (answer) => {
    status(400)(answer);
    assert.equal(valueAt(answer.body, 'error.code'), 'bad_request');
    const problems = valueAt(answer.body, 'error.detail.errors') as { parameter: string; message: string }[];
    assert.deepEqual(
      problems.map(({ parameter }) => parameter),
      parameters,
    );
    for (const problem of problems) assert.deepEqual(Object.keys(problem), ['parameter', 'message']);
  };

/** A structured error of this status and code, with exactly its four fields. */
export const fails = (code: number, name: string, detail: unknown = {}): Expectation[] => [
  status(code),
  names('', 'error'),
  names('error', 'code', 'message', 'request_id', 'detail'),
  at('error.code', name),
  at('error.message', /./),
  at('error.detail', detail),
  headerIs('X-Request-Id', 'error.request_id'),
];

export const ascending =
  (path: string, field: string): Expectation =>
  (answer) => {
    const values = (valueAt(answer.body, path) as Record<string, string>[]).map((item) => item[field] ?? '');
    assert.ok(values.length > 1, `${path} has ${values.length} items`);
    assert.ok(isDeepStrictEqual(values, values.toSorted()), `${field} ascends: ${values.join(' ')}`);
  };

export const body =
  (expected: string): Expectation =>
  (answer) =>
    assert.equal(answer.text, expected);
