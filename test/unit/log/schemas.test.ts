import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import avro from 'avsc';
import { topics } from '../../../services/log/topics.ts';
import { examples, schemas_folder } from './examples.ts';

interface RecordSchema {
  fields: { name: string; default?: unknown }[];
}

for (const { name: topic } of Object.values(topics)) {
  describe(`the schema of ${topic}`, () => {
    const schema = JSON.parse(readFileSync(join(schemas_folder, `${topic}.avsc`), 'utf8')) as avro.Schema;
    const type = avro.Type.forSchema(schema);

    it('reads what it wrote, every example, to the same fact', () => {
      const resolver = type.createResolver(avro.Type.forSchema(schema));
      const valid = examples(topic, 'valid');
      assert.ok(valid.length >= 2);
      for (const { name, content } of valid) {
        const bytes = type.toBuffer(content);
        const fact: unknown = type.fromBuffer(bytes, resolver);
        assert.deepEqual(JSON.parse(JSON.stringify(fact)), JSON.parse(JSON.stringify(content)), name);
      }
    });

    it('reads and is read by itself without any one of its fields that have a default', () => {
      const { fields } = schema as unknown as RecordSchema;
      const optional = fields.filter((field) => 'default' in field);
      for (const { name } of optional) {
        const without = { ...(schema as object), fields: fields.filter((field) => field.name !== name) };
        const other = avro.Type.forSchema(without as avro.Schema);
        assert.doesNotThrow(() => type.createResolver(other), name);
        assert.doesNotThrow(() => other.createResolver(type), name);
      }
    });
  });
}
