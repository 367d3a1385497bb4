import { style } from '../methodology-page/style.ts';

/** The methodology page's look, wider where the reference stands; the library's own styles come before these. */
export const docsStyle = `${style}
body { max-width: 60rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
nav { border-block: 1px solid var(--rule); }
pre { font-size: .85rem; line-height: 1.45; } pre code { overflow-wrap: normal; }
/* Scrolls by itself rather than squeeze a word a line. */
.wide table { min-width: 34rem; }
td code, th code { overflow-wrap: normal; white-space: nowrap; }
#reference { margin: 0 -1rem; }
.swagger-ui .wrapper { padding: 0 1rem; }
.swagger-ui .info { margin: 1rem 0; }
/* The page has a title, and says at its head where the document is. */
.swagger-ui .info .title, .swagger-ui .info .link { display: none; }
.swagger-ui .scheme-container { padding: 1rem 0; }
.swagger-ui .scheme-container .schemes { padding: 0 1rem; }
.swagger-ui .renderedMarkdown p, .swagger-ui .opblock-description-wrapper p { line-height: 1.5; }
/* No operation links to another one. */
.swagger-ui .response-col_links { display: none; }
/* The library's own colours for these are too pale to read: at least 4.5 to 1. */
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: var(--one); }
.swagger-ui .btn.authorize { color: var(--three); border-color: var(--three); } .swagger-ui .btn.authorize svg { fill: currentColor; }
.swagger-ui .download-contents, .swagger-ui .response-col_description .copy-to-clipboard { background: var(--soft); }
.swagger-ui .json-schema-2020-12-expand-deep-button { color: var(--soft); }
.swagger-ui .btn.execute { background: var(--one); border-color: var(--one); }
.swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e; }
.swagger-ui .parameter__name.required::after, .swagger-ui .parameter__name.required span { color: #b3261e; }
.swagger-ui .parameter__in, .swagger-ui .parameter__extension, .swagger-ui .response-control-media-type__accept-message { color: var(--soft); }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #6b0fb3; }
@media (max-width: 48rem) {
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 3.6rem; padding: .4rem 0; }
  .swagger-ui .opblock .opblock-summary-control { flex-wrap: nowrap; align-items: flex-start; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; }
  .swagger-ui .opblock .opblock-summary-path-description-wrapper { min-width: 0; flex: 1; }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding-top: .3rem; }
  .swagger-ui .opblock-summary .copy-to-clipboard { display: none; }
  .swagger-ui .parameters-container, .swagger-ui .responses-inner { overflow-x: auto; }
  /* A name above what is said of it: two columns leave neither enough room. */
  .swagger-ui table:is(.parameters, .responses-table),
  .swagger-ui table:is(.parameters, .responses-table) > tbody,
  .swagger-ui table:is(.parameters, .responses-table) > tbody > tr,
  .swagger-ui table:is(.parameters, .responses-table) > tbody > tr > td { display: block; width: auto; max-width: 100%; padding-left: 0; padding-right: 0; }
  .swagger-ui table:is(.parameters, .responses-table) > thead { display: none; }
  .swagger-ui table:is(.parameters, .responses-table) > tbody > tr > td { padding-block: .3rem; border: 0; }
  .swagger-ui table:is(.parameters, .responses-table) > tbody > tr { border-bottom: 1px solid var(--rule); }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { width: 100%; max-width: 100%; }
}
@media print { #reference, nav { display: none; } }
`;

/**
 * Draws the reference. "Try it out" asks the place that the page came from, for the page's own policy lets it ask nobody else, whatever public
 * name the document gives. A key typed there stays in the page and is gone with it.
 */
export const referenceScript = `(async () => {
  const place = document.getElementById('reference');
  const source = new URL(place.dataset.document, document.baseURI);
  const spec = await (await fetch(source)).json();
  const here = new URL('../../', source);
  const operations = Object.values(spec.paths).flatMap((path) => Object.values(path));
  for (const server of [spec, ...operations].flatMap(({ servers }) => servers ?? [])) {
    server.url = new URL(/(?:api\\/)?v1$/.exec(server.url)[0], here).href;
  }
  SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelRendering: 'model',
    persistAuthorization: false,
    supportedSubmitMethods: ['get'],
    validatorUrl: null,
  });
})();
`;
