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
#reference .info .title small pre { background: none; padding: 0; }
.swagger-ui .scheme-container { padding: 1rem 0; }
.swagger-ui .scheme-container .schemes { padding: 0 1rem; }
.swagger-ui .renderedMarkdown p, .swagger-ui .opblock-description-wrapper p { line-height: 1.5; }
@media (max-width: 48rem) {
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding-top: .3rem; }
  .swagger-ui .parameters-container, .swagger-ui .responses-inner { overflow-x: auto; }
  .swagger-ui .parameters-col_name { width: auto; min-width: 7rem; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { max-width: 100%; }
  .swagger-ui .response-col_status { min-width: 3.5rem; }
}
@media print { #reference, nav { display: none; } }
`;

/** Draws the reference. Answers "Try it out" by this service alone; a key typed there stays in the page and is gone with it. */
export const referenceScript = `SwaggerUIBundle({
  url: document.getElementById('reference').dataset.document,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  persistAuthorization: false,
  supportedSubmitMethods: ['get'],
  validatorUrl: null,
});
`;
