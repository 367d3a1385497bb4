import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Ways in which the real service has been seen to fail. */
export type GeocoderTrouble = 'refuse' | '500' | 'html-200' | 'hang' | 'empty' | 'not-json';

export interface TestGeocoder {
  url: string;
  /** Places the address; the matched address is its upper case unless given. */
  add: (address: string, lat: number, lon: number, matched?: string) => void;
  trouble: (kind: GeocoderTrouble | null) => void;
  /** How many questions were asked. */
  asked: () => number;
  stop: () => Promise<void>;
}

/** A geocoder in the Census shape whose places a test chooses. */
export async function startTestGeocoder(): Promise<TestGeocoder> {
  const places = new Map<string, { lat: number; lon: number; matched: string }>();
  let trouble: GeocoderTrouble | null = null;
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (trouble !== null) {
      inTrouble(trouble, response);
      return;
    }
    const address = new URL(request.url ?? '/', 'http://geocoder').searchParams.get('address') ?? '';
    const place = places.get(address);
    const matches =
      place === undefined
        ? []
        : [
            {
              tigerLine: { side: 'L', tigerLineId: '1' },
              coordinates: { x: place.lon, y: place.lat },
              addressComponents: { zip: '00000', city: 'X', state: 'TX', fromAddress: '1', toAddress: '99' },
              matchedAddress: place.matched,
            },
          ];
    response.writeHead(200, { 'Content-Type': 'application/json;charset=UTF-8' });
    response.end(JSON.stringify({ result: { input: { address: { address } }, addressMatches: matches } }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (address, lat, lon, matched = address.toUpperCase()) => places.set(address, { lat, lon, matched }),
    trouble: (kind) => {
      trouble = kind;
    },
    asked: () => asked,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
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
