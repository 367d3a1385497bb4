import type { Clock } from '../../runtime/clock.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { ViewOptions } from '../../store/analysts.ts';
import type { Store } from '../../store/store.ts';
import type { TableComparison } from './compare.ts';
import type { SampleComparison } from './sample.ts';

/** What a rebuild tells on its way, for people and for programs. */
export type RebuildEvent =
  | { event: 'planned'; serving: string; building: string; found: boolean }
  | {
      event: 'progress';
      version: string;
      done: number;
      total: number;
      /** Null until there is something to tell it from. */
      per_second: number | null;
      remaining_s: number | null;
    }
  | { event: 'standing'; version: string; for_s: number }
  | { event: 'held'; projection: string; vector: readonly Place[] }
  | { event: 'passed_over'; projection: string }
  | ({ event: 'compared' } & TableComparison)
  | ({ event: 'sampled' } & SampleComparison)
  | { event: 'switched'; from: string; to: string }
  | { event: 'removed'; version: string; tables: readonly string[] };

export interface RebuildDeps {
  log: EventLog;
  store: Store;
  clock: Clock;
  /** A number in [0, 1): which cells are sampled. */
  random: () => number;
  say: (event: RebuildEvent) => void;
  /** How the views for analysts are made, which follow each move of the pointer. */
  views: ViewOptions;
  signal: AbortSignal;
}

/** An offset of a partition: everything before it. */
export interface Place {
  topic: string;
  partition: number;
  offset: number;
}
