/** An element as S3 writes it: without blanks, text escaped. */
export function element(name: string, ...content: readonly (string | number | boolean | Markup)[]): Markup {
  const inner = content.map((each) => (typeof each === 'object' ? each.xml : escaped(String(each)))).join('');
  return { xml: `<${name}>${inner}</${name.split(' ')[0] ?? ''}>` };
}

/** XML that is not to be escaped again. */
export interface Markup {
  xml: string;
}

export function xmlDocument(root: Markup): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.xml}`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
