import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandOf, log_options, type LogCommand } from '../../../scripts/log/query.ts';
import { readWords } from '../../../services/runtime/command.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { topics } from '../../../services/log/topics.ts';

const topic = topics.observation.name;
const whole = { topic, partition: null, key: null, from: { offset: 0 }, to: null, follow: false };

function readCommand(words: readonly string[]): LogCommand | 'help' {
  const given = readWords({ options: log_options, takes_words: true }, words);
  return given === 'help' ? given : commandOf(given);
}

describe('the words of the command log', () => {
  it('ask for a topic, from its beginning to its end unless they say otherwise', () => {
    const query = (...words: string[]): unknown => {
      const command = readCommand([topic, ...words]);
      assert.ok(command !== 'help' && command.name === 'read', JSON.stringify(command));
      return command.query;
    };
    assert.deepEqual(query(), whole);
    assert.deepEqual(query('--from', '7', '--to', '10', '--partition', '2', '--key', 'NOAA_SED/679888'), {
      ...{
        topic,
        partition: 2,
        key: 'NOAA_SED/679888',
        from: { offset: 7 },
        to: { offset: 10 },
        follow: false,
      },
    });
    assert.deepEqual(query('--follow', '--from', 'end'), { ...whole, from: 'end', follow: true });
    assert.deepEqual(query('--to', 'end'), whole);
    const at = (iso: string): object => ({ ...whole, from: { at_ms: Date.parse(iso) } });
    assert.deepEqual(query('--from', '2026-11-20'), at('2026-11-20T00:00:00Z'));
    assert.deepEqual(query('--from', '2026-11-20T09:30Z'), at('2026-11-20T09:30:00Z'));
    assert.deepEqual(query('--from', '2026-11-20T09:30:01.5-06:00'), at('2026-11-20T15:30:01.500Z'));
  });

  it('ask for positions or help', () => {
    assert.deepEqual(readCommand(['positions', '--json']), { name: 'positions', json: true });
    assert.equal(readCommand([topic, '--help']), 'help');
  });

  for (const [words, why] of [
    [[], 'Name one topic, or positions.'],
    [[topic, topic], 'Name one topic, or positions.'],
    [['hail.nothing.v1'], 'There is no topic hail.nothing.v1'],
    [[topic, '--partition', '6'], `${topic} has partitions 0 to 5.`],
    [[topic, '--partition', '1.5'], `${topic} has partitions 0 to 5.`],
    [[topic, '--partition', ''], `${topic} has partitions 0 to 5.`],
    [[topic, '--from', 'yesterday'], '--from and --to take'],
    [[topic, '--from', '2026-02-30'], '--from and --to take'],
    [[topic, '--to', '2026-11-20T10:00'], '--from and --to take'],
    [[topic, '--follow', '--to', '3'], '--follow has no end'],
    [['positions', '--key', 'k'], 'positions takes --json only'],
    [[topic, '--form', '3'], "Unknown option '--form'"],
  ] as const) {
    it(`are not understood: ${words.join(' ') || 'none'}`, () => {
      assert.throws(
        () => readCommand(words),
        (error) => isHailmarkError(error, 'HAIL_COMMAND') && error.message.startsWith(why),
      );
    });
  }
});
