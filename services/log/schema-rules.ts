import avro from 'avsc';

/** A version as sentences name it: `version 2`, or `the working file`. */
export interface LabelledSchema {
  label: string;
  type: avro.Type;
}

/**
 * Why two versions of a topic's schema cannot live together under FULL_TRANSITIVE, one sentence each that names the topic, the field and the
 * rule; empty where each reads the other. `successive` says that nothing lies between the two: only then is a field gone and another come
 * at its place a renaming, because a version in between may have let the one go for good.
 */
export function schemaBreaks(
  topic: string,
  older: LabelledSchema,
  newer: LabelledSchema,
  successive: boolean,
): string[] {
  const breaks = new Set<string>();
  const context = {
    older: older.label,
    newer: newer.label,
    successive,
    seen: new Set<avro.Type>(),
    refuse: (sentence: string) => void breaks.add(`${topic}: ${sentence}`),
  };
  compareTypes(context, '', older.type, newer.type);
  // What the walk does not know avsc decides: it is what reads in production.
  if (breaks.size === 0) {
    for (const [reader, writer] of [
      [newer, older],
      [older, newer],
    ] as const) {
      try {
        reader.type.createResolver(writer.type);
      } catch (error) {
        const cause = error instanceof Error ? error.message : String(error);
        context.refuse(`${reader.label} cannot read what ${writer.label} writes: ${cause}.`);
      }
    }
  }
  return [...breaks];
}

interface Context {
  older: string;
  newer: string;
  successive: boolean;
  seen: Set<avro.Type>;
  refuse: (sentence: string) => void;
}

function compareTypes(context: Context, path: string, older: avro.Type, newer: avro.Type): void {
  const { types } = avro;
  const where = path === '' ? 'the record' : `the field ${path}`;
  if (older instanceof types.RecordType && newer instanceof types.RecordType) {
    // A record can hold itself.
    if (context.seen.has(newer)) return;
    context.seen.add(newer);
    if (older.name !== newer.name) {
      context.refuse(
        `${where} is ${String(older.name)} in ${context.older} and ${String(newer.name)} in ${context.newer}: a record keeps its name.`,
      );
    }
    compareFields(context, path, older, newer);
  } else if (older instanceof types.ArrayType && newer instanceof types.ArrayType) {
    compareTypes(context, `${path}[]`, older.itemsType, newer.itemsType);
  } else if (older instanceof types.MapType && newer instanceof types.MapType) {
    compareTypes(context, `${path}{}`, older.valuesType as avro.Type, newer.valuesType as avro.Type);
  } else if (isUnion(older) && isUnion(newer) && nameOf(older) === nameOf(newer)) {
    for (const [index, branch] of older.types.entries()) {
      const other = newer.types[index];
      if (other !== undefined) compareTypes(context, path, branch, other);
    }
  } else if (nameOf(older) !== nameOf(newer)) {
    context.refuse(
      `${where} is ${nameOf(older)} in ${context.older} and ${nameOf(newer)} in ${context.newer}: a field keeps its type.`,
    );
  }
}

function compareFields(
  context: Context,
  path: string,
  older: avro.types.RecordType,
  newer: avro.types.RecordType,
): void {
  const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const before = new Map(older.fields.map((field) => [field.name, field]));
  const after = new Map(newer.fields.map((field) => [field.name, field]));
  const removed = older.fields.filter(({ name }) => !after.has(name));
  const added = newer.fields.filter(({ name }) => !before.has(name));

  const renamings = new Set<avro.types.Field>();
  for (const field of removed) {
    const renamed = added.find(
      (each) =>
        each.aliases.includes(field.name) ||
        (context.successive &&
          nameOf(each.type) === nameOf(field.type) &&
          precedes(newer, each.name, before) === precedes(older, field.name, after)),
    );
    if (renamed !== undefined) {
      renamings.add(renamed);
      context.refuse(
        `the field ${pathOf(field.name)} of ${context.older} is called ${pathOf(renamed.name)} in ${context.newer}: a field keeps its name, ` +
          'because readers of the one name do not find what was written under the other. Add the new field in one release and let the old ' +
          'one go in a later one.',
      );
    } else if (field.defaultValue() === undefined) {
      context.refuse(
        `the field ${pathOf(field.name)} of ${context.older} is gone in ${context.newer} and had no default: only fields with defaults come or go.`,
      );
    }
  }
  for (const field of added) {
    if (renamings.has(field) || field.defaultValue() !== undefined) continue;
    context.refuse(
      `the field ${pathOf(field.name)} of ${context.newer} is not in ${context.older} and has no default: only fields with defaults come or go.`,
    );
  }
  for (const [name, field] of before) {
    const other = after.get(name);
    if (other === undefined) continue;
    compareTypes(context, pathOf(name), field.type, other.type);
    if (nameOf(field.type) !== nameOf(other.type)) continue;
    const defaults = [field.defaultValue() as unknown, other.defaultValue() as unknown];
    if (!defaults.includes(undefined) && JSON.stringify(defaults[0]) !== JSON.stringify(defaults[1])) {
      context.refuse(
        `the default of the field ${pathOf(name)} differs between ${context.older} and ${context.newer}: ` +
          'messages without the field would read as another fact than before.',
      );
    }
  }
}

/** The nearest field before this one that both versions have: two fields after the same one stand at the same place. */
function precedes(
  record: avro.types.RecordType,
  name: string,
  common: ReadonlyMap<string, unknown>,
): string | undefined {
  const at = record.fields.findIndex((field) => field.name === name);
  return record.fields.slice(0, at).findLast((field) => common.has(field.name))?.name;
}

type Union = avro.types.UnwrappedUnionType | avro.types.WrappedUnionType;

function isUnion(type: avro.Type): type is Union {
  return type instanceof avro.types.UnwrappedUnionType || type instanceof avro.types.WrappedUnionType;
}

/** A type in a sentence, and what must be equal for two types to be the same: its kind, and of what. Records differ field by field. */
function nameOf(type: avro.Type): string {
  const { types } = avro;
  if (isUnion(type)) return type.types.map(nameOf).join(' or ');
  if (type instanceof types.ArrayType) return 'array';
  if (type instanceof types.MapType) return 'map';
  if (type instanceof types.EnumType) return `enum ${String(type.name)} of ${type.symbols.join(', ')}`;
  if (type instanceof types.FixedType) return `fixed ${String(type.name)} of ${type.size} bytes`;
  if (type instanceof types.RecordType) return `record ${String(type.name)}`;
  return type.typeName;
}
