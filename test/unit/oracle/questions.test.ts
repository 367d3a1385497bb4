import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededQuestions } from '../../support/oracle/questions.ts';
import { recordedHail } from '../../support/oracle/records.ts';

describe('seeded questions', () => {
  const records = recordedHail({ years: [1988, 1989, 1990, 1992, 2017] });

  it('are the same for a seed, and others for another', () => {
    assert.deepEqual(seededQuestions(records, 7, 20), seededQuestions(records, 7, 20));
    assert.notDeepEqual(seededQuestions(records, 7, 20), seededQuestions(records, 8, 20));
  });

  it('hold enough of each kind, and ask nothing that a request may not', () => {
    const questions = seededQuestions(records, 11, 200);
    const of = (kind: 'with_event' | 'at_edge' | 'many_sources'): number =>
      questions.filter((each) => each[kind]).length;
    assert.ok(of('with_event') >= 150 && of('at_edge') >= 30 && of('many_sources') >= 30);
    for (const { radius_mi, window_days, loss_day, since, until_day, operation } of questions) {
      assert.ok(radius_mi > 0 && radius_mi <= 25);
      assert.ok(window_days >= 1 && window_days <= 180);
      assert.ok(operation === 'history' || (loss_day >= '1950-01-01' && loss_day <= '2026-09-29'));
      assert.ok(operation === 'verify' || (since >= '1950-01-01' && since <= until_day));
    }
  });

  it('name days that stand for the window in milliseconds', () => {
    for (const each of seededQuestions(records, 3, 60)) {
      const loss = Date.parse(each.loss_day);
      const span = each.window_days * 86_400_000;
      const [from, until] =
        each.operation === 'verify'
          ? [loss - span, loss + span]
          : [Date.parse(each.since), Date.parse(each.until_day) + 86_400_000];
      assert.deepEqual([each.from, each.until], [from, until]);
    }
  });
});
