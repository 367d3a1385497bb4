/** A reader of JSON Schema of the storm's own: what answers are held against must not be what the service checks them by. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

type Schema = { readonly [name: string]: Json };

const annotations = new Set(['description', 'default', 'examples']);
const formats: Record<string, (text: string) => boolean> = {
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text)),
  uri: (text) => URL.canParse(text),
};

/** What of `value` does not fit, by place; empty where all does. A keyword that is not known here is an error: it would check nothing. */
export function misfits(root: Json, schema: Json, value: unknown, place = ''): string[] {
  const rules = asObject(schema, place);
  return Object.entries(rules).flatMap(([keyword, rule]) => {
    if (annotations.has(keyword)) return [];
    const check = checks[keyword];
    if (check === undefined) throw new Error(`the schema at ${place} has ${keyword}, which is not read here`);
    return check({ root, rules, rule, value, place });
  });
}

interface Case {
  root: Json;
  rules: Schema;
  rule: Json;
  value: unknown;
  place: string;
}

type Check = (given: Case) => string[];

const bound =
  (holds: (value: number, limit: number) => boolean): Check =>
  ({ rule, value, place }) =>
    typeof value !== 'number' || holds(value, Number(rule)) ? [] : [`${place} is ${value}, out of bounds`];
const size =
  (holds: (size: number, limit: number) => boolean, sizeOf: (value: unknown) => number | null): Check =>
  ({ rule, value, place }) => {
    const found = sizeOf(value);
    return found === null || holds(found, Number(rule)) ? [] : [`${place} has the size ${found}`];
  };
const lengthOf = (value: unknown): number | null =>
  typeof value === 'string' ? Array.from(value).length : null;
const itemsOf = (value: unknown): number | null => (Array.isArray(value) ? value.length : null);
const namesOf = (value: unknown): number | null => (isObject(value) ? Object.keys(value).length : null);
const least = (found: number, limit: number): boolean => found >= limit;
const most = (found: number, limit: number): boolean => found <= limit;
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const checks: Record<string, Check> = {
  $ref: ({ root, rule, value, place }) => misfits(root, resolve(root, asText(rule)), value, place),
  allOf: ({ root, rule, value, place }) => asList(rule).flatMap((each) => misfits(root, each, value, place)),
  type: ({ rule, value, place }) => {
    const types = (Array.isArray(rule) ? asList(rule) : [rule]).map(asText);
    return types.some((type) => isOfType(value, type)) ? [] : [`${place} is not ${types.join(' or ')}`];
  },
  const: ({ rule, value, place }) => (same(rule, value) ? [] : [`${place} is not ${JSON.stringify(rule)}`]),
  enum: ({ rule, value, place }) =>
    asList(rule).some((each) => same(each, value)) ? [] : [`${place} is none of the enumerated`],
  required: ({ rule, value, place }) =>
    isObject(value)
      ? asList(rule)
          .filter((name) => !(asText(name) in value))
          .map((name) => `${place}/${asText(name)} is missing`)
      : [],
  properties: ({ root, rule, value, place }) =>
    isObject(value)
      ? Object.entries(asObject(rule, place)).flatMap(([name, each]) =>
          name in value ? misfits(root, each, value[name], `${place}/${name}`) : [],
        )
      : [],
  additionalProperties: ({ root, rules, rule, value, place }) => {
    if (!isObject(value) || rule === true) return [];
    const declared = new Set(Object.keys(asObject(rules['properties'] ?? {}, place)));
    return Object.keys(value)
      .filter((name) => !declared.has(name))
      .flatMap((name) =>
        rule === false
          ? [`${place}/${name} is not declared`]
          : misfits(root, rule, value[name], `${place}/${name}`),
      );
  },
  items: ({ root, rule, value, place }) =>
    Array.isArray(value) ? value.flatMap((each, at) => misfits(root, rule, each, `${place}/${at}`)) : [],
  uniqueItems: ({ value, place }) =>
    Array.isArray(value) && new Set(value.map((each) => JSON.stringify(each))).size < value.length
      ? [`${place} repeats an item`]
      : [],
  pattern: ({ rule, value, place }) =>
    typeof value !== 'string' || new RegExp(asText(rule), 'u').test(value) ? [] : [`${place} does not match`],
  format: ({ rule, value, place }) => {
    const is = formats[asText(rule)];
    if (is === undefined) throw new Error(`the format ${asText(rule)} is not read here`);
    return typeof value !== 'string' || is(value) ? [] : [`${place} is no ${asText(rule)}`];
  },
  minimum: bound(least),
  maximum: bound(most),
  exclusiveMinimum: bound((value, limit) => value > limit),
  minLength: size(least, lengthOf),
  maxLength: size(most, lengthOf),
  minItems: size(least, itemsOf),
  maxItems: size(most, itemsOf),
  maxProperties: size(most, namesOf),
};

/** The node that a local reference names. */
export function resolve(root: Json, reference: string): Json {
  let node: Json = root;
  for (const name of reference.replace('#/', '').split('/')) {
    const next: Json | undefined = asObject(node, reference)[name];
    if (next === undefined) throw new Error(`there is no ${reference}`);
    node = next;
  }
  return node;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asObject(node: Json, place: string): Schema {
  if (typeof node !== 'object' || node === null || Array.isArray(node))
    throw new Error(`${place} is no object`);
  return node as Schema;
}

function asText(node: Json): string {
  if (typeof node !== 'string') throw new Error('a text was expected');
  return node;
}

function asList(node: Json): readonly Json[] {
  if (!Array.isArray(node)) throw new Error('a list was expected');
  return node as readonly Json[];
}
