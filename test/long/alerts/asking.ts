import { Agent, get } from 'node:http';
import { pause } from '../../../services/runtime/clock.ts';
import type { TestService } from '../../support/service.ts';

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

/** So many requests with the key, each connection's one after another; how many answers there were by status. */
export async function flood(
  api_url: string,
  key: string,
  { requests, connections }: { requests: number; connections: number },
): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const options = { agent, headers: { Authorization: `Bearer ${key}` } };
  const one = (): Promise<number> =>
    new Promise((done, fail) => {
      get(`${api_url}/v1/property/verify`, options, (response) => {
        response.resume();
        response.once('end', () => done(response.statusCode ?? 0));
      }).once('error', fail);
    });
  const counts = new Map<number, number>();
  let left = requests;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const status = await one();
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return counts;
}
