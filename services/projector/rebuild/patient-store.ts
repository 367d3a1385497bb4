import { pause } from '../../runtime/clock.ts';
import { isTransient } from '../../runtime/errors.ts';
import type { Store } from '../../store/store.ts';

const wait_ms = 500;
/** A store that is away for longer is not just being started again: the person is told, and the same command goes on later. */
const tries = 120;

/** A store that is away or busy for a moment is waited for. Everything that a rebuild writes may be written twice. */
export function createPatientStore(store: Store, signal: AbortSignal): Store {
  const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let tried = 1; ; tried += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error) || signal.aborted || tried >= tries) throw error;
        await pause(wait_ms, signal);
      }
    }
  };
  return {
    ...store,
    rows: (sql, parameters) => patiently(() => store.rows(sql, parameters)),
    command: (sql) => patiently(() => store.command(sql)),
    insert: (table, columns, rows) => patiently(() => store.insert(table, columns, rows)),
  };
}
