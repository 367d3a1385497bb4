import type { OpsReports } from '../../services/runtime/ops-server.ts';
import type { Engine, LaneName } from './gateway/engine.ts';
import { asEngineError } from './gateway/errors.ts';

const lanes: readonly LaneName[] = ['services', 'people'];
/** Of ClickHouse: too many queries, and the client has gone. */
const [refused_code, cancelled_code] = [202, 394];

/** The engine with every statement of it measured: every metric of the local process by its name. */
export function measuredEngine(engine: Engine, { metrics }: OpsReports): Engine {
  const durations = metrics.histogram(
    'local_query_duration_seconds',
    'Statements of the engine, waiting for their turn included.',
    { known: { lane: lanes, outcome: ['ok', 'error', 'refused', 'cancelled'] } },
  );
  const running = metrics.gauge('local_queries_running', 'Statements that run now.', ['lane']);
  const waiting = metrics.gauge('local_queries_waiting', 'Statements that wait for their turn.', ['lane']);
  metrics.atScrape(
    'lanes',
    () => lanes.map((lane) => ({ lane, ...engine.lane(lane) })),
    (states) => {
      for (const { lane, ...state } of states ?? []) {
        running.set({ lane }, state.running);
        waiting.set({ lane }, state.waiting);
      }
    },
  );
  return {
    ...engine,
    run: async (lane, statement, signal) => {
      const began_ms = performance.now();
      let outcome = 'ok';
      try {
        return await engine.run(lane, statement, signal);
      } catch (error) {
        const { code } = asEngineError(error);
        outcome = code === refused_code ? 'refused' : code === cancelled_code ? 'cancelled' : 'error';
        throw error;
      } finally {
        durations.observe({ lane, outcome }, (performance.now() - began_ms) / 1_000);
      }
    },
  };
}
