import { methodology } from '../hail/methodology/methodology.ts';

/** The public page that methodology answers link to: the sentences of the methodology file, and nothing it does not say. */
export function methodologyPage(): string {
  const { version, last_updated, summary, changelog } = methodology;
  const paragraphs = summary.map((text) => `<p>${escape(text)}</p>`).join('\n');
  const changes = changelog
    .map((each) => `<li>${escape(each.version)}, ${escape(each.published)}: ${escape(each.summary)}</li>`)
    .join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Hailmark methodology ${escape(version)}</title></head>
<body>
<h1>Methodology ${escape(version)}</h1>
<p>Last updated ${escape(last_updated)}.</p>
${paragraphs}
<h2>Changes</h2>
<ul>
${changes}
</ul>
</body>
</html>
`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
