import avro from 'avsc';
import { wholeFields } from '../avro-shape.ts';
import type { RegistryClient } from '../schema-registry.ts';

/** Bytes of a message, taken apart as far as they make sense. */
export interface Dissected {
  bytes: number;
  /** Of the wire format: the first byte is 0 and the schema's id follows. */
  first_byte: number | null;
  schema_id: number | null;
  /** The full name of the writer's schema, `unknown` or `not-avro`; null where there is no id. */
  writer: string | null;
  /** The fields that are whole, as the writer's schema names them. */
  fields: Record<string, unknown>;
  /** What is wrong after them, in a few words; null where nothing is. */
  problem: string | null;
}

const header_bytes = 5;

/** Takes bytes apart that need not be a fact, by the schema they name themselves, whatever the topic's. */
export async function dissect(value: Buffer | null, registry: RegistryClient): Promise<Dissected> {
  const nothing = { bytes: value?.length ?? 0, schema_id: null, writer: null, fields: {} };
  if (value === null) return { ...nothing, first_byte: null, problem: 'there are no bytes: a tombstone' };
  const first_byte = value.at(0) ?? null;
  if (first_byte !== 0)
    return { ...nothing, first_byte, problem: 'not the wire format: its first byte is 0' };
  if (value.length < header_bytes)
    return { ...nothing, first_byte, problem: 'too short for the id of a schema' };
  const schema_id = value.readInt32BE(1);
  const writer = await registry.writer(schema_id);
  const known = { ...nothing, first_byte, schema_id };
  if (typeof writer === 'string') return { ...known, writer, problem: 'the schema cannot be had' };
  const named = { ...known, writer: writer.name ?? writer.typeName };
  if (!(writer instanceof avro.types.RecordType)) return { ...named, problem: 'the schema is no record' };
  const body = value.subarray(header_bytes);
  const { fields, problem } = wholeFields(writer, body);
  const values = fields.map(({ field, from, until }): [string, unknown] => [
    field.name,
    field.type.fromBuffer(body.subarray(from, until)),
  ]);
  return { ...named, fields: Object.fromEntries(values), problem };
}
