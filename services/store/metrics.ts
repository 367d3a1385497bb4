import { isGivenUp } from '../runtime/abort.ts';
import { isHailmarkError } from '../runtime/errors.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Patience, Store } from './store.ts';

const operations = ['rows', 'command', 'insert'] as const;
/** `given_up`: the asker has gone, which says nothing about the store. One whose time ran out has found the store too slow: `away`. */
const outcomes = ['ok', 'away', 'error', 'given_up'] as const;

export interface StoreMetrics {
  /** The store with every request of it measured. */
  measured: (store: Store) => Store;
}

/**
 * What a process sees of its store. To be made before there is one: a process that still waits for its log says that the store is not
 * known to be up, instead of nothing.
 */
export function createStoreMetrics(metrics: Metrics): StoreMetrics {
  const durations = metrics.histogram('store_request_duration_seconds', 'Requests to the store.', {
    known: { operation: operations, outcome: outcomes },
  });
  const up = metrics.gauge('store_up', '1 while the store answers: asked at each scrape.', []);
  up.set({}, 0);

  const measure = async <T>(
    operation: (typeof operations)[number],
    work: Promise<T>,
    patience: Patience | undefined,
  ): Promise<T> => {
    const began_ms = performance.now();
    let outcome: (typeof outcomes)[number] = 'ok';
    try {
      return await work;
    } catch (error) {
      const is_away = isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE');
      const is_given_up = patience !== undefined && isGivenUp(patience.signal);
      outcome = !is_away ? 'error' : is_given_up ? 'given_up' : 'away';
      throw error;
    } finally {
      durations.observe({ operation, outcome }, (performance.now() - began_ms) / 1_000);
    }
  };

  return {
    measured: (store) => {
      metrics.atScrape(
        'store',
        () => store.ping(),
        (is_up) => up.set({}, is_up === true ? 1 : 0),
      );
      return {
        ...store,
        rows: (sql, parameters, patience) => measure('rows', store.rows(sql, parameters, patience), patience),
        command: (sql) => measure('command', store.command(sql), undefined),
        insert: (table, columns, rows) => measure('insert', store.insert(table, columns, rows), undefined),
        insertBlock: (table, block) => measure('insert', store.insertBlock(table, block), undefined),
      };
    },
  };
}
