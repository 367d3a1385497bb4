/** What the sandbox's page of a storm event says: columns and values, in their order. */
export const rowsOfPage = (page: string): [column: string, value: string][] =>
  [...page.matchAll(/<tr><th>([^<]*)<\/th><td>([^<]*)<\/td><\/tr>/g)].map(([, column = '', value = '']) => [
    column,
    value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  ]);
