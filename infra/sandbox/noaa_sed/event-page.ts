import { join } from 'node:path';
import { textResponse, type Handler } from '../handler.ts';
import { createEventIndex, type EventRow } from './event-index.ts';

const path = '/access/storm-events-database/event-details/';

/** The page of one event, to which a citation leads: the recorded row's columns and values. The real page's look is not recorded. */
export function stormEventPages(recordings: string): Handler {
  const find = createEventIndex(join(recordings, 'noaa_sed'));
  return ({ url }) => {
    if (!url.pathname.startsWith(path)) return null;
    const row = find(url.pathname.slice(path.length));
    if (row === null) return textResponse(404, 'text/html', '<h1>404 Not Found</h1>');
    return textResponse(200, 'text/html;charset=UTF-8', page(row));
  };
}

function page(row: EventRow): string {
  const rows = row.map(([column, value]) => `<tr><th>${escaped(column)}</th><td>${escaped(value)}</td></tr>`);
  return [
    '<!DOCTYPE html>',
    '<html><head><title>Event details, as recorded</title></head><body>',
    '<table>',
    ...rows,
    '</table>',
    '</body></html>\n',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
