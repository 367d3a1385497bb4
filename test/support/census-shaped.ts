import { createServer, type ServerResponse } from 'node:http';
import { freePorts } from './free-ports.ts';

/** Ways in which the real service has been seen to fail. */
export type GeocoderTrouble = 'refuse' | '500' | 'html-200' | 'hang' | 'empty' | 'not-json';

export interface TestPlaceOptions {
  /** The matched address; the typed one in upper case unless given. */
  matched?: string;
  /** Components that differ from what the matched address says. */
  components?: Record<string, string>;
  /** Adds one more match for the address instead of replacing the first. */
  another?: boolean;
}

export interface TestGeocoder {
  url: string;
  /** Places the address; coordinates are answered with all their decimals. */
  add: (address: string, lat: number, lon: number, options?: TestPlaceOptions) => void;
  /** From now on every question ends in this way; null ends the trouble. */
  fail: (kind: GeocoderTrouble | null) => void;
  /** The addresses asked for, in order, in trouble too. */
  requests: readonly string[];
  /** Ends as a killed process does: connections are cut, new ones refused. */
  die: () => Promise<void>;
  /** Comes back at the same place, with all that it knew. */
  revive: () => Promise<void>;
  stop: () => Promise<void>;
}

/** A geocoder in the Census shape whose places a test chooses. */
export async function startTestGeocoder(): Promise<TestGeocoder> {
  const places = new Map<string, unknown[]>();
  const requests: string[] = [];
  let trouble: GeocoderTrouble | null = null;
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://geocoder').searchParams.get('address') ?? '';
    requests.push(address);
    if (trouble !== null) {
      inTrouble(trouble, response);
      return;
    }
    const matches = places.get(address) ?? [];
    response.writeHead(200, { 'Content-Type': 'application/json;charset=UTF-8' });
    response.end(JSON.stringify({ result: { input: { address: { address } }, addressMatches: matches } }));
  });
  const listenAt = (port: number): Promise<void> =>
    new Promise((done, fail) => {
      server.once('error', fail);
      server.listen(port, '127.0.0.1', done);
    });
  const die = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  const [port = 0] = await freePorts(1);
  await listenAt(port);
  return {
    url: `http://127.0.0.1:${port}`,
    add: (address, lat, lon, options = {}) => {
      const before = options.another === true ? (places.get(address) ?? []) : [];
      places.set(address, [...before, matchOf(options.matched ?? address.toUpperCase(), lat, lon, options)]);
    },
    fail: (kind) => {
      trouble = kind;
    },
    requests,
    die,
    revive: () => listenAt(port),
    stop: die,
  };
}

/** A match whose components are read off `<number> <street> <suffix>, <city>, <state>[,] <zip>`. */
function matchOf(matched: string, lat: number, lon: number, options: TestPlaceOptions): unknown {
  const [, number = '', streetName = '', suffixType = '', city = '', state = '', zip = ''] =
    /^(\S+) (.+) (\S+), (.+), ([A-Z]{2}),? (\d{5})$/.exec(matched) ?? [];
  return {
    tigerLine: { side: 'L', tigerLineId: '1' },
    coordinates: { x: lon, y: lat },
    addressComponents: {
      zip,
      streetName,
      preType: '',
      city,
      preDirection: '',
      suffixDirection: '',
      fromAddress: number,
      state,
      suffixType,
      toAddress: number,
      suffixQualifier: '',
      preQualifier: '',
      ...options.components,
    },
    matchedAddress: matched,
  };
}

function inTrouble(kind: GeocoderTrouble, response: ServerResponse): void {
  switch (kind) {
    case 'refuse':
      response.destroy();
      return;
    case '500':
      response.writeHead(500, { 'Content-Type': 'text/html' }).end('<html>Internal Server Error</html>');
      return;
    case 'html-200':
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end('<html><body>Please try again</body></html>');
      return;
    case 'not-json':
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"result":');
      return;
    case 'empty':
      response.writeHead(200, { 'Content-Type': 'application/json' }).end();
      return;
    case 'hang':
  }
}
