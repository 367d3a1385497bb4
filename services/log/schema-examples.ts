import { createShapeCheck } from './avro-shape.ts';
import type { LabelledSchema } from './schema-rules.ts';

/** A fact as a file keeps it; bytes stand in it as JSON writes a Buffer. */
export interface SchemaExample {
  name: string;
  content: unknown;
}

export function parseExample(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => {
    const is_bytes =
      typeof value === 'object' &&
      value !== null &&
      'type' in value &&
      value.type === 'Buffer' &&
      'data' in value;
    return is_bytes ? Buffer.from(value.data as number[]) : value;
  });
}

/**
 * What goes wrong where `writer` writes its examples and `reader` reads them, one sentence each: the example must fit its own schema as a
 * whole, and every field that both know must be read as it was written.
 */
export function exampleBreaks(
  topic: string,
  writer: LabelledSchema & { examples: readonly SchemaExample[] },
  reader: LabelledSchema,
): string[] {
  const check = createShapeCheck(writer.type);
  return writer.examples.flatMap(({ name, content }) => {
    const of = `${topic}: example ${name} of ${writer.label}`;
    try {
      if (!writer.type.isValid(content, { noUndeclaredFields: true }))
        return [`${of} does not fit its schema.`];
      const bytes = writer.type.toBuffer(content);
      check(bytes);
      const written: unknown = writer.type.fromBuffer(bytes);
      const read: unknown = reader.type.fromBuffer(bytes, reader.type.createResolver(writer.type));
      const at = firstDifference(written, read, []);
      return at === null
        ? []
        : [`${of} reads differently by ${reader.label} at ${at.join('.') || 'its whole'}.`];
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      return [`${of} cannot be read by ${reader.label}: ${cause}.`];
    }
  });
}

/** Where two facts differ in what both have; null where they agree. */
function firstDifference(one: unknown, other: unknown, path: readonly string[]): string[] | null {
  if (Object.is(one, other)) return null;
  if (Buffer.isBuffer(one) || Buffer.isBuffer(other)) {
    return Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other) ? null : [...path];
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return [...path];
  if (Array.isArray(one) && Array.isArray(other) && one.length !== other.length) return [...path];
  const others = new Map(Object.entries(other));
  for (const [name, value] of Object.entries(one)) {
    const difference = others.has(name) ? firstDifference(value, others.get(name), [...path, name]) : null;
    if (difference !== null) return difference;
  }
  return null;
}
