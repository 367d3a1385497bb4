import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formKey, keyHash, keyIdOf } from '../../../services/api/keys/format.ts';

describe('the form of a key', () => {
  it('holds the public id and 144 secret bits', () => {
    const key = formKey(Buffer.from('00ff10ab', 'hex'), Buffer.alloc(18, 0xff));
    assert.equal(key, `hm_live_00ff10ab_${'_'.repeat(24)}`);
    assert.equal(keyIdOf(key), '00ff10ab');
  });

  it('is read by position: the secret may hold what parts the key', () => {
    assert.equal(keyIdOf('hm_live_00ff10ab_-_-_-_-_-_-_-_-_-_-_-_-_'), '00ff10ab');
  });

  const others = [
    '',
    'hm_live_',
    'hm_test_00ff10ab_aaaaaaaaaaaaaaaaaaaaaaaa',
    'hm_live_00FF10AB_aaaaaaaaaaaaaaaaaaaaaaaa',
    'hm_live_00ff10ab_aaaaaaaaaaaaaaaaaaaaaaa',
    'hm_live_00ff10ab_aaaaaaaaaaaaaaaaaaaaaaaaa',
    'hm_live_00ff10ab_aaaaaaaaaaaaaaaaaaaaaaa=',
    ' hm_live_00ff10ab_aaaaaaaaaaaaaaaaaaaaaaaa',
    'hm_live_00ff10ab_aaaaaaaaaaaaaaaaaaaaaaaa\n',
  ];
  for (const text of others) it(`is not ${JSON.stringify(text)}`, () => assert.equal(keyIdOf(text), null));

  it('is kept as the SHA-256 of the whole', () => {
    assert.equal(keyHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
