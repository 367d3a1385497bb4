import type { Clock } from '../runtime/clock.ts';
import { isHailmarkError } from '../runtime/errors.ts';
import { fetchBody, type FetchedBody } from '../runtime/http-client.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { Provenance } from '../hail/observation.ts';
import type { FeedPollFact, SliceReading } from '../log/facts.ts';
import { stage } from './index/staging.ts';
import type { Draft } from './index/standing.ts';
import type { FeedIndex } from './index/feed-index.ts';
import { PollFailed } from './poll-failure.ts';
import { publishPoll, publishSlices, type PublisherDeps, type ReadSlice } from './publish.ts';

export type Mode = FeedPollFact['mode'];

/** What one answered question amounts to. */
export type Settled =
  | { outcome: 'not_modified'; read_through: number | null; detail?: string | null }
  | {
      outcome: 'read';
      read_through: number | null;
      readings: SliceReading[];
      sha256: string | null;
      detail?: string | null;
    };

export interface PollRun {
  index: FeedIndex;
  clock: Clock;
  signal: AbortSignal;
  /** GET with the service's name; anything but status 200 is a failed poll. */
  get: (url: string, max_bytes: number) => Promise<FetchedBody>;
  provenance: (url: string, body: FetchedBody, publisher_version: string | null) => Provenance;
  /** Stages the document's records, then publishes what changed in the slices that it is the whole truth of. */
  publish: (
    drafts: AsyncIterable<Draft> | Iterable<Draft>,
    slicesOf: () => readonly ReadSlice[],
    provenance: Provenance,
  ) => Promise<{ readings: SliceReading[]; doubled: number }>;
  /**
   * Asks one question and publishes its poll fact, however it ended. Resolves with what was settled, or null where the poll failed: the
   * feed goes on with its next question.
   */
  settle: (mode: Mode, asked: string, work: () => Promise<Settled>) => Promise<Settled | null>;
}

export interface PollDeps extends PublisherDeps {
  clock: Clock;
  output: LogOutput;
  user_agent: string;
  timeout_ms: number;
}

export function createPollRun(deps: PollDeps, signal: AbortSignal): PollRun {
  const { feed, publisher, index, clock, output } = deps;
  return {
    index,
    clock,
    signal,
    get: async (url, max_bytes) => {
      const headers = { 'User-Agent': deps.user_agent };
      const body = await fetchBody(url, { timeout_ms: deps.timeout_ms, max_bytes, headers, signal }).catch(
        (error: unknown) => {
          if (!isHailmarkError(error, 'HAIL_PUBLISHER_UNAVAILABLE') || signal.aborted) throw error;
          const too_large = error.cause instanceof RangeError;
          throw new PollFailed(too_large ? 'too-large' : 'unreachable', error.message, { cause: error });
        },
      );
      if (body.status === 200) return body;
      throw new PollFailed('http-status', `The publisher answered with status ${body.status}.`);
    },
    provenance: (url, body, publisher_version) => ({
      document_url: url,
      retrieved_at: clock(),
      document_sha256: body.sha256,
      publisher_version,
    }),
    publish: async (drafts, slicesOf, provenance) => {
      const { doubled } = await stage(index.database, drafts);
      return { readings: await publishSlices(deps, slicesOf(), provenance), doubled };
    },
    settle: async (mode, asked, work) => {
      const began_at = clock();
      const common = { feed, publisher, mode, asked, began_at };
      try {
        const settled = await work();
        const read = settled.outcome === 'read';
        await publishPoll(deps, {
          ...common,
          ended_at: clock(),
          outcome: settled.outcome,
          reason: null,
          detail: settled.detail ?? null,
          read_through: notBefore(settled.read_through, index.cursor()),
          readings: read ? settled.readings : [],
          document_sha256: read ? settled.sha256 : null,
        });
        output.info({ feed, mode, ...summaryOf(settled), span_ms: clock() - began_at }, 'poll settled');
        return settled;
      } catch (error) {
        if (!(error instanceof PollFailed)) throw error;
        output.warn({ feed, mode, reason: error.reason, detail: error.message }, 'poll failed');
        await publishPoll(deps, {
          ...common,
          ended_at: clock(),
          outcome: 'failed',
          reason: error.reason,
          detail: error.message,
          read_through: null,
          readings: [],
          document_sha256: null,
        });
        return null;
      }
    },
  };
}

/** The cursor never moves backwards: an earlier instant proves nothing new. */
function notBefore(read_through: number | null, cursor: number | null): number | null {
  return read_through === null || (cursor !== null && read_through < cursor) ? null : read_through;
}

function summaryOf(settled: Settled): Record<string, unknown> {
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
