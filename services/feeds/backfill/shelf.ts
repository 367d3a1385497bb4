import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Box } from '../../log/facts.ts';
import { dataFolder } from '../../runtime/config.ts';
import { systemCode } from '../../runtime/errors.ts';

/** A stretch of the past that an operator wants read. */
export interface BackfillRequest {
  id: string;
  feed: string;
  /** Epoch milliseconds UTC, end exclusive. */
  from: number;
  until: number;
  /** Null is what the feed is configured for. */
  box: Box | null;
  /** Only say what there would be to read. */
  dry_run: boolean;
}

/**
 * `planning` and `reading` are under way, `waiting` is a publisher that failed and is asked again in a while; `planned` ends a dry run, `done`
 * has read everything, `incomplete` all but what `parts_failed` names; `failed` could not even be planned.
 */
export type BackfillState =
  'planning' | 'reading' | 'waiting' | 'planned' | 'done' | 'incomplete' | 'cancelled' | 'failed';

export interface PlannedPart {
  name: string;
  requests: number;
  bytes: number | null;
  is_read: boolean;
}

export interface BackfillProgress {
  id: string;
  feed: string;
  state: BackfillState;
  /** A sentence for a person where the state alone does not say it. */
  detail: string | null;
  parts: number;
  /** Of which so many are done with: read before, read now, or given up. */
  parts_done: number;
  parts_read_before: number;
  /** Names of parts that some question of failed, after all tries. */
  parts_failed: string[];
  /** What the parts that are still to be read take by the plan; bytes are null where nobody can know. */
  requests_left: number;
  bytes_left: number | null;
  /** What has been asked and has come so far. */
  requests: number;
  bytes: number;
  /** Bytes of parts that are done, as the plan had told them: what is left is told by the same measure. */
  bytes_passed: number;
  records: number;
  published: number;
  /** Time spent on reading parts, waiting and live polls in between included. */
  reading_ms: number;
  /** The part in hand. */
  part: string | null;
  /** Of a dry run. */
  plan: PlannedPart[];
  /** When this was written, by the machine's clock: an old one means that no process works on it. */
  updated_at: number;
}

/** States that nothing comes after. */
export function isOver({ state }: BackfillProgress): boolean {
  return ['planned', 'done', 'incomplete', 'cancelled', 'failed'].includes(state);
}

/**
 * Small files below the data folder, where the feed's process and the operator's command both reach them. One request a feed at a time; it
 * stands until it is over, so that a process that was killed finds it again.
 */
export interface BackfillShelf {
  ask: (request: BackfillRequest) => void;
  asked: (feed: string) => BackfillRequest | null;
  cancel: (request: BackfillRequest) => void;
  isCancelled: (request: BackfillRequest) => boolean;
  report: (progress: BackfillProgress) => void;
  /** Of the newest request that was taken up, over or not. */
  progress: (feed: string) => BackfillProgress | null;
  /** The request is over; its last progress stays. */
  finish: (progress: BackfillProgress) => void;
}

export function createBackfillShelf(data_dir: string): BackfillShelf {
  const folder = join(data_dir, 'backfills');
  const pathOf = (feed: string, kind: 'request' | 'cancel' | 'progress'): string =>
    join(folder, `${encodeURIComponent(feed)}.${kind}.json`);
  const put = (path: string, value: unknown): void => {
    dataFolder(folder);
    // Written aside and renamed: the other process never reads half a file.
    writeFileSync(`${path}.part`, JSON.stringify(value));
    renameSync(`${path}.part`, path);
  };
  /** A file that a power cut has left empty is none: it must not end the feeds at each of their starts. */
  const read = (path: string): unknown => {
    if (!existsSync(path)) return null;
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as unknown;
    } catch (error) {
      if (error instanceof SyntaxError) rmSync(path, { force: true });
      else if (systemCode(error) !== 'ENOENT') throw error;
      return null;
    }
  };

  const report = (progress: BackfillProgress): void => put(pathOf(progress.feed, 'progress'), progress);
  return {
    ask: (request) => {
      rmSync(pathOf(request.feed, 'cancel'), { force: true });
      put(pathOf(request.feed, 'request'), request);
    },
    asked: (feed) => read(pathOf(feed, 'request')) as BackfillRequest | null,
    cancel: (request) => put(pathOf(request.feed, 'cancel'), { id: request.id }),
    isCancelled: ({ feed, id }) => (read(pathOf(feed, 'cancel')) as { id: string } | null)?.id === id,
    report,
    progress: (feed) => read(pathOf(feed, 'progress')) as BackfillProgress | null,
    finish: (progress) => {
      // In this order: killed in between, the process finds a request that is read already, and passes over all of it.
      report(progress);
      rmSync(pathOf(progress.feed, 'request'), { force: true });
      rmSync(pathOf(progress.feed, 'cancel'), { force: true });
    },
  };
}
