import { parseDay } from '../../hail/time.ts';
import type { Problem } from '../errors/api-error.ts';
import type { RawPair } from './raw-query.ts';

/** A query parameter as `openapi.json` declares it, as far as the checks here read it. */
export interface DeclaredParameter {
  name: string;
  schema: { type: string; format?: string; default?: unknown };
}

/** Every first value that can be decoded, by name. */
export type SentValues = ReadonlyMap<string, string>;

export const key_parameter = 'api_key';
const longest_name_shown = 64;

const plain_decimal = /^-?\d+(?:\.\d+)?$/;
const whole_number = /^-?\d+$/;

/**
 * What the schema validator does not see because it reads a query that was repaired and coerced before: unknown, repeated, empty and
 * malformed parameters, numbers in any other form than a plain decimal, and days that no calendar has. Bounds are the validator's.
 */
export function syntaxProblems(declared: readonly DeclaredParameter[], pairs: readonly RawPair[]): Problem[] {
  const known = new Map(declared.map((parameter) => [parameter.name, parameter]));
  const seen = new Set<string>();
  const problems: Problem[] = [];
  const tell = (parameter: string, message: string): void => {
    const shown =
      parameter.length > longest_name_shown ? `${parameter.slice(0, longest_name_shown)}…` : parameter;
    if (!problems.some((each) => each.parameter === shown)) problems.push({ parameter: shown, message });
  };
  for (const { name, value, name_is_malformed } of pairs) {
    const parameter = known.get(name);
    if (name_is_malformed) tell(name, 'is not valid URL encoding');
    else if (parameter === undefined && name !== key_parameter)
      tell(name, 'is not a parameter of this operation');
    else if (seen.has(name)) tell(name, 'must be sent once');
    else if (value === null) tell(name, 'is not valid URL encoding');
    else if (value === '') tell(name, 'must not be empty');
    else if (parameter !== undefined) {
      const message = valueProblem(parameter, value);
      if (message !== null) tell(name, message);
    }
    seen.add(name);
  }
  return problems;
}

/** Whether an operation reads the parameter at all; the key is read everywhere. */
export function isKnownParameter(name: string, declared: readonly DeclaredParameter[]): boolean {
  return name === key_parameter || declared.some((parameter) => parameter.name === name);
}

function valueProblem({ name, schema }: DeclaredParameter, value: string): string | null {
  if (name === 'address') return addressProblem(value);
  if (schema.type === 'integer' && !whole_number.test(value))
    return 'must be a whole number in decimal digits';
  if (schema.type === 'number' && !plain_decimal.test(value)) return 'must be a plain decimal number';
  if (schema.format === 'date' && parseDay(value) === null) return 'must be a real calendar day, YYYY-MM-DD';
  return null;
}

function addressProblem(value: string): string | null {
  if (/\p{Cc}/u.test(value)) return 'must not contain control characters';
  const length = Array.from(value.trim()).length;
  return length < 5 || length > 300 ? 'must be 5 to 300 characters long after trimming' : null;
}

export function sentValues(pairs: readonly RawPair[]): SentValues {
  const values = new Map<string, string>();
  for (const { name, value } of pairs) if (value !== null && !values.has(name)) values.set(name, value);
  return values;
}

/**
 * All problems, one a parameter: the specific message of this service where it has one, else the schema validator's. In the order of the
 * declaration; what is not declared comes last.
 */
export function mergeProblems(
  declared: readonly DeclaredParameter[],
  own: readonly Problem[],
  schema: readonly Problem[],
): Problem[] {
  const by_parameter = new Map<string, Problem>();
  for (const problem of [...own, ...schema]) {
    if (!by_parameter.has(problem.parameter)) by_parameter.set(problem.parameter, problem);
  }
  const place = (parameter: string): number => {
    const at = declared.findIndex(({ name }) => name === parameter);
    return at < 0 ? declared.length : at;
  };
  return [...by_parameter.values()].sort((a, b) => place(a.parameter) - place(b.parameter));
}
