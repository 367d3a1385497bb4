import avro from 'avsc';

export const compatibilityLevels = [
  'NONE',
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FORWARD',
  'FORWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
] as const;

export type CompatibilityLevel = (typeof compatibilityLevels)[number];

export function isCompatibilityLevel(text: unknown): text is CompatibilityLevel {
  return (compatibilityLevels as readonly unknown[]).includes(text);
}

/**
 * What is wrong with a schema as the next version of a subject; empty when nothing is. Backward: the new one reads what the old ones wrote;
 * forward: the old ones read what the new one writes; transitive: all former versions, otherwise the last. Reading is decided by Avro
 * schema resolution (avsc resolvers).
 */
export function incompatibilities(
  level: CompatibilityLevel,
  text: string,
  former: readonly string[],
): string[] {
  if (level === 'NONE') return [];
  const next = typeOf(text);
  const compared = level.endsWith('_TRANSITIVE') ? former : former.slice(-1);
  return compared.flatMap((old_text) => {
    const old = typeOf(old_text);
    return [
      ...(level.startsWith('FORWARD') ? [] : reading(next, old, 'the new schema cannot read the old')),
      ...(level.startsWith('BACKWARD') ? [] : reading(old, next, 'the old schema cannot read the new')),
    ];
  });
}

/** Throws where the text is no Avro schema. */
export function typeOf(text: string): avro.Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema);
}

function reading(reader: avro.Type, writer: avro.Type, what: string): string[] {
  try {
    reader.createResolver(writer);
    return [];
  } catch (error) {
    return [`${what}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
