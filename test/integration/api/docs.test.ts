import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answering, startInProcess, type InProcessApi } from './in-process.ts';

describe('the documentation at /docs', () => {
  let api: InProcessApi;
  let page: Response;
  let text: string;
  before(async () => {
    api = await startInProcess(answering);
    page = await api.get('/docs', { headers: {} });
    text = await page.text();
  });
  after(() => api.stop());

  it('is a page for everybody whose scripts come from this service alone', () => {
    assert.equal(page.status, 200);
    assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
    const policy = page.headers.get('Content-Security-Policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self';/);
    assert.match(policy, /connect-src 'self';/);
    for (const [tag] of text.matchAll(/<script[^>]*>/g)) assert.match(tag, / src="docs\/[^:"]+"/);
    assert.equal(/<script[^>]*>[^<]/.test(text), false, 'an inline script');
    assert.equal(/ on[a-z]+="/.test(text), false, 'an inline handler');
    for (const [, url = ''] of text.matchAll(/ (?:src|href|data-document)="([^"]*)"/g))
      assert.equal(/^(https?:)?\/\//.test(url), false, `${url} is on another host`);
  });

  it('names an empty icon that its policy allows, so that no browser asks for /favicon.ico', () => {
    const [, head = ''] = /<head>(.*)<\/head>/s.exec(text) ?? [];
    assert.match(head, /<link rel="icon" href="data:,"/);
    assert.match(page.headers.get('Content-Security-Policy') ?? '', /img-src [^;]*\bdata:/);
  });

  it('finds every file and place that it names', async () => {
    const base = `${api.url}/docs`;
    const names = [...text.matchAll(/ (?:src|href|data-document)="([^"]*)"/g)].map(([, name = '']) => name);
    assert.ok(names.length > 12, String(names.length));
    for (const name of new Set(names)) {
      if (name.startsWith('data:')) continue;
      if (name.startsWith('#')) assert.ok(text.includes(`id="${name.slice(1)}"`), name);
      else assert.equal((await fetch(new URL(name, base))).status, 200, name);
    }
  });

  it('sends files packed where that is accepted, and not again while they stay', async () => {
    const path = '/docs/swagger-ui-bundle.js';
    const plain = await fetch(`${api.url}${path}`, { headers: { 'Accept-Encoding': 'identity' } });
    const packed = await fetch(`${api.url}${path}`, { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(plain.headers.get('Content-Encoding'), null);
    assert.equal(packed.headers.get('Content-Encoding'), 'gzip');
    assert.match(packed.headers.get('Content-Type') ?? '', /^text\/javascript/);
    assert.ok(Number(packed.headers.get('Content-Length')) < Number(plain.headers.get('Content-Length')) / 3);
    assert.equal(await plain.text(), await packed.text());
    const etag = packed.headers.get('ETag') ?? '';
    const again = await fetch(`${api.url}${path}`, { headers: { 'If-None-Match': etag } });
    assert.equal(again.status, 304);
  });

  it('names every error that the document declares, and every parameter with its bounds', async () => {
    const document = (await (await api.get('/api/v1/openapi.json')).json()) as {
      paths: Record<string, { get: { responses: object; parameters: { name?: string; $ref?: string }[] } }>;
    };
    for (const [path, { get }] of Object.entries(document.paths)) {
      for (const status of Object.keys(get.responses).filter((each) => each >= '400'))
        assert.ok(text.includes(`<th scope="row">${status}</th>`), `${path} ${status}`);
      if (!path.startsWith('/property/')) continue;
      for (const { name, $ref } of get.parameters) {
        const shown = name ?? $ref?.split('/').at(-1) ?? '';
        if (shown !== 'address')
          assert.ok(text.includes(`${path.slice('/property/'.length)}: ${shown}<`), `${path} ${shown}`);
      }
    }
    assert.match(text, /verify: window_days<\/th>\s*<td>1 to 180<\/td>\s*<td>45<\/td>/);
    assert.match(text, /verify: radius_mi<\/th>\s*<td>above 0, to 25<\/td>\s*<td>5<\/td>/);
  });
});
