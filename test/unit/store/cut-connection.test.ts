import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { readConfig } from '../../../services/runtime/config.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { createStore, type Store } from '../../../services/store/store.ts';

/** A store behind a server that cuts the first `cuts` requests without a word, and answers every later one. */
async function storeBehind(t: TestContext, cuts: number): Promise<{ store: Store; asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (asked <= cuts) request.socket.destroy();
    else response.end('{"n":1}\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = createStore(readConfig({ CLICKHOUSE_URL: `http://127.0.0.1:${port}` }), {
    timeout_ms: 10_000,
  });
  t.after(async () => {
    await store.close();
    server.close();
    server.closeAllConnections();
  });
  return { store, asked: () => asked };
}

describe('a connection to the store that is cut', () => {
  it('costs a reading nothing: it is done once more', async (t) => {
    const { store, asked } = await storeBehind(t, 1);
    assert.deepEqual(await store.rows('SELECT 1 AS n'), [{ n: 1 }]);
    assert.equal(asked(), 2);
  });

  it('twice is a store that is away', async (t) => {
    const { store, asked } = await storeBehind(t, 2);
    await assert.rejects(store.rows('SELECT 1 AS n'), (error) =>
      isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE'),
    );
    assert.equal(asked(), 2);
  });

  it('ends a write, which is not done twice here', async (t) => {
    const { store, asked } = await storeBehind(t, 1);
    await assert.rejects(store.insert('t', ['n'], [[1]]), (error) =>
      isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE'),
    );
    assert.equal(asked(), 1);
  });
});
