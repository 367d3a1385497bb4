import assert from 'node:assert/strict';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** The running service on the recorded data, as a person asks it and as the service itself does. */
export interface Recorded {
  service: TestService;
  store: Store;
  /** As a person with curl. */
  ask: (sql: string, settings?: Record<string, string>) => Promise<Response>;
  /** The same for what must be answered. */
  text: (sql: string, settings?: Record<string, string>) => Promise<string>;
  stop: () => Promise<void>;
}

/** Starts the service with the day of grids that `npm start` serves, and resolves when all of it can be queried. */
export async function startRecorded(): Promise<Recorded> {
  const made = createCleanup();
  try {
    const env = { MRMS_HISTORY: '2026-06-10/2026-06-11', MRMS_REREAD_HOURS: '6' };
    const service = made.keep(await startTestService({ env }));
    const store = createStore(service.config);
    made.keep({ stop: () => store.close() });
    await service.untilQueryable();
    const ask: Recorded['ask'] = (sql, settings = {}) => {
      const parameters = new URLSearchParams({ database: 'hailmark', ...settings });
      return fetch(`${service.clickhouse_url}/?${parameters.toString()}`, {
        method: 'POST',
        body: sql,
        headers: { 'X-ClickHouse-User': 'ann' },
      });
    };
    const text: Recorded['text'] = async (sql, settings) => {
      const response = await ask(sql, settings);
      const body = await response.text();
      assert.equal(response.status, 200, body);
      return body.trimEnd();
    };
    return { service, store, ask, text, stop: async () => made.stop() };
  } catch (error) {
    await made.stop();
    throw error;
  }
}
