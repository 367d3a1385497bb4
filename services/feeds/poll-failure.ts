import type { PollFailure } from '../log/facts.ts';

/** A poll that did not yield what it asked for: becomes a failed poll fact, never "no hail". */
export class PollFailed extends Error {
  readonly reason: PollFailure;
  /** The HTTP status where the reason is `http-status`: a file that is not there yet is another matter than a refusal. */
  readonly status: number | null;

  constructor(reason: PollFailure, detail: string, options: { cause?: unknown; status?: number } = {}) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'PollFailed';
    this.reason = reason;
    this.status = options.status ?? null;
  }
}
