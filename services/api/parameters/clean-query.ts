import type { Request } from 'express';
import { key_parameter, sentValues, type DeclaredParameter } from './check.ts';
import { readRawQuery } from './raw-query.ts';

/**
 * Gives the validator the query as this service reads it: declared parameters by their exact name, strictly decoded. Its own reader would
 * take `radius_mi[]` for `radius_mi` and repair what is malformed. A key counts only when it was sent once.
 */
export function cleanQuery(request: Request, declared: readonly DeclaredParameter[]): void {
  const pairs = readRawQuery(request.originalUrl);
  const values = sentValues(pairs);
  const names = declared.map(({ name }) => name);
  if (pairs.filter(({ name }) => name === key_parameter).length === 1) names.push(key_parameter);
  const query = Object.fromEntries(
    names.flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : [])),
  );
  Object.defineProperty(request, 'query', {
    value: query,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
