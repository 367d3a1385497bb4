import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { independentAnswers } from './independent.ts';
import { questionsOfReadme } from './readme.ts';
import { stockClients } from './recorded.clients.ts';
import { whatAPersonCannotDo } from './recorded.people.ts';
import { startRecorded, type Recorded } from './recorded.ts';
import { viewsBesideTheService } from './recorded.views.ts';

describe('analysts on the recorded data', { timeout: 550_000 }, () => {
  let recorded: Recorded | undefined;
  const on = (): Recorded => {
    assert.ok(recorded, 'the service has not started');
    return recorded;
  };

  before(async () => {
    recorded = await startRecorded();
  });
  after(() => recorded?.stop());

  describe('the questions of schemas/clickhouse/README.md', () => {
    const questions = questionsOfReadme();

    it('are ten', () => assert.equal(questions.length, 10));

    for (const [at, { title, sql, columns, rows }] of questions.entries()) {
      it(`${title} As written there, and as the recorded files say`, async () => {
        const [named = '', ...answered] = (await on().text(`${sql}\nFORMAT TabSeparatedWithNames`)).split(
          '\n',
        );
        assert.deepEqual(named.split('\t'), columns);
        assert.deepEqual(
          answered.map((line) => line.split('\t')),
          rows,
        );
        assert.ok(rows.length > 0);
        const independent = independentAnswers[at]?.().map((row) => row.map(String));
        assert.deepEqual(rows, independent);
      });
    }
  });
  viewsBesideTheService(on);
  stockClients(on);
  whatAPersonCannotDo(on);
});
