import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import avro from 'avsc';
import fc from 'fast-check';
import { createRead, type Read } from '../../../services/log/avro-read.ts';
import { createShapeCheck } from '../../../services/log/avro-shape.ts';
import { topics } from '../../../services/log/topics.ts';
import { examples, schemas_folder } from './examples.ts';

const typeOf = (schema: unknown): avro.Type => avro.Type.forSchema(schema as avro.Schema);
const schemaOf = (topic: string): { fields: { name: string }[] } =>
  JSON.parse(readFileSync(join(schemas_folder, `${topic}.avsc`), 'utf8')) as { fields: { name: string }[] };

/** What the two passes say: a value, or that there is none. */
function inTwoPasses(writer: avro.Type, reader: avro.Type): Read {
  const check = createShapeCheck(writer);
  const resolver = reader.createResolver(writer);
  return (bytes, from) => {
    check(bytes.subarray(from));
    return reader.fromBuffer(bytes.subarray(from), resolver) as unknown;
  };
}

function outcomeOf(read: Read, bytes: Buffer): { value: unknown } | { error: string } {
  try {
    return { value: read(bytes, 0) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function readerOf(writer: avro.Type, reader: avro.Type): Read {
  const read = createRead(writer, reader);
  assert.ok(read !== null);
  return read;
}

describe('Avro bytes, read and checked in one pass', () => {
  const everything = {
    type: 'record',
    name: 'Everything',
    fields: [
      { name: 'boolean', type: 'boolean' },
      { name: 'int', type: 'int' },
      { name: 'long', type: 'long' },
      { name: 'float', type: 'float' },
      { name: 'double', type: 'double' },
      { name: 'bytes', type: ['null', 'bytes'] },
      { name: 'string', type: 'string' },
      { name: 'array', type: { type: 'array', items: ['null', 'int', 'string'] } },
      { name: 'map', type: { type: 'map', values: ['null', 'string'] } },
    ],
  };

  it('give what avsc gives, for every topic and every kind of type', () => {
    const kinds = typeOf(everything);
    const read = readerOf(typeOf(everything), kinds);
    for (let count = 0; count < 300; count += 1) {
      const bytes = kinds.toBuffer(kinds.random());
      assert.deepEqual(read(bytes, 0), kinds.fromBuffer(bytes));
    }
    for (const { name } of Object.values(topics)) {
      const type = typeOf(schemaOf(name));
      const readFact = readerOf(typeOf(schemaOf(name)), type);
      for (const { content } of examples(name, 'valid')) {
        const bytes = type.toBuffer(content);
        assert.deepEqual(readFact(bytes, 0), type.fromBuffer(bytes));
        assert.deepEqual(readFact(Buffer.concat([Buffer.alloc(5), bytes]), 5), type.fromBuffer(bytes));
      }
    }
  });

  it('are judged as in two passes, however damaged, whatever was read before', () => {
    const type = typeOf(schemaOf(topics.observation.name));
    const read = readerOf(typeOf(schemaOf(topics.observation.name)), type);
    const twice = inTwoPasses(typeOf(schemaOf(topics.observation.name)), type);
    const bodies = examples(topics.observation.name, 'valid').map(({ content }) => type.toBuffer(content));
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(
        fc.constantFrom(...bodies),
        fc.array(change, { maxLength: 4 }),
        fc.nat(),
        (body, changes, cut) => {
          const damaged = Buffer.from(body);
          for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
          const bytes = cut % 4 === 0 ? damaged.subarray(0, cut % damaged.length) : damaged;
          assert.deepEqual(outcomeOf(read, bytes), outcomeOf(twice, bytes));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('keep texts apart that differ in one letter, and take any text of UTF-8 but no other bytes', () => {
    const read = readerOf(typeOf('string'), typeOf('string'));
    const type = typeOf('string');
    for (const text of [
      'one',
      'one',
      'two',
      '',
      'éa',
      'éa',
      'ab\u0000',
      '\ufffd',
      'x'.repeat(70),
      `${'x'.repeat(69)}y`,
    ])
      assert.equal(read(type.toBuffer(text), 0), text);
    assert.throws(() => read(Buffer.from([2, 0xff]), 0), /not UTF-8/);
    assert.throws(() => read(Buffer.from([4, 0xc3, 0x28]), 0), /not UTF-8/);
  });

  it('keep the texts of neighbouring fields apart, equal or not, wherever in their memory they lie', () => {
    const fields = ['a', 'b', 'c'].map((name) => ({ name, type: 'string' }));
    const type = typeOf({ type: 'record', name: 'Texts', fields });
    const read = readerOf(type, type);
    const base = 'KEWX/2026-08-29T01:08:12Z/G2';
    const texts = [
      base,
      base.slice(0, -1),
      `${base.slice(0, -1)}3`,
      `x${base.slice(1)}`,
      '',
      'é',
      'x'.repeat(257),
    ];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(...fields.map(() => fc.constantFrom(...texts)), fc.nat(7)), { maxLength: 30 }),
        (records) => {
          for (const [a, b, c, before] of records) {
            const bytes = type.toBuffer({ a, b, c });
            const memory = Buffer.concat([Buffer.alloc(Number(before), 1), bytes]);
            assert.deepEqual({ ...(read(memory.subarray(Number(before)), 0) as object) }, { a, b, c });
          }
        },
      ),
    );
  });

  it('of a schema with fields more or fewer become ours, with our defaults', () => {
    const own = schemaOf(topics.observation.name);
    const note = { name: 'note', type: ['null', 'string'], default: null };
    const wider = {
      ...own,
      fields: [note, ...own.fields, { name: 'tags', type: { type: 'array', items: 'string' }, default: [] }],
    };
    for (const [writer, reader] of [
      [wider, own],
      [own, wider],
    ]) {
      const type = typeOf(reader);
      const read = readerOf(typeOf(writer), type);
      const twice = inTwoPasses(typeOf(writer), type);
      for (const { content } of examples(topics.observation.name, 'valid')) {
        const bytes = typeOf(writer).toBuffer(typeOf(writer).clone(content, { wrapUnions: false }));
        assert.deepEqual(read(bytes, 0), twice(bytes, 0));
      }
    }
  });

  it('are left to avsc where the schemas differ by more', () => {
    const record = (type: unknown, more = {}): avro.Type =>
      typeOf({ type: 'record', name: 'R', fields: [{ name: 'f', type, ...more }] });
    assert.equal(createRead(record('int'), record('long')), null);
    assert.equal(createRead(record('int'), record('int', { aliases: ['g'] })), null);
    assert.equal(createRead(record(['null', 'int']), record(['null', 'string'])), null);
    assert.equal(
      createRead(record('int'), typeOf({ type: 'record', name: 'R', fields: [{ name: 'g', type: 'int' }] })),
      null,
    );
    const list = { type: 'record', name: 'L', fields: [{ name: 'next', type: ['null', 'L'] }] };
    assert.equal(createRead(typeOf(list), typeOf(list)), null);
  });
});
