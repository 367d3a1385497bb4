import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import avro from 'avsc';
import fc from 'fast-check';
import { createShapeCheck } from '../../../services/log/avro-shape.ts';
import { examples, schemas_folder } from './examples.ts';

const long = avro.Type.forSchema('long');
const refuses = (schema: avro.Schema, bytes: Buffer, pattern: RegExp): void => {
  assert.throws(() => createShapeCheck(avro.Type.forSchema(schema))(bytes), pattern);
};

describe('the shape of Avro bytes', () => {
  const type = avro.Type.forSchema(
    JSON.parse(readFileSync(join(schemas_folder, 'hail.observation.v1.avsc'), 'utf8')) as avro.Schema,
  );
  const check = createShapeCheck(type);
  const bodies = examples('hail.observation.v1', 'valid').map(({ content }) => type.toBuffer(content));

  it('is found right in what avsc writes, for every kind of type', () => {
    const everything = avro.Type.forSchema({
      type: 'record',
      name: 'Everything',
      fields: [
        { name: 'boolean', type: 'boolean' },
        { name: 'int', type: 'int' },
        { name: 'long', type: 'long' },
        { name: 'float', type: 'float' },
        { name: 'double', type: 'double' },
        { name: 'bytes', type: 'bytes' },
        { name: 'string', type: 'string' },
        { name: 'fixed', type: { type: 'fixed', name: 'Four', size: 4 } },
        { name: 'enum', type: { type: 'enum', name: 'Letter', symbols: ['A', 'B'] } },
        { name: 'array', type: { type: 'array', items: 'int' } },
        { name: 'map', type: { type: 'map', values: ['null', 'string'] } },
        { name: 'itself', type: ['null', 'Everything'] },
      ],
    });
    const checkEverything = createShapeCheck(everything);
    for (let count = 0; count < 300; count += 1) checkEverything(everything.toBuffer(everything.random()));
  });

  it('is wrong in every truncation and every extension of a fact', () => {
    for (const body of bodies) {
      check(body);
      for (let length = 0; length < body.length; length += 1) {
        assert.throws(() => check(body.subarray(0, length)));
      }
      assert.throws(() => check(Buffer.concat([body, Buffer.from([0])])), /1 bytes are left over/);
    }
  });

  it('is wrong where a list claims more items than there are bytes, at once', () => {
    const list: avro.Schema = { type: 'array', items: ['null', 'long'] };
    refuses(list, long.toBuffer(2 ** 40), /more items than there are bytes/);
    refuses(list, Buffer.concat([long.toBuffer(-(2 ** 40)), long.toBuffer(1)]), /more items/);
    refuses({ type: 'map', values: 'long' }, long.toBuffer(2 ** 40), /more items/);
  });

  it('is wrong where values are beyond their type', () => {
    refuses('int', long.toBuffer(2 ** 31), /beyond 32 bits/);
    refuses('long', Buffer.from('ffffffffffffffffff01', 'hex'), /beyond what can be held exactly/);
    refuses('long', Buffer.alloc(11, 0xff), /does not end/);
    refuses('string', Buffer.concat([long.toBuffer(2), Buffer.from([0xc3, 0x28])]), /not UTF-8/);
    refuses('string', long.toBuffer(-1), /end in the middle/);
    refuses('boolean', Buffer.from([2]), /neither 0 nor 1/);
    refuses(['null', 'long'], long.toBuffer(2), /no such branch/);
    refuses({ type: 'enum', name: 'E', symbols: ['A'] }, long.toBuffer(1), /no such symbol/);
  });

  it('lets through only what avsc reads, of facts damaged in any byte', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...bodies),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
        (body, changes) => {
          const damaged = Buffer.from(body);
          for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
          try {
            check(damaged);
          } catch {
            return;
          }
          assert.ok(type.isValid(type.fromBuffer(damaged)));
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
