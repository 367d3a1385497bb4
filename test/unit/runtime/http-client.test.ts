import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { fetchBody, type FetchOptions } from '../../../services/runtime/http-client.ts';
import { FetchFailed } from '../../../services/runtime/http-exchange.ts';
import { startPublisherStub, type PublisherStub } from '../../support/publisher-stub.ts';

const text = 'ten bytes.'.repeat(1_000);
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

let stub: PublisherStub;
before(async () => {
  stub = await startPublisherStub();
});
after(() => stub.stop());

const ask = (path: string, options: Partial<FetchOptions> = {}): ReturnType<typeof fetchBody> =>
  fetchBody(stub.url + path, { timeout_ms: 10_000, max_bytes: 100_000, ...options });

/** Why no body came; a promise that resolves is a failed test. */
async function failureOf(path: string, options: Partial<FetchOptions> = {}): Promise<string> {
  try {
    await ask(path, options);
  } catch (error) {
    assert.ok(isHailmarkError(error, 'HAIL_PUBLISHER_UNAVAILABLE'));
    assert.ok(!error.message.includes('secret'));
    assert.ok(error.cause instanceof FetchFailed);
    return error.cause.failure;
  }
  return assert.fail('a body came');
}

describe('a body', () => {
  it('is asked for without an encoding and hashed as it is served', async () => {
    const asked: (string | string[] | undefined)[] = [];
    stub.on('/plain', (_url, headers) => {
      asked.push(headers['accept-encoding'], headers['user-agent'], headers['accept']);
      return { body: text };
    });
    const body = await ask('/plain', { headers: { 'user-agent': 'tests', accept: 'text/csv' } });
    assert.deepEqual(asked, ['identity', 'tests', 'text/csv']);
    assert.equal(body.bytes.toString(), text);
    assert.equal(body.sha256, sha256(text));
  });

  it('that is encoded all the same is undone, and its hash is still that of the bytes served', async () => {
    const served = gzipSync(text);
    stub.on('/encoded', () => ({ body: served, headers: { 'Content-Encoding': 'gzip' } }));
    const body = await ask('/encoded.csv');
    assert.equal(body.bytes.toString(), text);
    assert.deepEqual(body.served, served);
    assert.equal(body.sha256, sha256(served));
    // A server that calls the compression of a .gz file an encoding does not change what the file is.
    assert.deepEqual((await ask('/encoded.csv.gz')).bytes, served);
  });

  it('with a status of any kind is an answer, 304 included', async () => {
    for (const status of [304, 403, 404, 500]) {
      stub.on('/status', () => ({ status, headers: { 'Retry-After': '7' } }));
      const body = await ask('/status');
      assert.equal(body.status, status);
      assert.equal(body.headers.get('retry-after'), '7');
    }
  });
});

describe('no body', () => {
  it('that is larger than it may be comes in, on the wire or inflated', async () => {
    stub.on('/large', () => ({ body: text }));
    assert.equal(await failureOf('/large', { max_bytes: text.length - 1 }), 'too-large');
    assert.equal((await ask('/large', { max_bytes: text.length })).bytes.length, text.length);
    stub.on('/endless', () => ({ fault: 'endless' }));
    assert.equal(await failureOf('/endless'), 'too-large');
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    assert.ok(bomb.length < 100_000);
    stub.on('/bomb', () => ({ body: bomb, headers: { 'Content-Encoding': 'gzip' } }));
    assert.equal(await failureOf('/bomb'), 'too-large');
  });

  it('is waited for beyond the deadline, or below the least rate', async () => {
    stub.on('/hang', () => ({ fault: 'hang' }));
    assert.equal(await failureOf('/hang?secret', { timeout_ms: 50 }), 'timed-out');
    stub.on('/trickle', () => ({ body: text, fault: 'trickle' }));
    const slow = { bytes: 1_000, within_ms: 50 };
    assert.equal(await failureOf('/trickle?secret', { slow }), 'too-slow');
    assert.equal(await failureOf('/trickle?secret', { timeout_ms: 100 }), 'timed-out');
  });

  it('comes of a broken connection or a broken encoding', async () => {
    stub.on('/reset', () => ({ fault: 'reset' }));
    assert.equal(await failureOf('/reset?secret'), 'no-answer');
    stub.on('/cut', () => ({ body: text, fault: 'cut' }));
    assert.equal(await failureOf('/cut?secret'), 'no-answer');
    for (const [encoding, body] of [
      ['gzip', text],
      ['gzip', gzipSync(text).subarray(0, 20)],
      ['br', text],
    ] as const) {
      stub.on('/encoded', () => ({ body, headers: { 'Content-Encoding': encoding } }));
      assert.equal(await failureOf('/encoded'), 'bad-encoding');
    }
  });

  it('comes when the asker is told to stop', async () => {
    const stopping = new AbortController();
    stub.on('/hang', () => {
      stopping.abort();
      return { fault: 'hang' };
    });
    assert.equal(await failureOf('/hang', { signal: stopping.signal }), 'no-answer');
  });
});

describe('a redirect', () => {
  const to = (location: string) => () => ({ status: 302, headers: { Location: location } });

  it('is followed, five times', async () => {
    stub.on('/steps/', ({ pathname }) => {
      const left = Number(pathname.split('/')[2]);
      return left === 0 ? { body: 'arrived' } : to(`/steps/${left - 1}`)();
    });
    assert.equal((await ask('/steps/5')).bytes.toString(), 'arrived');
    assert.equal(await failureOf('/steps/6'), 'bad-redirect');
  });

  it('to anything but a web address is not followed', async () => {
    for (const location of ['file:///etc/hostname', 'ftp://publisher/', 'http://']) {
      stub.on('/elsewhere', to(location));
      assert.equal(await failureOf('/elsewhere'), 'bad-redirect');
    }
  });
});
