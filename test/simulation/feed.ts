import type { DatabaseSync } from 'node:sqlite';
import { emptyIndex, openIndexDatabase } from '../../services/feeds/index/database.ts';
import { settleLetters } from '../../services/feeds/letters.ts';
import { createFeedIndex, type FeedIndex } from '../../services/feeds/index/feed-index.ts';
import { createPollRun, type PollDeps } from '../../services/feeds/poll.ts';
import type { PublisherDeps } from '../../services/feeds/publish.ts';
import type { EventLog, Ownership } from '../../services/log/event-log.ts';
import { isHailmarkError, isTransient } from '../../services/runtime/errors.ts';
import type { MemoryHandle } from '../support/memory-log.ts';
import { handleOf, type Simulation } from './parts.ts';
import type { Ask, Side } from './side.ts';
import { createProcess, type Process } from './turns.ts';

/** One process that owns the feed, or believes that it does. */
export interface FeedProcess {
  process: Process;
  /** The log's own handle, without turns. */
  handle: MemoryHandle;
  database: DatabaseSync;
  deps: PublisherDeps;
  /** Asks questions one after another. Never two polls at a time. */
  poll: (asks: readonly Ask[]) => void;
  /** What the owner does about letters that an operator wants retried. */
  settleLetters: () => void;
}

const nobody = new AbortController().signal;

/** Starts a process that claims the feed, with the index's file as it was found: its own, an older copy, or a new one. */
export async function startFeed(
  simulation: Simulation,
  side: Side,
  name: string,
  database: DatabaseSync,
): Promise<FeedProcess> {
  const { turns, codec, clock, output, note } = simulation;
  const process = createProcess(name);
  const handle = simulation.log.open();
  const owner = await handle.claim(`feed/${side.feed}`);
  simulation.newest_epochs.set(owner.resource, owner.epoch);
  const log = handleOf(simulation, process, handle);
  const kind = simulation.mutate.kind(side.kind);
  const index = simulation.mutate.index(openIndex(simulation, { ...side, kind }, log, database), kind);
  const deps: PollDeps = {
    clock,
    feed: side.feed,
    publisher: side.publisher,
    kind,
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
    poll: (asks) =>
      work('poll', async () => {
        const run = createPollRun(deps, nobody);
        for (const ask of asks) await ask({ run, name, clock, note });
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
export async function copyOfIndex(simulation: Simulation, side: Side): Promise<DatabaseSync> {
  const database = newDatabase(simulation);
  await openIndex(simulation, side, simulation.log.open(), database).catchUp();
  return database;
}

function openIndex(
  { codec }: Simulation,
  names: Pick<Side, 'feed' | 'publisher' | 'kind'>,
  log: EventLog,
  database: DatabaseSync,
): FeedIndex {
  const { feed, publisher, kind } = names;
  return createFeedIndex({ log, codec, database }, { feed, publisher, kind });
}

/** A process that dies does not release anything, and one that lives keeps what it has until it is taken. */
function withoutRelease({ resource, epoch }: Ownership): Ownership {
  return { resource, epoch, release: () => Promise.resolve() };
}
