import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../services/runtime/clock.ts';
import { cocorahsExport } from './cocorahs/handler.ts';
import { control_path, answerControl } from './control.ts';
import type { FaultKind, Faults, SandboxFeed } from './faults.ts';
import { censusGeocoder } from './geocoder/handler.ts';
import { textResponse, type Handler, type SandboxResponse } from './handler.ts';
import { mrmsBucket } from './mrms/handler.ts';
import { stormEventPages } from './noaa_sed/event-page.ts';
import { stormEventsDirectory } from './noaa_sed/handler.ts';
import { weatherAlerts } from './nws/handler.ts';
import { send, sendFaulty } from './send.ts';
import { stormPredictionCenter } from './spc/handler.ts';
import { swdiService } from './swdi/handler.ts';

const recordings = join(import.meta.dirname, 'recordings');

export interface SandboxOptions {
  /** The time that the publishers answer by; by default the machine's. */
  clock?: Clock;
  /** The faults that are on; the caller may change it while the sandbox runs, and so does its control path. */
  faults?: Faults;
  /** The pause after each byte of a slow answer, a second by default. */
  slow_byte_ms?: number;
}

interface Publisher {
  feed: SandboxFeed;
  handler: Handler;
}

/** Recorded publishers at their own paths, on one port. The caller listens and closes. */
export function createSandbox(options: SandboxOptions = {}): Server {
  const { clock = systemClock, faults = new Map<SandboxFeed, FaultKind>(), slow_byte_ms = 1_000 } = options;
  const publishers: Publisher[] = [
    { feed: 'mrms_mesh', handler: mrmsBucket(recordings) },
    { feed: 'storm_events', handler: stormEventsDirectory(recordings) },
    { feed: 'storm_events', handler: stormEventPages(recordings) },
    { feed: 'radar_hail', handler: swdiService(recordings) },
    { feed: 'local_storm_reports', handler: stormPredictionCenter(recordings) },
    { feed: 'cocorahs_hail', handler: cocorahsExport(recordings) },
    { feed: 'nws_alerts', handler: weatherAlerts(recordings) },
    { feed: 'geocoder', handler: censusGeocoder(recordings) },
  ];
  return createServer((request, response) => {
    // As a publisher of that time would: whoever compares clocks must find ours right.
    response.setHeader('Date', new Date(clock()).toUTCString());
    const sending = { head_only: request.method === 'HEAD', slow_byte_ms };
    const url = urlOf(request);
    if (url?.pathname === control_path) {
      send(response, answerControl(faults, request.method, url), sending);
      return;
    }
    const { answer, fault } = answerOf(publishers, request, url, { faults, now_ms: clock() });
    if (fault === undefined) send(response, answer, sending);
    else sendFaulty(response, answer, fault, sending);
  });
}

/** Null for a target that is no URL, which no publisher has anything at. */
function urlOf({ url = '/' }: IncomingMessage): URL | null {
  return URL.parse(`http://sandbox${url.startsWith('/') ? url : `/${url}`}`);
}

function answerOf(
  publishers: readonly Publisher[],
  { method, headers }: IncomingMessage,
  url: URL | null,
  { faults, now_ms }: { faults: Faults; now_ms: number },
): { answer: SandboxResponse; fault?: FaultKind } {
  if (method !== 'GET' && method !== 'HEAD') {
    return { answer: textResponse(405, 'text/plain', 'Method not allowed\n') };
  }
  if (url === null) return { answer: nothing() };
  for (const { feed, handler } of publishers) {
    const fault = faults.get(feed);
    const answer = handler({ url, headers, now_ms, without_newest: fault === 'stale-listing' });
    if (answer !== null) return fault === undefined ? { answer } : { answer, fault };
  }
  return url.pathname === '/'
    ? { answer: textResponse(200, 'text/plain', 'Recorded publishers; see infra/sandbox/README.md\n') }
    : { answer: nothing() };
}

function nothing(): SandboxResponse {
  return textResponse(404, 'text/plain', 'Nothing is recorded at this path.\n');
}
