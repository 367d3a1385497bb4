import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { asEngineError } from '../../../infra/local/gateway/errors.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { createStore } from '../../../services/store/store.ts';

/** What ClickHouse calls a disk without room, where it notices: reserving, writing, syncing. */
const codes = [243, 75, 294, 204];

describe('a store whose disk is full', () => {
  it('is one that is away: whoever writes to it waits until there is room, and does not end', async (t) => {
    let code = 0;
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
      response.end(`Code: ${code}. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_REAL)`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const store = createStore(readConfig({ CLICKHOUSE_URL: `http://127.0.0.1:${port}` }));
    t.after(async () => {
      await store.close();
      server.close();
      server.closeAllConnections();
    });
    for (code of codes)
      await assert.rejects(
        store.insert('t', ['n'], [[1]]),
        (error) => isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE'),
        String(code),
      );
    // No such column: nothing that room would mend.
    code = 16;
    await assert.rejects(
      store.insert('t', ['n'], [[1]]),
      (error) => !isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE'),
    );
  });

  it('says so alike where the local engine cannot take the rows of an insert', () => {
    for (const code of ['ENOSPC', 'EDQUOT']) {
      const error = Object.assign(new Error(`${code}: no space, open '/secret/place'`), { code });
      const said = asEngineError(error);
      assert.equal(said.code, 243);
      assert.ok(!said.message.includes('/secret'));
    }
  });
});
