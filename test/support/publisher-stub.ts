import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubAnswer {
  status?: number;
  content_type?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /**
   * `hang` never answers, `reset` closes the connection, `cut` promises the whole body and sends half of it, `trickle` sends it a byte at a
   * time, `endless` never ends it.
   */
  fault?: 'hang' | 'reset' | 'cut' | 'trickle' | 'endless';
}

/** The answer to a request; null passes on. */
export type StubRule = (url: URL, headers: IncomingHttpHeaders) => StubAnswer | null;

export interface PublisherStub {
  url: string;
  /** Everything asked so far, as path and query, in order. */
  requests: string[];
  /** The names the askers gave themselves, in order. */
  user_agents: string[];
  /** What the askers would take, in order. */
  accepted: string[];
  /** The greatest number of requests that were open at once. */
  most_at_once: () => number;
  /** Answers paths that begin with `prefix`; the latest that matches wins, null passes on. Nothing that matches is a 404. */
  on: (prefix: string, answer: StubRule) => void;
  /** Every answer as it is to go out instead, from now on; null lets them be. */
  bend: (bent: ((url: URL, answer: StubAnswer) => StubAnswer) | null) => void;
  stop: () => Promise<void>;
}

/** A publisher for tests: serves what it is given at the publishers' own paths, with faults that can be switched. */
export async function startPublisherStub(): Promise<PublisherStub> {
  const rules: { prefix: string; answer: StubRule }[] = [];
  const requests: string[] = [];
  const user_agents: string[] = [];
  let bent: ((url: URL, answer: StubAnswer) => StubAnswer) | null = null;
  const accepted: string[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => (open -= 1));
    const url = new URL(request.url ?? '/', 'http://publisher');
    requests.push(url.pathname + url.search);
    user_agents.push(request.headers['user-agent'] ?? '');
    accepted.push(request.headers.accept ?? '');
    for (const { prefix, answer } of rules.toReversed()) {
      const found = url.pathname.startsWith(prefix) ? answer(url, request.headers) : null;
      if (found === null) continue;
      send(response, bent === null ? found : bent(url, found));
      return;
    }
    send(response, { status: 404, body: 'Not Found' });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    user_agents,
    accepted,
    most_at_once: () => most,
    on: (prefix, answer) => void rules.push({ prefix, answer }),
    bend: (next) => {
      bent = next;
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** How long a `trickle` waits between two bytes. */
const trickle_ms = 10;

function send(
  response: ServerResponse,
  { status = 200, content_type, body = '', headers = {}, fault }: StubAnswer,
): void {
  if (fault === 'hang') return;
  if (fault === 'reset') {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(body);
  const type = { 'Content-Type': content_type ?? 'text/plain', ...headers };
  if (fault === 'endless') {
    response.writeHead(status, type);
    const chunk = Buffer.alloc(65_536, 'x');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
    return;
  }
  response.writeHead(status, status === 304 ? headers : { ...type, 'Content-Length': bytes.length });
  if (fault === 'trickle') {
    let at = 0;
    const timer = setInterval(() => {
      if (at === bytes.length) response.end();
      else response.write(bytes.subarray(at, (at += 1)));
    }, trickle_ms);
    response.once('close', () => clearInterval(timer));
    return;
  }
  if (fault === 'cut') {
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    return;
  }
  response.end(bytes);
}

const storm_events_path = '/pub/data/swdi/stormevents/csvfiles/';

/** Serves a Storm Events directory: `files` is looked at for every request, so a test may change it between polls. */
export function serveStormEvents(stub: PublisherStub, files: Map<string, Buffer>): void {
  stub.on(storm_events_path, ({ pathname }) => {
    const name = pathname.slice(storm_events_path.length);
    if (name !== '') return files.has(name) ? { body: files.get(name) ?? '' } : null;
    // Not in order: a reader must not take the first match of a year.
    const links = [...files.keys()].sort((a, b) => (b.slice(-12) < a.slice(-12) ? 1 : -1));
    const body = links.map((each) => `<tr><td><a href="${each}">${each}</a></td></tr>`).join('\n');
    return { content_type: 'text/html', body: `<html><body><table>\n${body}\n</table></body></html>\n` };
  });
}

export interface ServedInventory {
  /** First and last day as the catalogue writes them, `YYYYMMDD`. */
  begins: string;
  ends: string;
  /** Lines `ZTIME,WSR_ID,CELL_ID,PROB,SEVPROB,MAXSIZE,LAT,LON`. */
  rows: string[];
}

/** Serves the radar inventory: its catalogue, and its rows by range; `inventory` may be changed between polls. */
export function serveInventory(stub: PublisherStub, inventory: ServedInventory): void {
  stub.on('/swdiws/xml', () => ({
    content_type: 'text/xml',
    body:
      '<?xml version="1.0" encoding="UTF-8"?>\n<swdiXmlResponse>\n<dataset>\n   <dataset-url-path>nx3hail</dataset-url-path>\n' +
      `   <begDate>${inventory.begins}</begDate>   <endDate>${inventory.ends}</endDate>\n</dataset>\n</swdiXmlResponse>\n`,
  }));
  stub.on('/swdiws/csv/nx3hail/', ({ pathname }) => {
    const [first = '', last = ''] = pathname.split('/').at(-1)?.split(':') ?? [];
    return { content_type: 'text/csv', body: inventoryAnswer(inventory.rows, first, last) };
  });
}

/** The CSV answer of the inventory for days from `first` up to, not with, `last` (`YYYYMMDD`). */
export function inventoryAnswer(rows: readonly string[], first: string, last: string): string {
  const found = rows.filter((row) => {
    const day = row.slice(0, 10).replaceAll('-', '');
    return day >= first && day < last;
  });
  const header = found.length === 0 ? [] : ['ZTIME,WSR_ID,CELL_ID,PROB,SEVPROB,MAXSIZE,LAT,LON'];
  return [...header, ...found, 'summary', `count,${found.length}`, 'totalTimeInSeconds,0.0', ''].join('\n');
}
