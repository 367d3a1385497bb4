import { isDeepStrictEqual } from 'node:util';
import { incompatibilities, isCompatibilityLevel, typeOf, type CompatibilityLevel } from './compatibility.ts';
import type { Entry, Journal } from './store.ts';

/** An error of the registry's REST API: an HTTP status, Confluent's five-digit code and a text. */
export class RegistryError extends Error {
  readonly status: number;
  readonly error_code: number;

  constructor(error_code: number, message: string, status = Math.floor(error_code / 100)) {
    super(message);
    this.status = status;
    this.error_code = error_code;
  }
}

export interface RegisteredVersion {
  subject: string;
  version: number;
  id: number;
  schema: string;
}

export interface Registry {
  subjects: () => string[];
  versions: (subject: string) => RegisteredVersion[];
  version: (subject: string, version: string) => RegisteredVersion;
  /** The version under which a subject holds this schema. */
  lookup: (subject: string, text: string) => RegisteredVersion;
  register: (subject: string, text: string) => number;
  schema: (id: number) => { schema: string; versions: { subject: string; version: number }[] };
  /** The subject's own level, or null where it has none; `null` as subject is the global level. */
  level: (subject: string | null) => CompatibilityLevel | null;
  setLevel: (subject: string | null, level: unknown) => CompatibilityLevel;
  compatible: (subject: string, version: string, text: string) => string[];
}

const default_level: CompatibilityLevel = 'BACKWARD';

/** The registry's rules over its journal. One schema text has one id, whatever subjects hold it; versions count from 1. */
export function createRegistry(journal: Journal): Registry {
  const of = <K extends Entry['kind']>(kind: K): Extract<Entry, { kind: K }>[] =>
    journal.entries.filter((entry): entry is Extract<Entry, { kind: K }> => entry.kind === kind);
  const textOf = (id: number): string => of('schema').find((each) => each.id === id)?.text ?? '';
  const versionsOf = (subject: string): RegisteredVersion[] =>
    of('version')
      .filter((each) => each.subject === subject)
      .map(({ version, id }) => ({ subject, version, id, schema: textOf(id) }));
  const known = (subject: string): RegisteredVersion[] => {
    const versions = versionsOf(subject);
    if (versions.length === 0) throw new RegistryError(40401, `Subject '${subject}' not found.`);
    return versions;
  };
  const levelOf = (subject: string | null): CompatibilityLevel | null =>
    of('level').findLast((each) => each.subject === subject)?.level ?? null;
  const effective = (subject: string): CompatibilityLevel =>
    levelOf(subject) ?? levelOf(null) ?? default_level;

  const registry: Registry = {
    subjects: () => [...new Set(of('version').map(({ subject }) => subject))].sort(),
    versions: known,
    version: (subject, wanted) => {
      const versions = known(subject);
      const number = wanted === 'latest' || wanted === '-1' ? versions.length : Number(wanted);
      if (!Number.isInteger(number) || number < 1) {
        throw new RegistryError(42202, `The specified version '${wanted}' is not a valid version id.`);
      }
      const found = versions.find(({ version }) => version === number);
      if (found === undefined) throw new RegistryError(40402, `Version ${wanted} not found.`);
      return found;
    },
    lookup: (subject, text) => {
      const canonical = canonicalText(text);
      const found = known(subject).find(({ schema }) => sameSchema(schema, canonical));
      if (found === undefined) throw new RegistryError(40403, 'Schema not found');
      return found;
    },
    register: (subject, text) => {
      const canonical = canonicalText(text);
      const versions = versionsOf(subject);
      const existing = versions.find(({ schema }) => sameSchema(schema, canonical));
      if (existing !== undefined) return existing.id;
      const problems = incompatibilities(
        effective(subject),
        canonical,
        versions.map(({ schema }) => schema),
      );
      if (problems.length > 0) {
        throw new RegistryError(
          409,
          `Schema being registered is incompatible with an earlier schema for subject "${subject}": ${problems.join('; ')}`,
          409,
        );
      }
      const schemas = of('schema');
      const id = schemas.find((each) => sameSchema(each.text, canonical))?.id ?? schemas.length + 1;
      journal.append([
        ...(id > schemas.length ? [{ kind: 'schema', id, text: canonical } as const] : []),
        { kind: 'version', subject, version: versions.length + 1, id },
      ]);
      return id;
    },
    schema: (id) => {
      const schema = textOf(id);
      if (schema === '') throw new RegistryError(40403, `Schema ${id} not found`);
      return {
        schema,
        versions: of('version')
          .filter((each) => each.id === id)
          .map(({ subject, version }) => ({ subject, version })),
      };
    },
    level: (subject) => levelOf(subject) ?? (subject === null ? default_level : null),
    setLevel: (subject, level) => {
      if (!isCompatibilityLevel(level)) {
        throw new RegistryError(
          42203,
          'Invalid compatibility level. Valid values are none, backward, forward and full, each also transitive.',
        );
      }
      if (levelOf(subject) !== level) journal.append([{ kind: 'level', subject, level }]);
      return level;
    },
    compatible: (subject, wanted, text) => {
      const against = wanted === '' ? known(subject) : [registry.version(subject, wanted)];
      return incompatibilities(
        effective(subject),
        canonicalText(text),
        against.map(({ schema }) => schema),
      );
    },
  };
  return registry;
}

/** The schema's JSON without insignificant white space; what is no Avro schema is refused here. */
function canonicalText(text: string): string {
  try {
    typeOf(text);
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    throw new RegistryError(
      42201,
      `Invalid schema: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Equal as JSON, whatever the order of an object's keys: clients in other languages write them in theirs. */
function sameSchema(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}
