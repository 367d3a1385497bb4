import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import avro from 'avsc';
import { schemaBreaks } from '../../../services/log/schema-rules.ts';

const name = 'Thing';
const a = { name: 'a', type: 'string' };
const b = { name: 'b', type: ['null', 'long'], default: null };

function breaks(older: object[], newer: object[], successive = true): string[] {
  const of = (label: string, fields: object[]): { label: string; type: avro.Type } => ({
    label,
    type: avro.Type.forSchema({ type: 'record', name, fields } as unknown as avro.Schema),
  });
  return schemaBreaks('t', of('version 1', older), of('version 2', newer), successive);
}
const nested = (fields: object[]): object => ({ name: 'n', type: { type: 'record', name: 'Inner', fields } });

describe('the rules between two versions of a schema', () => {
  it('let fields with defaults come and go, anywhere', () => {
    const c = { name: 'c', type: 'int', default: 7 };
    assert.deepEqual(breaks([a], [a, b]), []);
    assert.deepEqual(breaks([a, b], [a]), []);
    assert.deepEqual(breaks([a, nested([a])], [c, a, nested([b, a])]), []);
    assert.deepEqual(breaks([a], [{ ...a, doc: 'said better' }]), []);
    assert.deepEqual(breaks([a], [{ ...a, default: '' }]), [], 'a default that comes changes no fact');
  });

  const refused: [string, object[], object[], RegExp][] = [
    [
      'a field without default comes',
      [a],
      [a, { name: 'c', type: 'int' }],
      /^t: the field c of version 2 .* has no default: only fields/,
    ],
    [
      'a field without default goes',
      [a, b],
      [b],
      /^t: the field a of version 1 is gone in version 2 and had no default/,
    ],
    [
      'one comes inside',
      [nested([a])],
      [nested([a, { name: 'c', type: 'int' }])],
      /^t: the field n\.c of version 2/,
    ],
    ['one goes inside a list', [list([a, b])], [list([b])], /^t: the field n\[\]\.a of version 1 is gone/],
    [
      'a type changes',
      [a],
      [{ ...a, type: 'long' }],
      /^t: the field a is string in version 1 and long in version 2: a field keeps its type/,
    ],
    ['text becomes bytes, which Avro would allow', [a], [{ ...a, type: 'bytes' }], /is string .* and bytes/],
    [
      'an int becomes a long, which Avro allows one way',
      [{ ...a, type: 'int' }],
      [{ ...a, type: 'long' }],
      /is int .* and long/,
    ],
    [
      'a field becomes nullable',
      [a],
      [{ ...a, type: ['null', 'string'] }],
      /is string .* and null or string/,
    ],
    [
      'a union gains a branch',
      [b],
      [{ ...b, type: ['null', 'long', 'string'] }],
      /is null or long .* and null or long or string/,
    ],
    [
      'a union inside a record changes',
      [nested([b])],
      [nested([{ ...b, type: ['null', 'int'] }])],
      /the field n\.b is null or long/,
    ],
    [
      'an enum gains a symbol',
      [sort(['A'])],
      [sort(['A', 'B'])],
      /^t: the field s is enum Sort of A .* and enum Sort of A, B/,
    ],
    [
      'a renaming',
      [a, b],
      [a, { ...b, name: 'c' }],
      /^t: the field b of version 1 is called c in version 2: a field keeps its name/,
    ],
    ['a renaming in the middle', [a, b, a2()], [a, { ...b, name: 'c' }, a2()], /b of version 1 is called c/],
    [
      'a renaming with an alias',
      [a, b],
      [{ name: 'c', type: 'string', aliases: ['a'] }, b],
      /a of version 1 is called c/,
    ],
    [
      'the branches of a union change places',
      [b],
      [{ name: 'b', type: ['long', 'null'], default: 0 }],
      /a field keeps its type/,
    ],
    [
      'only a default changes',
      [{ ...a, default: 'x' }],
      [{ ...a, default: 'y' }],
      /^t: the default of the field a differs/,
    ],
    [
      'an inner record is renamed',
      [nested([a])],
      [{ name: 'n', type: { type: 'record', name: 'Other', fields: [a] } }],
      /a record keeps its name/,
    ],
  ];
  for (const [what, older, newer, sentence] of refused) {
    it(`refuse when ${what}`, () => {
      const found = breaks(older, newer);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] ?? '', sentence);
    });
  }

  it('take one field for gone and another for new where a release lay in between', () => {
    assert.deepEqual(breaks([a, b], [a, { ...b, name: 'c' }], false), []);
  });

  it('end at a record that holds itself', () => {
    const fields = [{ name: 'next', type: ['null', name], default: null }];
    assert.deepEqual(breaks(fields, [...fields, b]), []);
  });
});

function list(fields: object[]): object {
  return { name: 'n', type: { type: 'array', items: { type: 'record', name: 'Inner', fields } } };
}

function sort(symbols: string[]): object {
  return { name: 's', type: { type: 'enum', name: 'Sort', symbols } };
}

function a2(): object {
  return { name: 'a2', type: 'double' };
}
