/**
 * The work's result, or a rejection as soon as the signal aborts. The listener goes when the work is done: a race against one promise that
 * lives as long as its process would keep every result there ever was.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('told to stop'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** True where whoever waited has gone; false where its time ran out, which says something about what it waited for. */
export function isGivenUp(signal: AbortSignal): boolean {
  const { reason } = signal as { reason: unknown };
  return signal.aborted && !(reason instanceof Error && reason.name === 'TimeoutError');
}
