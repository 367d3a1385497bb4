import { pause, systemClock, type Clock } from '../runtime/clock.ts';
import { HailmarkError } from '../runtime/errors.ts';
import { PollFailed } from './poll-failure.ts';

/** A publisher that asks for more patience than this is asked again after it: a slip of its configuration must not silence a feed. */
const longest_hold_ms = 3_600_000;
export const longest_turn_wait_ms = 900_000;

export interface HostQueue {
  /**
   * Runs `work` when its turn at the host has come: after everything queued for the same host before, whether it ended well or not, and
   * after what the host has asked to wait. Fails as `host-busy` or `told-to-wait` where that takes longer than the queue's bound.
   */
  run: <T>(url: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** No request to the URL's host for so long (at most an hour): it has asked for that. */
  hold: (url: string, span_ms: number) => void;
}

interface Host {
  is_busy: boolean;
  held_until: number;
  waiting: Waiter[];
}

interface Waiter {
  start: () => void;
}

/**
 * One request at a time for each host, over all feeds, first come first served: two of them read the same publisher's servers. Waiting is
 * bounded, so that a dead or slow host costs only the feeds that ask it, and those learn of it.
 */
export function createHostQueue(
  deps: { clock: Clock; pause: typeof pause } = { clock: systemClock, pause },
  { max_wait_ms }: { max_wait_ms: number } = { max_wait_ms: longest_turn_wait_ms },
): HostQueue {
  const { clock } = deps;
  const hosts = new Map<string, Host>();

  const hostOf = (url: string): Host => {
    const { host } = new URL(url);
    const known = hosts.get(host) ?? { is_busy: false, held_until: -Infinity, waiting: [] };
    hosts.set(host, known);
    return known;
  };

  /** Resolves holding the host's turn. */
  const takeTurn = async (host: Host, signal: AbortSignal): Promise<void> => {
    if (!host.is_busy) {
      host.is_busy = true;
      return;
    }
    const turn = Promise.withResolvers<undefined>();
    const waiter: Waiter = { start: () => turn.resolve(undefined) };
    host.waiting.push(waiter);
    const giving_up = new AbortController();
    const ended = AbortSignal.any([signal, giving_up.signal]);
    const is_turn = await Promise.race([
      turn.promise.then(() => true),
      deps.pause(max_wait_ms, ended).then(() => false),
    ]);
    giving_up.abort();
    if (is_turn) return;
    const place = host.waiting.indexOf(waiter);
    if (place >= 0) host.waiting.splice(place, 1);
    else passOn(host);
    throw stopped(signal) ?? new PollFailed('host-busy', `No turn at the host within ${max_wait_ms} ms.`);
  };

  const passOn = (host: Host): void => {
    const next = host.waiting.shift();
    if (next === undefined) host.is_busy = false;
    else next.start();
  };

  const requireSoon = (host: Host, left_ms: number): void => {
    if (host.held_until - clock() <= left_ms) return;
    const until = new Date(host.held_until).toISOString();
    throw new PollFailed('told-to-wait', `The publisher asked for no request before ${until}.`);
  };

  return {
    run: async (url, work, signal = new AbortController().signal) => {
      const host = hostOf(url);
      const came_at = clock();
      requireSoon(host, max_wait_ms);
      await takeTurn(host, signal);
      try {
        // The host may have asked for patience while this one stood in line.
        while (host.held_until > clock()) {
          requireSoon(host, max_wait_ms - (clock() - came_at));
          await deps.pause(host.held_until - clock(), signal);
          const error = stopped(signal);
          if (error !== null) throw error;
        }
        return await work();
      } finally {
        passOn(host);
      }
    },
    hold: (url, span_ms) => {
      const host = hostOf(url);
      host.held_until = Math.max(host.held_until, clock() + Math.min(span_ms, longest_hold_ms));
    },
  };
}

function stopped(signal: AbortSignal): HailmarkError | null {
  return signal.aborted
    ? new HailmarkError('HAIL_PUBLISHER_UNAVAILABLE', 'Told to stop while waiting for a turn.')
    : null;
}
