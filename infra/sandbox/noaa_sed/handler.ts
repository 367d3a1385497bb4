import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { textResponse, type Handler } from '../handler.ts';
import { validated } from '../validators.ts';

const path = '/pub/data/swdi/stormevents/csvfiles/';

/**
 * The Storm Events directory at the sandbox's time: a listing in the web server's style, and the recorded files byte for byte. A file whose
 * stamp is yet to come is not there yet.
 */
export function stormEventsDirectory(recordings: string): Handler {
  const folder = join(recordings, 'noaa_sed');
  // As on the real server, the order of the page says nothing: here by a hash of the name.
  const recorded = readdirSync(folder).sort((a, b) => (hash(a) < hash(b) ? -1 : 1));

  return (request) => {
    const { pathname } = request.url;
    if (!pathname.startsWith(path)) return null;
    const name = pathname.slice(path.length);
    const files = recorded.filter((file) => modified(file) <= request.now_ms);
    if (name === '') {
      const newest = newestDetails(files);
      const listed = request.without_newest ? files.filter((file) => file !== newest) : files;
      const page = textResponse(200, 'text/html;charset=UTF-8', listing(folder, listed));
      return validated(request, page, { modified_ms: Math.max(0, ...listed.map(modified)) });
    }
    if (!files.includes(name)) return textResponse(404, 'text/html', '<h1>404 Not Found</h1>');
    const body = readFileSync(join(folder, name));
    const file = { status: 200, headers: { 'Content-Type': 'application/x-gzip' }, body };
    return validated(request, file, { modified_ms: modified(name) });
  };
}

/** The details file with the latest creation stamp; of several, the latest year. */
function newestDetails(files: readonly string[]): string | undefined {
  const details = files.filter((file) => file.includes('_details-'));
  return details.sort((a, b) => modified(b) - modified(a) || (a < b ? 1 : -1))[0];
}

/** The page as Apache writes it, with the links that are no files: sort orders and the parent. */
function listing(folder: string, files: readonly string[]): string {
  const title = `Index of ${path.slice(0, -1)}`;
  const head = [
    ['N', 'Name'],
    ['M', 'Last modified'],
    ['S', 'Size'],
    ['D', 'Description'],
  ].map(([column, name]) => `<th><a href="?C=${column};O=A">${name}</a></th>`);
  const rule = '<tr><th colspan="4"><hr></th></tr>';
  const rows = files.map((file) => {
    const when = new Date(modified(file)).toISOString().slice(0, 16).replace('T', ' ');
    const size = shortSize(statSync(join(folder, file)).size);
    return `<tr><td><a href="${file}">${file}</a></td><td align="right">${when}  </td><td align="right">${size}</td><td>&nbsp;</td></tr>`;
  });
  return [
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">',
    `<html>\n <head>\n  <title>${title}</title>\n </head>\n <body>\n<h1>${title}</h1>\n  <table>`,
    `<tr>${head.join('')}</tr>`,
    rule,
    '<tr><td><a href="/pub/data/swdi/stormevents/">Parent Directory</a></td><td>&nbsp;</td><td align="right">  - </td><td>&nbsp;</td></tr>',
    ...rows,
    rule,
    '</table>\n</body></html>\n',
  ].join('\n');
}

/** `97`, `13K`, `1.3M`, as Apache writes sizes. */
function shortSize(bytes: number): string {
  if (bytes < 1024) return String(bytes);
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)}K` : `${(bytes / 1024 / 1024).toFixed(1)}M`;
}

/** Midnight UTC of the creation stamp in a file's name. */
function modified(file: string): number {
  const [, year, month, day] = /_c(\d{4})(\d{2})(\d{2})\./.exec(file) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day));
}

function hash(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}
