import { minute_ms } from '../../services/hail/time.ts';
import { positionLags, readTopicEnds, type Lag } from '../../services/log/lag.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { topics } from '../../services/log/topics.ts';
import { projectionsToRun } from '../../services/projector/prepare.ts';
import { readPositions } from '../../services/store/positions.ts';
import { readProjections } from '../../services/store/projections.ts';
import type { Around } from './around.ts';
import type { Check } from './examine.ts';
import { broken, ok, warning } from './finding.ts';

interface Reached {
  /** `observations.v1` */
  version: string;
  /** True where tables are of another log, or of more of this one than there is. */
  is_foreign: boolean;
  lags: Lag[];
}

/** Every version that the projector runs, held against the log. Positions are read after the ends: a lag is then never made up. */
async function readReached({ openLog, store }: Around): Promise<{ log: EventLog; reached: Reached[] }> {
  const log = await openLog();
  const ends = await readTopicEnds(
    log,
    Object.values(topics).map(({ name }) => name),
  );
  const reached: Reached[] = [];
  for (const { name, version, topics: read } of projectionsToRun(await readProjections(store))) {
    const positions = await readPositions(store, name, version);
    const own_ends = new Map([...ends].filter(([topic]) => (read as readonly string[]).includes(topic)));
    const { lags, foreign } = positionLags(log.id, positions, own_ends);
    // Compared with ends that are read now: what came since the first reading is not beyond the log.
    const beyond = await Promise.all(
      lags
        .filter(({ next_offset, end_offset }) => (next_offset ?? 0) > end_offset)
        .map(
          async ({ topic, partition, next_offset }) =>
            (next_offset ?? 0) > ((await log.endOffsets(topic))[partition] ?? 0),
        ),
    );
    reached.push({ version: `${name}.v${version}`, is_foreign: foreign > 0 || beyond.includes(true), lags });
  }
  return { log, reached };
}

const positions: Check = {
  name: 'positions',
  look: async (around) => {
    const { log, reached } = await readReached(around);
    const foreign = reached.filter(({ is_foreign }) => is_foreign).map(({ version }) => version);
    if (foreign.length === 0) return ok(`All tables are made from this log, ${log.id}.`);
    const view = foreign[0]?.split('.')[0] ?? 'observations';
    return broken(
      `Made from another log than this one, or from more of it than there is now: ${foreign.join(', ')}.`,
      `Bring back that log (HAILMARK_DATA_DIR, KAFKA_BROKERS), or rebuild from this one: npm run rebuild -- ${view} --accept`,
    );
  },
};

const lag: Check = {
  name: 'lag',
  look: async (around, signal) => {
    const { most_lag_ms } = around.options;
    const { log, reached } = await readReached(around);
    const behind = reached.flatMap(({ version, lags }) => {
      const waiting = lags.filter((each) => (each.lag ?? 0) > 0);
      return waiting.length === 0 ? [] : [{ version, waiting }];
    });
    if (behind.length === 0) return ok('Everything in the log can be queried.');
    const oldest = await oldestOf(
      log,
      behind.flatMap(({ waiting }) => waiting),
      signal,
    );
    const age_ms = oldest === null ? 0 : Math.max(0, around.machine_clock() - oldest);
    const counts = behind.map(
      ({ version, waiting }) => `${version} by ${waiting.reduce((sum, each) => sum + (each.lag ?? 0), 0)}`,
    );
    const says = `Messages wait for the projector, the oldest for ${inWords(age_ms)}: ${counts.join(', ')}.`;
    const remedy =
      'Does the projector run? On one machine logs/projector.log below the data folder says what it waits for; npm start starts it, ' +
      'npm run -s log -- positions shows how far it is.';
    if (age_ms >= most_lag_ms) return broken(says, remedy);
    return age_ms > minute_ms ? warning(says, remedy) : ok(says);
  },
};

/** When the oldest message that waits was appended; null where all have gone since, by retention. */
async function oldestOf(log: EventLog, waiting: readonly Lag[], signal: AbortSignal): Promise<number | null> {
  let oldest: number | null = null;
  for (const { topic, partition, next_offset } of waiting) {
    const ends = await log.endOffsets(topic);
    const from = ends.map((end, at) => (at === partition ? (next_offset ?? 0) : end));
    for await (const [message] of log.scan(topic, { from, until: ends, page_messages: 1, signal })) {
      if (message === undefined) continue;
      oldest = Math.min(oldest ?? Infinity, message.appended_at);
      break;
    }
  }
  return oldest;
}

function inWords(span_ms: number): string {
  return span_ms < 2 * minute_ms
    ? `${Math.round(span_ms / 1_000)} s`
    : `${Math.round(span_ms / minute_ms)} min`;
}

export const positionChecks: readonly Check[] = [positions, lag];
