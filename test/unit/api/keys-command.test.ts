import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandOf, key_options, type Command } from '../../../scripts/keys/command.ts';
import { readWords } from '../../../services/runtime/command.ts';

function readCommand(words: readonly string[]): Command | 'help' {
  const given = readWords({ options: key_options, takes_words: true }, words);
  return given === 'help' ? given : commandOf(given);
}

describe('scripts/keys', () => {
  it('understands its commands', () => {
    assert.deepEqual(readCommand(['create', '--partner', ' Acme ', '--per-day', '5', '--json']), {
      ...{ name: 'create', partner: 'Acme', limits: { per_day: 5 }, json: true },
    });
    assert.deepEqual(readCommand(['list']), { name: 'list', json: false });
    assert.deepEqual(readCommand(['limit', 'x', '--per-minute', '120']), {
      ...{ name: 'limit', key_id: 'x', limits: { per_minute: 120 }, json: false },
    });
    assert.deepEqual(readCommand(['rotate', 'x']), {
      ...{ name: 'rotate', key_id: 'x', grace_ms: 86_400_000, json: false },
    });
    assert.deepEqual(readCommand(['rotate', 'x', '--grace', '0.5']), {
      ...{ name: 'rotate', key_id: 'x', grace_ms: 1_800_000, json: false },
    });
    assert.deepEqual(readCommand(['revoke', 'x', '--api', 'http://a', '--api', 'http://b']), {
      ...{ name: 'revoke', key_id: 'x', api_urls: ['http://a', 'http://b'], wait: true, json: false },
    });
    assert.equal(readCommand(['--help']), 'help');
  });

  it('does not guess what was meant', () => {
    for (const wrong of [
      [],
      ['create'],
      ['create', '--partner', ' '],
      ['create', '--partner', 'a', '--grace', '1'],
      ['create', '--partner', 'a', '--per-day', '2147483648'],
      ['revoke'],
      ['revoke', 'x', 'y'],
      ['revoke', 'x', '--api', 'no url'],
      ['list', 'x'],
      ['show'],
      ['limit', 'x'],
      ['limit', 'x', '--per-minute', '0'],
      ['limit', 'x', '--per-minute', '1.5'],
      ['rotate', 'x', '--grace', '-1'],
      ['rotate', 'x', '--grace', 'soon'],
      ['rotate', 'x', '--grace', ''],
      ['--bogus'],
      ['drop', 'x'],
      ['toString', 'x'],
    ])
      assert.throws(() => readCommand(wrong), { code: 'HAIL_COMMAND' }, wrong.join(' '));
  });
});
