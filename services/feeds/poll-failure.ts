import type { PollFailure } from '../log/facts.ts';

/** A poll that did not yield what it asked for: becomes a failed poll fact, never "no hail". */
export class PollFailed extends Error {
  readonly reason: PollFailure;

  constructor(reason: PollFailure, detail: string, options?: { cause?: unknown }) {
    super(detail, options);
    this.name = 'PollFailed';
    this.reason = reason;
  }
}
