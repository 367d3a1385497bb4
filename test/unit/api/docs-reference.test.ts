import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { referenceScript } from '../../../services/api/docs/style.ts';

interface Drawn {
  spec: { servers: { url: string }[] };
}

/** What the script hands to the library, on a page at `page` whose service calls itself `named`. */
async function drawn(page: string, named: string): Promise<{ asked: string[]; drawn: Drawn }> {
  const asked: string[] = [];
  const served = { servers: [{ url: `${named}/api/v1` }, { url: `${named}/v1` }] };
  const library = Promise.withResolvers<Drawn>();
  await runInNewContext(referenceScript, {
    URL,
    document: {
      baseURI: page,
      getElementById: () => ({ dataset: { document: 'api/v1/openapi.json' } }),
    },
    fetch: (url: URL) => {
      asked.push(url.href);
      return Promise.resolve({ json: () => Promise.resolve(served) });
    },
    SwaggerUIBundle: library.resolve,
  });
  return { asked, drawn: await library.promise };
}

describe('the reference on the documentation page', () => {
  it('asks the place that the page came from, not the public name: the policy of the page forbids every other', async () => {
    for (const [page, root] of [
      ['http://127.0.0.1:8080/docs', 'http://127.0.0.1:8080'],
      ['https://inside.example/hail/docs#time', 'https://inside.example/hail'],
    ] as const) {
      const { asked, drawn: shown } = await drawn(page, 'https://hail.example.com');
      assert.deepEqual(asked, [`${root}/api/v1/openapi.json`]);
      assert.deepEqual(
        shown.spec.servers.map(({ url }) => url),
        [`${root}/api/v1`, `${root}/v1`],
      );
    }
  });
});
