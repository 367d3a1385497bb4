export interface HostQueue {
  /** Runs `work` after everything that was queued for the same host has ended, whether well or not. */
  run: <T>(url: string, work: () => Promise<T>) => Promise<T>;
}

/** One request at a time for each host, over all feeds: two of them read the same publisher's servers. */
export function createHostQueue(): HostQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: (url, work) => {
      const { host } = new URL(url);
      const turn = (last.get(host) ?? Promise.resolve()).then(work);
      last.set(
        host,
        turn.catch(() => undefined),
      );
      return turn;
    },
  };
}
