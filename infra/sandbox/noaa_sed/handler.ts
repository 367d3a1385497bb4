import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { textResponse, type Handler } from '../handler.ts';

const path = '/pub/data/swdi/stormevents/csvfiles/';

/** The Storm Events directory: a listing in the web server's style, and the recorded files byte for byte. */
export function stormEventsDirectory(recordings: string): Handler {
  const folder = join(recordings, 'noaa_sed');
  // As on the real server, the order of the page says nothing: here by a hash of the name.
  const files = readdirSync(folder).sort((a, b) => (hash(a) < hash(b) ? -1 : 1));

  return ({ url, headers }) => {
    if (!url.pathname.startsWith(path)) return null;
    const name = url.pathname.slice(path.length);
    if (name === '') return textResponse(200, 'text/html;charset=UTF-8', listing(folder, files));
    if (!files.includes(name)) return textResponse(404, 'text/html', '<h1>404 Not Found</h1>');
    const body = readFileSync(join(folder, name));
    const etag = `"${hash(body.toString('latin1')).slice(0, 16)}"`;
    const validators = { ETag: etag, 'Last-Modified': new Date(modified(name)).toUTCString() };
    if (headers['if-none-match'] === etag) return { status: 304, headers: validators, body: Buffer.alloc(0) };
    return { status: 200, headers: { 'Content-Type': 'application/x-gzip', ...validators }, body };
  };
}

function listing(folder: string, files: readonly string[]): string {
  const rows = files.map((file) => {
    const when = new Date(modified(file)).toISOString().slice(0, 16).replace('T', ' ');
    const size = `${Math.ceil(statSync(join(folder, file)).size / 1024)}K`;
    return `<tr><td><a href="${file}">${file}</a></td><td align="right">${when}  </td><td align="right">${size}</td><td>&nbsp;</td></tr>`;
  });
  return (
    `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html>\n <head>\n  <title>Index of ${path.slice(0, -1)}</title>\n </head>\n` +
    ` <body>\n<h1>Index of ${path.slice(0, -1)}</h1>\n  <table>\n${rows.join('\n')}\n</table>\n</body></html>\n`
  );
}

/** Midnight UTC of the creation stamp in a file's name. */
function modified(file: string): number {
  const [, year, month, day] = /_c(\d{4})(\d{2})(\d{2})\./.exec(file) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day));
}

function hash(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}
