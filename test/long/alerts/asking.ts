import { pause } from '../../../services/runtime/clock.ts';
import type { TestService } from '../../support/service.ts';
import { exchangeRaw } from '../../support/raw-http.ts';

const place = '7360 E 6th St, Somerset, TX 78069';

/** One property question of a place that the sandbox knows; the status of its answer. */
export async function ask(service: Pick<TestService, 'get'>, address = place): Promise<number> {
  const parameters = { address, date_of_loss: '2026-08-28', window_days: '2' };
  const response = await service.get('/v1/property/verify', parameters);
  await response.arrayBuffer();
  return response.status;
}

/** As many questions at once, again and again with a breath in between, until `until` settles. */
export async function askUntil<T>(
  service: Pick<TestService, 'get'>,
  at_once: number,
  until: Promise<T>,
  address = place,
): Promise<T> {
  const over = new AbortController();
  const settled = until.finally(() => over.abort());
  while (!over.signal.aborted) {
    await Promise.all(Array.from({ length: at_once }, () => ask(service, address)));
    await pause(50, over.signal);
  }
  return settled;
}

/** So many requests with the key, one after another on a few connections without waiting; how many answers there were by status. */
export async function flood(
  api_url: string,
  key: string,
  { requests, connections }: { requests: number; connections: number },
): Promise<Map<number, number>> {
  const each = Math.ceil(requests / connections);
  const line = (last: boolean): string =>
    `GET /v1/property/verify HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  const text = line(false).repeat(each - 1) + line(true);
  const answers = await Promise.all(
    Array.from({ length: connections }, () => exchangeRaw(api_url, (socket) => socket.write(text))),
  );
  const counts = new Map<number, number>();
  for (const status of answers.flatMap(({ statuses }) => statuses))
    counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}
