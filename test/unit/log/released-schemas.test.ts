import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { releaseSchemas, type Release } from '../../../services/log/release-schemas.ts';
import { checkSchemas } from '../../../services/log/released-schemas.ts';
import { sha256 } from '../../../services/log/released-files.ts';
import { topics } from '../../../services/log/topics.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { copySchemas, type SchemaFolder } from '../../support/schema-folder.ts';

const names = Object.values(topics).map(({ name }) => name);
const topic = topics.observation.name;
/** How many versions are released, so that the next real one changes no test. */
const last = readdirSync(join(import.meta.dirname, '../../../schemas/avro/released', topic)).filter((file) =>
  file.endsWith('.avsc'),
).length;
const next = last + 1;
const newest = `released/${topic}/${last}.avsc`;
const later = { name: 'duration_ms', type: ['null', 'long'], default: null };

describe('the released schemas', () => {
  const cleanup = createCleanup();
  afterEach(() => cleanup.stop());
  const copy = (): SchemaFolder => cleanup.keep(copySchemas());
  const problems = ({ folder }: SchemaFolder): string[] => checkSchemas(folder, names).problems;
  const release = ({ folder }: SchemaFolder): Release => releaseSchemas(folder, names);

  it('hold as they are committed', () => {
    const { problems: found, history } = checkSchemas(
      join(import.meta.dirname, '../../../schemas/avro'),
      names,
    );
    assert.deepEqual(found, []);
    assert.ok('skipped' in history || history.problems.length === 0);
    const letters = checkSchemas(copy().folder, names).topics.find(
      (each) => each.topic === topics.dead_letter.name,
    );
    assert.deepEqual(letters, { topic: topics.dead_letter.name, versions: 2, examples: 4 });
  });

  it('are listed as sha256sum reads it: a hash, two spaces, a path below the list', () => {
    const { folder } = copy();
    const lines = readFileSync(join(folder, 'released/SHA256SUMS'), 'utf8').split('\n').slice(0, -1);
    assert.ok(lines.length > 10);
    for (const line of lines) {
      const path = line.slice(66);
      assert.equal(line, `${sha256(readFileSync(join(folder, 'released', path)))}  ${path}`);
    }
  });

  it('gain a version: refused until it is released, then held like the others', () => {
    const schemas = copy();
    const before = readFileSync(join(schemas.folder, 'released/SHA256SUMS'), 'utf8');
    schemas.editFields(topic, (fields) => [...fields, later]);
    assert.deepEqual(problems(schemas), [
      `${topic}: the working file is not version ${last}; release it: npm run schemas -- release`,
    ]);
    assert.deepEqual(release(schemas), { released: [{ topic, version: next }], problems: [] });
    assert.deepEqual(problems(schemas), []);
    const after = readFileSync(join(schemas.folder, 'released/SHA256SUMS'), 'utf8').split('\n');
    assert.ok(
      before.split('\n').every((line) => after.includes(line)),
      'earlier lines stand as they were',
    );
    assert.deepEqual(release(schemas), { released: [], problems: [] }, 'nothing is left to release');
  });

  it('do not gain a version that others cannot read, and nothing is written then', () => {
    const schemas = copy();
    schemas.editFields(topic, (fields) => [...fields, { name: 'duration_ms', type: 'long' }]);
    const sentences = Array.from(
      { length: last },
      (_, at) =>
        `${topic}: the field duration_ms of the working file is not in version ${at + 1} and has no default: only fields with defaults come or go.`,
    );
    assert.deepEqual(problems(schemas), sentences);
    assert.deepEqual(release(schemas), { released: [], problems: sentences });
    assert.equal(existsSync(join(schemas.folder, `released/${topic}/${next}.avsc`)), false);
  });

  it('are compared with every former version, not with the last alone', () => {
    const schemas = copy();
    schemas.editFields(topic, (fields) => [...fields, later]);
    release(schemas);
    schemas.editFields(topic, (fields) => fields.filter(({ name }) => name !== 'duration_ms'));
    release(schemas);
    schemas.editFields(topic, (fields) => [...fields, { ...later, type: ['null', 'string'] }]);
    assert.deepEqual(problems(schemas), [
      `${topic}: the field duration_ms is null or long in version ${next} and null or string in the working file: a field keeps its type.`,
    ]);
  });

  it('are complete: changed, missing and unlisted files are named', () => {
    const schemas = copy();
    schemas.edit(newest, (text) => `${text}\n`);
    schemas.edit(`released/${topics.api_key.name}/1.examples/issued.json`, (text) =>
      text.replace('60', '61'),
    );
    rmSync(join(schemas.folder, `released/${topics.feed_poll.name}/1.examples/radar-day-read.json`));
    writeFileSync(join(schemas.folder, `released/${topic}/${next}.avsc`), '{}');
    const found = problems(schemas);
    for (const start of [
      `released/${topic}/${next}.avsc is not in SHA256SUMS`,
      `${newest} has changed`,
      `released/${topics.api_key.name}/1.examples/issued.json has changed`,
      `released/${topics.feed_poll.name}/1.examples/radar-day-read.json is in SHA256SUMS and missing`,
    ])
      assert.ok(
        found.some((problem) => problem.startsWith(start)),
        `${start}\n${found.join('\n')}`,
      );
    assert.deepEqual(release(schemas).released, [], 'nothing is released on top of what does not hold');
  });

  it('are released after a release that was interrupted', () => {
    const schemas = copy();
    schemas.editFields(topic, (fields) => [...fields, later]);
    mkdirSync(join(schemas.folder, `released/${topic}/${next}.examples`));
    writeFileSync(join(schemas.folder, `released/${topic}/${next}.examples/half.json`), '{');
    writeFileSync(join(schemas.folder, 'released/SHA256SUMS.new'), 'half a li');
    assert.equal(problems(schemas).length > 0, true);
    assert.deepEqual(release(schemas), { released: [{ topic, version: next }], problems: [] });
    assert.deepEqual(problems(schemas), []);
  });

  it('hold for their examples: one that does not fit its version is named', () => {
    const schemas = copy();
    schemas.edit(`examples/${topic}/valid/storm-event-679888.json`, (text) =>
      JSON.stringify({ ...(JSON.parse(text) as object), record_id: 7 }),
    );
    assert.deepEqual(problems(schemas), [
      `${topic}: example storm-event-679888 of the working file does not fit its schema.`,
    ]);
  });

  it('name a topic that is declared and has no schema', () => {
    assert.deepEqual(checkSchemas(copy().folder, [...names, 'hail.new.v1']).problems, [
      'hail.new.v1: there is no hail.new.v1.avsc.',
    ]);
  });

  describe('held against git', () => {
    const repository = (): {
      schemas: SchemaFolder;
      git: (...words: string[]) => string;
      commit: () => void;
    } => {
      const schemas = copy();
      const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example', '-c', 'init.defaultBranch=main'];
      // Only this repository's own settings: no signing, no hooks of whoever runs the tests.
      const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
      const git = (...words: string[]): string =>
        execFileSync('git', ['-C', schemas.folder, ...identity, ...words], {
          encoding: 'utf8',
          stdio: 'pipe',
          env,
        });
      const commit = (): void => {
        git('add', '--all');
        git('commit', '--quiet', '--message=a change');
      };
      git('init', '--quiet');
      commit();
      return { schemas, git, commit };
    };
    /** Changes a released file and the list with it, so that the hashes agree. */
    const forge = (schemas: SchemaFolder, path: string, change: (text: string) => string): void => {
      schemas.edit(path, change);
      const hash = sha256(readFileSync(join(schemas.folder, path)));
      const below = path.slice('released/'.length);
      schemas.edit('released/SHA256SUMS', (list) =>
        list.replace(new RegExp(`^[0-9a-f]{64}(  ${below})$`, 'm'), `${hash}$1`),
      );
    };
    const changed = `${newest} is not what it was when it was released, as git says, though its hash may agree: put it back.`;

    it('a file that changed together with its hash is found, committed or not, until it is put back', () => {
      const { schemas, commit } = repository();
      assert.deepEqual(problems(schemas), []);
      // A doc says the same to every reader, and is a change all the same.
      forge(schemas, newest, (text) => text.replace('One native record', 'A native record'));
      schemas.edit(`${topic}.avsc`, (text) => text.replace('One native record', 'A native record'));
      assert.deepEqual(problems(schemas), [changed]);
      commit();
      assert.deepEqual(problems(schemas), [changed]);
      forge(schemas, newest, (text) => text.replace('A native record', 'One native record'));
      schemas.edit(`${topic}.avsc`, (text) => text.replace('A native record', 'One native record'));
      commit();
      assert.deepEqual(problems(schemas), []);
    });

    it('a file that was deleted together with its line is found, and one that came back as another', () => {
      const { schemas, commit } = repository();
      const text = readFileSync(join(schemas.folder, newest), 'utf8');
      const list = readFileSync(join(schemas.folder, 'released/SHA256SUMS'), 'utf8');
      rmSync(join(schemas.folder, newest));
      schemas.edit('released/SHA256SUMS', (lines) =>
        lines.replace(new RegExp(`^.*${topic}/${last}\\.avsc\n`, 'm'), ''),
      );
      commit();
      assert.ok(
        problems(schemas).includes(`${newest} was released, as git says, and is missing: put it back.`),
      );
      writeFileSync(join(schemas.folder, newest), text);
      writeFileSync(join(schemas.folder, 'released/SHA256SUMS'), list);
      forge(schemas, newest, (each) => each.replace('One native record', 'A native record'));
      commit();
      assert.ok(problems(schemas).includes(changed));
    });

    it('two branches that released the same version may be merged to either', () => {
      const { schemas, git, commit } = repository();
      const version = `released/${topic}/${next}.avsc`;
      git('checkout', '--quiet', '-b', 'other');
      schemas.editFields(topic, (fields) => [...fields, later]);
      release(schemas);
      commit();
      git('checkout', '--quiet', 'main');
      schemas.editFields(topic, (fields) => [...fields, { ...later, name: 'width_mi' }]);
      release(schemas);
      commit();
      assert.throws(() => git('merge', '--quiet', '--no-commit', 'other'));
      git('checkout', '--quiet', '--theirs', '.');
      commit();
      assert.match(readFileSync(join(schemas.folder, version), 'utf8'), /duration_ms/);
      assert.deepEqual(problems(schemas), []);
    });

    it('is left out, in words, where there is no history or only its end', () => {
      const { history } = checkSchemas(copy().folder, names);
      assert.deepEqual(history, { skipped: 'there is no git history here' });
      const { schemas, git } = repository();
      const clone = join(schemas.folder, 'clone');
      git('clone', '--quiet', '--depth=1', `file://${schemas.folder}`, clone);
      const shallow = checkSchemas(clone, names).history;
      assert.ok('skipped' in shallow && shallow.skipped.includes('shallow'));
    });
  });
});
