import type { Clock } from '../runtime/clock.ts';
import type { FetchedBody } from '../runtime/http-client.ts';
import type { Slowness } from '../runtime/http-exchange.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { Provenance } from '../hail/observation.ts';
import type { FeedPollFact, PollFailure, SliceReading } from '../log/facts.ts';
import type { DocumentKeeper } from './documents/keeper.ts';
import type { HostQueue } from './host-queue.ts';
import type { AnyDraft } from './kinds/kind.ts';
import { stage } from './index/staging.ts';
import type { FeedIndex } from './index/feed-index.ts';
import type { FeedObserver } from './observer.ts';
import { PollFailed } from './poll-failure.ts';
import { createPublisherAccess, type AskOptions, type IfModified } from './publisher-access.ts';
import {
  publishPoll,
  publishSlices,
  type PublishedSlices,
  type PublisherDeps,
  type ReadSlice,
} from './publish.ts';

export type Mode = FeedPollFact['mode'];

/** What one answered question amounts to. */
export type Settled =
  | { outcome: 'not_modified'; read_through: number | null; detail?: string | null }
  | {
      outcome: 'read';
      read_through: number | null;
      readings: SliceReading[];
      /** Slices of the answer that were refused; a sentence for each. */
      refused?: readonly string[];
      sha256: string | null;
      detail?: string | null;
    }
  /** The answer was of no use and smaller questions take its place: nothing is published about it. */
  | { outcome: 'asked_smaller' };

export interface PollRun {
  index: FeedIndex;
  clock: Clock;
  signal: AbortSignal;
  /** Why questions of this run failed, in order. */
  failures: readonly PollFailure[];
  /** GET with the service's name; anything but status 200 is a failed poll. */
  get: (url: string, max_bytes: number, options?: AskOptions) => Promise<FetchedBody>;
  /**
   * The same, with the validators of the last body whose poll fact stands in the log. `modified: false` is a 304, or the same bytes again.
   * A slice that is not settled (`index.isSettled`) has something to mend and must be asked with `get`.
   */
  getIfModified: (url: string, max_bytes: number, options?: AskOptions) => Promise<IfModified>;
  provenance: (url: string, body: FetchedBody, publisher_version: string | null) => Provenance;
  /** Stages the document's records, then publishes what changed in the slices it speaks for. */
  publish: (
    drafts: AsyncIterable<AnyDraft> | Iterable<AnyDraft>,
    slicesOf: () => readonly ReadSlice[],
    provenance: Provenance,
  ) => Promise<PublishedSlices & { doubled: number }>;
  /**
   * Asks one question and publishes its poll fact, however it ended. Resolves with what was settled, or null where the poll failed: the
   * feed goes on with its next question.
   */
  settle: (mode: Mode, asked: string, work: () => Promise<Settled>) => Promise<Settled | null>;
}

export interface PollDeps extends PublisherDeps {
  output: LogOutput;
  queue: HostQueue;
  user_agent: string;
  timeout_ms: number;
  slow?: Slowness;
  /** Without one no document is kept. */
  documents?: DocumentKeeper;
  observer?: FeedObserver;
}

export function createPollRun(deps: PollDeps, signal: AbortSignal): PollRun {
  const { feed, publisher, index, clock, output, observer } = deps;
  const failures: PollFailure[] = [];

  const access = createPublisherAccess({ ...deps, database: index.database }, signal);
  /** Bodies of the question that is asked, by hash: kept as documents once a fact cites them. */
  const bodies = new Map<string, FetchedBody>();

  return {
    index,
    clock,
    signal,
    failures,
    get: async (...asked) => {
      observer?.ticked(feed);
      return access.get(...asked);
    },
    getIfModified: async (...asked) => {
      observer?.ticked(feed);
      return access.getIfModified(...asked);
    },
    provenance: (url, body, publisher_version) => {
      bodies.set(body.sha256, body);
      return {
        document_url: url,
        retrieved_at: clock(),
        document_sha256: body.sha256,
        publisher_version,
      };
    },
    publish: async (drafts, slicesOf, provenance) => {
      observer?.ticked(feed);
      const { doubled } = await stage(index.database, deps.kind, drafts);
      // Every body of the question: its records may come from several, and what is published in the name of all of them cites each.
      const log = [...bodies.values()].reduce(
        (before, body) => deps.documents?.before(before, body) ?? before,
        deps.log,
      );
      return { ...(await publishSlices({ ...deps, log }, slicesOf(), provenance)), doubled };
    },
    settle: async (mode, asked, work) => {
      access.begin();
      bodies.clear();
      const began_at = clock();
      const end = async (ending: Pick<FeedPollFact, 'outcome'> & Partial<FeedPollFact>): Promise<void> => {
        const poll = {
          reason: null,
          detail: null,
          read_through: null,
          readings: [],
          document_sha256: null,
          ...ending,
          ...{ feed, publisher, mode, asked, began_at, ended_at: clock() },
        };
        await publishPoll(deps, poll);
        observer?.ticked(feed);
        observer?.settled({ ...poll, span_ms: poll.ended_at - began_at });
      };
      const fail = async (reason: PollFailure, detail: string): Promise<null> => {
        failures.push(reason);
        output.warn({ feed, mode, reason, detail }, 'poll failed');
        await end({ outcome: 'failed', reason, detail });
        return null;
      };
      try {
        const settled = await work();
        if (settled.outcome === 'asked_smaller') return settled;
        const { outcome, detail = null } = settled;
        const read_through = notBefore(settled.read_through, index.cursor());
        if (outcome === 'not_modified') {
          await end({ outcome, detail, read_through });
          access.settled();
        } else {
          const { readings, sha256, refused = [] } = settled;
          if (readings.length > 0 || refused.length === 0) {
            await end({ outcome, detail, read_through, readings, document_sha256: sha256 });
          }
          if (refused.length > 0) return await fail('suspicious-withdrawal', refused.join(' '));
          access.settled();
        }
        output.info({ feed, mode, ...summaryOf(settled), span_ms: clock() - began_at }, 'poll settled');
        return settled;
      } catch (error) {
        if (!(error instanceof PollFailed)) throw error;
        return await fail(error.reason, error.message);
      }
    },
  };
}

/** The cursor never moves backwards: an earlier instant proves nothing new. */
function notBefore(read_through: number | null, cursor: number | null): number | null {
  return read_through === null || (cursor !== null && read_through < cursor) ? null : read_through;
}

function summaryOf(settled: Exclude<Settled, { outcome: 'asked_smaller' }>): Record<string, unknown> {
  if (settled.outcome === 'not_modified') return { outcome: settled.outcome };
  const total = (of: (reading: SliceReading) => number): number =>
    settled.readings.reduce((sum, each) => sum + of(each), 0);
  return {
    outcome: settled.outcome,
    slices: settled.readings.length,
    records: total(({ records }) => records),
    published: total(({ published }) => published),
    withdrawn: total(({ withdrawn }) => withdrawn),
  };
}
