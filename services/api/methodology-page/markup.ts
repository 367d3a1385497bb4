/** Text that is HTML already; everything else is escaped where it is put into a page. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | readonly Markup[];

/** A template whose values are escaped, unless they are markup themselves: no value of a methodology file can become a tag. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: texts.reduce((page, text, index) => page + written(parts[index - 1] ?? '') + text) };
}

function written(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escapeText(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('\n');
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** For the head of every page: a browser that is told of no icon asks for `/favicon.ico` and shows a 404. It is empty and asks nobody. */
export const no_icon: Markup = { markup: '<link rel="icon" href="data:," />' };

export function paragraphs(texts: readonly string[]): Markup[] {
  return texts.map((text) => html`<p>${text}</p>`);
}

/** A table that scrolls by itself on a narrow screen. The first column names the row. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): Markup {
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...others]) =>
            html`<tr>
              <th scope="row">${first ?? ''}</th>
              ${others.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** 0.0123 as 1.2 %: two significant digits, as many as any of these numbers deserves. */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}
