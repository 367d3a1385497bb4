import type { DatabaseSync } from 'node:sqlite';
import { emptyIndex, openIndexDatabase } from '../../services/feeds/index/database.ts';
import { settleLetters } from '../../services/feeds/letters.ts';
import { createFeedIndex, type FeedIndex } from '../../services/feeds/index/feed-index.ts';
import { createPollRun, type PollDeps } from '../../services/feeds/poll.ts';
import type { PublisherDeps, ReadSlice } from '../../services/feeds/publish.ts';
import type { EventLog, Ownership } from '../../services/log/event-log.ts';
import { isHailmarkError, isTransient } from '../../services/runtime/errors.ts';
import type { MemoryHandle } from '../support/memory-log.ts';
import { handleOf, type Simulation } from './parts.ts';
import { draftsOf, provenanceOf, publisher, type Document } from './publisher.ts';
import { createProcess, type Process } from './turns.ts';
import { points } from '../../services/feeds/kinds/points.ts';

export const feed_name = 'simulated';

/** A slice that a poll asks for. `as_listed` reads it only where its version is news, as feeds with a listing do. */
export interface Question {
  document: Document;
  as_listed: boolean;
  /** Of how many of its records the answer tells; fewer than there are make an incomplete reading. */
  records: number;
}

/** One process that owns the feed, or believes that it does. */
export interface FeedProcess {
  process: Process;
  /** The log's own handle, without turns. */
  handle: MemoryHandle;
  database: DatabaseSync;
  deps: PublisherDeps;
  /** Asks questions one after another, some of them at once. Never two polls at a time. */
  poll: (questions: readonly (readonly Question[])[]) => void;
  /** What the owner does about letters that an operator wants retried. */
  settleLetters: () => void;
}

const nobody = new AbortController().signal;

/** Starts a process that claims the feed, with the index's file as it was found: its own, an older copy, or a new one. */
export async function startFeed(
  simulation: Simulation,
  name: string,
  database: DatabaseSync,
): Promise<FeedProcess> {
  const { turns, codec, clock, output, note } = simulation;
  const process = createProcess(name);
  const handle = simulation.log.open();
  const owner = await handle.claim(`feed/${feed_name}`);
  simulation.newest_epoch = owner.epoch;
  const log = handleOf(simulation, process, handle);
  const index = simulation.mutate.index(openIndex(simulation, log, database));
  const deps: PollDeps = {
    clock,
    feed: feed_name,
    publisher,
    kind: points,
    log,
    codec,
    index,
    owner: withoutRelease(owner),
    suspects: {
      refuse: () => undefined,
      refused: () => [],
      accept: () => false,
      isAccepted: () => false,
      anyAccepted: () => false,
      settle: () => undefined,
    },
    output,
    queue: { run: () => Promise.reject(new Error('nothing is fetched')), hold: () => undefined },
    user_agent: '',
    timeout_ms: 0,
  };

  const work = (what: string, doing: () => Promise<void>): void => {
    if (process.is_dead || turns.isBusy(process)) return;
    turns.start(process, what, async () => {
      try {
        await doing();
      } catch (error) {
        if (!isTransient(error)) throw error;
        note(() => `${name}: ${what} ends with ${(error as Error).message}`);
        // As in the runner: going on without the feed would only be refused for ever.
        if (isHailmarkError(error, 'HAIL_OWNERSHIP_LOST')) process.is_dead = true;
      }
    });
  };

  return {
    process,
    handle,
    database,
    deps,
    poll: (questions) =>
      work('poll', async () => {
        const run = createPollRun(deps, nobody);
        for (const together of questions) {
          await run.settle('live', 'https://publisher.example/', async () => {
            await index.catchUp();
            const asked = together.filter(({ document, as_listed }) => !as_listed || isNews(index, document));
            if (asked.length === 0) return { outcome: 'not_modified', read_through: null };
            note(() => `${name} reads ${asked.map(textOf).join(' and ')}`);
            const { publisher_version = null } = asked[0]?.document ?? {};
            const retrieved_at = clock();
            const drafts = asked.flatMap(({ document, records }) =>
              [...draftsOf(document, provenanceOf(document, retrieved_at))].slice(0, records),
            );
            const slices = asked.map(readSlice);
            const { readings, refused } = await run.publish(drafts, () => slices, {
              ...provenanceOf({ slice: '', publisher_version, records: new Map() }, retrieved_at),
            });
            for (const { slice, published, withdrawn, held } of readings)
              note(
                () =>
                  `${name}: slice ${slice}: ${published} published, ${withdrawn} withdrawn, held ${held.join()}`,
              );
            return { outcome: 'read', readings, refused, sha256: null, read_through: null };
          });
        }
      }),
    settleLetters: () => {
      work('letters', async () => {
        const settled = await settleLetters(deps);
        note(() => `${name}: letters: ${JSON.stringify(settled)}`);
      });
    },
  };
}

/** A new, empty index. Making one costs more than emptying one, so those of earlier seeds are used again. */
export function newDatabase({ databases, log_id }: Simulation): DatabaseSync {
  const free = databases.free.pop();
  if (free !== undefined) emptyIndex(free);
  const database = free ?? openIndexDatabase(':memory:', log_id);
  databases.used.push(database);
  return database;
}

/** An index's file as it is now, for putting back later: with what its own positions say, it is behind and never wrong. */
export async function copyOfIndex(simulation: Simulation): Promise<DatabaseSync> {
  const database = newDatabase(simulation);
  await openIndex(simulation, simulation.log.open(), database).catchUp();
  return database;
}

function openIndex(simulation: Simulation, log: EventLog, database: DatabaseSync): FeedIndex {
  return createFeedIndex(
    { log, codec: simulation.codec, database },
    { feed: feed_name, publisher, kind: points },
  );
}

/** As Storm Events decides which years to read: a newer version than the newest complete reading's, or something to mend. */
function isNews(index: FeedIndex, { slice, publisher_version }: Document): boolean {
  if (publisher_version === null) return true;
  if (publisher_version < (index.newestVersion(slice) ?? '')) return false;
  const read = index.slice(slice)?.publisher_version ?? null;
  return read === null || publisher_version > read || !index.isSettled(slice);
}

function readSlice({ document: { slice, publisher_version, records }, ...question }: Question): ReadSlice {
  const complete = question.records >= records.size;
  return { slice, from: 0, until: 1, box: null, publisher_version, complete };
}

function textOf({ document: { slice, publisher_version, records }, ...question }: Question): string {
  const version = publisher_version ?? 'no version';
  return `slice ${slice} (${version}, ${question.records} of ${records.size}: ${[...records.keys()].join()})`;
}

/** A process that dies does not release anything, and one that lives keeps what it has until it is taken. */
function withoutRelease({ resource, epoch }: Ownership): Ownership {
  return { resource, epoch, release: () => Promise.resolve() };
}
