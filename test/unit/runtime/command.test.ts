import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { misread, oneOf, readWords, wholeNumber } from '../../../services/runtime/command.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';

const options = {
  json: { type: 'boolean', default: false },
  runs: { type: 'string', default: '3' },
} as const;

function isMisread(sentence: RegExp) {
  return (error: unknown): boolean => isHailmarkError(error, 'HAIL_COMMAND') && sentence.test(error.message);
}

describe('the words of a command', () => {
  it('become its options', () => {
    const given = readWords({ options }, ['--json', '--runs', '7']);
    assert.ok(given !== 'help');
    assert.deepEqual([given.values.json, given.values.runs, given.positionals], [true, '7', []]);
  });

  it('ask for help whatever else they say', () => {
    for (const words of [['--help'], ['-h'], ['--runs', '1', '--help'], ['--nonsense', '--help']])
      assert.equal(readWords({ options }, words), 'help', words.join(' '));
  });

  it('are refused with a sentence where they name an option that is not there', () => {
    assert.throws(() => readWords({ options }, ['--nonsense']), isMisread(/--nonsense.*\.$/));
    assert.throws(() => readWords({ options }, ['--runs']), isMisread(/--runs.*\.$/));
  });

  it('stand beside options only where the command takes them', () => {
    assert.throws(() => readWords({ options }, ['list']), isMisread(/"list"/));
    const given = readWords({ options, takes_words: true }, ['list', 'all']);
    assert.ok(given !== 'help');
    assert.deepEqual(given.positionals, ['list', 'all']);
  });
});

describe('the value of an option', () => {
  it('is a whole number within its bounds, or a sentence with both', () => {
    assert.deepEqual([wholeNumber('runs', '1', 1), wholeNumber('runs', '64', 1, 64)], [1, 64]);
    for (const text of ['0', '65', '1.5', '-1', '1e1', '', ' 2', '0x2', 'many', '99999999999999999999'])
      assert.throws(() => wholeNumber('runs', text, 1, 64), isMisread(/--runs .* from 1 to 64\.$/), text);
    assert.throws(() => wholeNumber('seed', 'x', 0), isMisread(/--seed .* from 0 on\.$/));
  });

  it('is one of its words, or a sentence with all of them', () => {
    assert.equal(oneOf('log', 'kafka', ['sqlite', 'kafka']), 'kafka');
    assert.throws(() => oneOf('log', 'file', ['sqlite', 'kafka']), isMisread(/--log .* sqlite, kafka\.$/));
  });
});

describe('a misunderstanding', () => {
  it('is an error of the catalogue for a person', () => {
    assert.deepEqual([misread('x.').code, misread('x.').kind], ['HAIL_COMMAND', 'operator']);
  });
});
