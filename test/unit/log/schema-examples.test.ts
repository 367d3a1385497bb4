import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import avro from 'avsc';
import { exampleBreaks, parseExample } from '../../../services/log/schema-examples.ts';

const of = (label: string, fields: object[]): { label: string; type: avro.Type } => ({
  label,
  type: avro.Type.forSchema({ type: 'record', name: 'Thing', fields } as unknown as avro.Schema),
});
const text = { name: 'text', type: 'string' };
const bytes = { name: 'bytes', type: ['null', 'bytes'], default: null };
const old = of('version 1', [text]);
const newer = of('version 2', [text, bytes]);

describe('the examples of a version', () => {
  const breaks = (writer: typeof old, reader: typeof old, content: unknown): string[] =>
    exampleBreaks('t', { ...writer, examples: [{ name: 'one', content }] }, reader);

  it('are read alike by another version in all that both have', () => {
    const content = parseExample('{"text":"ä","bytes":{"type":"Buffer","data":[0,255]}}');
    assert.deepEqual(content, { text: 'ä', bytes: Buffer.from([0, 255]) });
    assert.deepEqual(breaks(newer, old, content), []);
    assert.deepEqual(breaks(newer, newer, content), []);
    assert.deepEqual(breaks(old, newer, { text: 'a' }), []);
  });

  it('are named where they do not fit their own schema, or have what it has not', () => {
    const sentence = ['t: example one of version 1 does not fit its schema.'];
    assert.deepEqual(breaks(old, newer, { text: 7 }), sentence);
    assert.deepEqual(breaks(old, newer, { text: 'a', other: 1 }), sentence);
    assert.deepEqual(breaks(old, newer, null), sentence);
  });

  it('are named where another version cannot read them, or reads them as something else', () => {
    const other = of('version 3', [{ name: 'text', type: 'long' }]);
    assert.match(
      breaks(old, other, { text: 'a' })[0] ?? '',
      /^t: example one of version 1 cannot be read by version 3: /,
    );
    const as_bytes = of('version 3', [{ name: 'text', type: 'bytes' }]);
    assert.deepEqual(breaks(old, as_bytes, { text: 'a' }), [
      't: example one of version 1 reads differently by version 3 at text.',
    ]);
  });
});
