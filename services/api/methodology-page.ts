import { methodology } from '../hail/methodology/methodology.ts';
import { html, no_icon } from './methodology-page/markup.ts';
import { closing, givens, making, meaning, proof } from './methodology-page/sections.ts';
import { style } from './methodology-page/style.ts';
import { workedExample } from './methodology-page/worked-example.ts';

/**
 * The public page that methodology answers link to, for people: every word and number is the methodology file's or computed from it by the
 * code that answers requests. One document without scripts or foreign files, so that it can be printed and kept.
 */
export function methodologyPage(): string {
  const { version, last_updated } = methodology;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Hailmark methodology ${version}</title>
        ${no_icon}
        <style>
          ${{ markup: style }}
        </style>
      </head>
      <body>
        <h1>Hailmark methodology ${version}</h1>
        <p class="soft">Last updated ${last_updated}.</p>
        ${meaning(methodology)} ${making(methodology)} ${workedExample(methodology)} ${proof(methodology)}
        ${givens(methodology)} ${closing(methodology)}
      </body>
    </html> `;
  return page.markup;
}
