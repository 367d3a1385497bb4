import { html, no_icon, type Markup } from '../methodology-page/markup.ts';
import type { OpenApiDocument } from '../openapi-document.ts';
import { createAsset, libraryFile, type Asset } from './assets.ts';
import { checking, citing, errors, keys, limits, paging, quickStart, reading, time } from './sections.ts';
import { docsStyle, referenceScript } from './style.ts';

/**
 * The documentation at `/docs`, for people, open to everybody: a guide, then the reference that a library draws from `openapi.json`. All
 * files come from this service, so that it works without any other network.
 */
export function createDocs(document: OpenApiDocument, options: { public_base_url: string }): Asset[] {
  const text = (content: string) => (): Buffer => Buffer.from(content);
  return [
    createAsset('/docs', 'text/html; charset=utf-8', () => Buffer.from(page(document, options).markup)),
    createAsset('/docs/style.css', 'text/css; charset=utf-8', text(docsStyle)),
    createAsset('/docs/reference.js', 'text/javascript; charset=utf-8', text(referenceScript)),
    createAsset('/docs/swagger-ui.css', 'text/css; charset=utf-8', () => libraryFile('swagger-ui.css')),
    createAsset('/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', () =>
      libraryFile('swagger-ui-bundle.js'),
    ),
  ];
}

const contents: readonly [id: string, title: string][] = [
  ['quick-start', 'Quick start'],
  ['keys', 'Keys'],
  ['reading', 'Reading an answer'],
  ['time', 'Time'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
  ['paging', 'Paging'],
  ['citing', 'Citing'],
  ['checking', 'Checking a citation'],
  ['reference', 'Reference'],
];

function page(document: OpenApiDocument, { public_base_url }: { public_base_url: string }): Markup {
  // Paths are relative to the page: a proxy may publish it below a path of its own.
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Hailmark API v1</title>
        ${no_icon}
        <link rel="stylesheet" href="docs/swagger-ui.css" />
        <link rel="stylesheet" href="docs/style.css" />
        <script src="docs/swagger-ui-bundle.js" defer></script>
        <script src="docs/reference.js" defer></script>
      </head>
      <body>
        <h1>Hailmark API v1</h1>
        <p>
          Did damaging hail fall at this US address, when, and who says so? Every event names the public
          records it stands on. How events and scores are made is at the
          <a href="methodology">methodology page</a>; the whole API in machine-readable form is
          <a href="api/v1/openapi.json">openapi.json</a> (3.1).
        </p>
        <nav aria-label="Contents">
          <ul>
            ${contents.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
          </ul>
        </nav>
        ${quickStart(public_base_url)} ${keys()} ${reading()} ${time()} ${errors()} ${limits(document)}
        ${paging()} ${citing()} ${checking()}
        <h2>Reference</h2>
        <p>
          "Try it out" asks this service from the browser. Type a key only where the screen is yours; it stays
          in the page's memory and is gone when the page is closed.
        </p>
        <div id="reference" data-document="api/v1/openapi.json">
          <p>The reference is drawn by a script; without it, openapi.json says the same.</p>
        </div>
      </body>
    </html> `;
}
