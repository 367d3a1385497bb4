import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startLocalServices, type LocalServices } from '../../support/local-services.ts';

/** Large answers are held whole by the local engine's process, which serves everyone. */
describe('large answers of a person', { timeout: 300_000 }, () => {
  let local: LocalServices;

  before(async () => {
    local = await startLocalServices();
  });
  after(() => local.stop());

  const person = (query: string): Promise<Response> =>
    fetch(`${local.clickhouse_url}/?user=ann`, { method: 'POST', body: query });
  const code = (response: Response): string | null => response.headers.get('x-clickhouse-exception-code');

  it('gets no answer larger than 128 MiB as it is written, however small its columns are in the engine', async () => {
    const response = await person("SELECT repeat('x', 1000) FROM numbers(200000)");
    assert.equal(code(response), '396');
    assert.match(await response.text(), /128 MiB.*Parquet/);
    const smaller = await person("SELECT repeat('x', 1000) FROM numbers(100000)");
    assert.equal((await smaller.arrayBuffer()).byteLength, 100_100_000);
  });

  it('cannot fill the memory with answers that nobody reads', async () => {
    const { hostname, port } = new URL(local.clickhouse_url);
    const sql = "SELECT repeat('x', 1300) FROM numbers(100000)";
    const idle = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined);
        socket.write(`POST /?user=ann HTTP/1.1\r\nHost: x\r\nContent-Length: ${sql.length}\r\n\r\n${sql}`);
        const [head] = (await once(socket, 'data')) as [Buffer];
        socket.pause();
        return { socket, refused: head.toString('latin1').includes('Exception-Code: 202') };
      }),
    );
    assert.equal(idle.filter(({ refused }) => refused).length, 2);
    const larger = await person(sql);
    assert.equal(code(larger), '202');
    assert.match(await larger.text(), /have not been read/);
    assert.equal((await person('SELECT 1')).status, 200);
    const service = await fetch(local.clickhouse_url, { method: 'POST', body: 'SELECT 1' });
    assert.equal((await service.text()).trimEnd(), '1');
    for (const { socket } of idle) socket.destroy();
    const answered = async (): Promise<boolean> => {
      const response = await person(sql);
      await response.body?.cancel();
      return response.status === 200;
    };
    while (!(await answered()));
  });
});
