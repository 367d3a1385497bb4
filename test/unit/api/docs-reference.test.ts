import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { readOpenApiDocument } from '../../../services/api/openapi-document.ts';
import { referenceScript } from '../../../services/api/docs/style.ts';

interface Servers {
  servers?: { url: string }[];
}
interface Drawn {
  spec: Servers & { paths: Record<string, { get: Servers }> };
}

/** What the script hands to the library, on a page at `page` whose service calls itself `named`. */
async function drawn(page: string, named: string): Promise<{ asked: string[]; drawn: Drawn }> {
  const asked: string[] = [];
  const served = JSON.parse(
    readOpenApiDocument({ public_base_url: named }).bytes.toString('utf8'),
  ) as Drawn['spec'];
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
        shown.spec.servers?.map(({ url }) => url),
        [`${root}/api/v1`, `${root}/v1`],
      );
      // Operations that only one prefix has name a server of their own.
      for (const path of ['/lookup', '/openapi.json'])
        assert.deepEqual(
          shown.spec.paths[path]?.get.servers?.map(({ url }) => url),
          [`${root}/api/v1`],
          path,
        );
    }
  });
});
