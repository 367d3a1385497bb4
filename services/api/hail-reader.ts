import { earth_radius_m, metres_per_mile } from '../hail/geo/distance.ts';
import { cellsWithin } from '../hail/geo/geohash.ts';
import { citingPublishers, type CitingPublisher } from '../hail/publisher.ts';
import { topics } from '../log/topics.ts';
import { pause } from '../runtime/clock.ts';
import { readAtPosition, type AnswerQuestion } from '../store/answer-at.ts';
import { anythingRead, readCoverage } from '../store/coverage/query.ts';
import { createQueryablePolls, newestQueryable } from '../store/feed_status/query.ts';
import { readProjections, servingVersion } from '../store/projections.ts';
import { isMissingTable, type Store } from '../store/store.ts';
import { createCellIndex, type CellIndex } from './cell-index/cell-index.ts';
import { createIndexedAnswers } from './cell-index/indexed-answers.ts';
import { storeViews } from './cell-index/store-views.ts';
import type { AskerPatience, Coverage, HailQuestion, HailReader } from './ports.ts';

interface Serving {
  observations: number;
  feeds: number;
}

export interface IndexedHailReader extends HailReader {
  /** What the cell index holds now; null without one. */
  cellsHeld: () => CellIndex['size'] | null;
}

const answer_topics = [topics.observation.name, topics.grid.name];

/**
 * The views behind the API. Which version of them answers is read with every question, so that a switch takes effect at once. Without the
 * cell index every answer is the same, only slower.
 */
export function createHailReader(
  unbounded: Store,
  options: {
    mrms_product: string;
    cell_index_bytes?: number;
    onCells?: (held: number, missing: number) => void;
  },
): IndexedHailReader {
  const { mrms_product, cell_index_bytes: max_bytes = 0, onCells } = options;
  const index = max_bytes === 0 ? null : createCellIndex({ max_bytes });
  const indexed =
    index === null
      ? null
      : createIndexedAnswers({
          ...{ index, now_ms: () => performance.now(), pause },
          ...(onCells === undefined ? {} : { onLook: onCells }),
        });
  const queryablePolls = createQueryablePolls();
  return {
    observationsNear: (question, patience) => {
      const store = within(unbounded, patience);
      return whereTablesAre(store, null, async (serving) => {
        const { from_ms, until_ms } = question;
        // Before the observations: what coverage claims is then not younger than the answer.
        const covered = await readCoverage(store, queryablePolls, {
          versions: serving,
          ...circleBox(question),
          from_ms,
          until_ms,
          mrms_product,
        });
        if (covered.size === 0 && !(await anythingRead(store, queryablePolls, serving, citingPublishers)))
          return null;
        const asked: AnswerQuestion = {
          version: serving.observations,
          topics: answer_topics,
          cells: cellsWithin(question.lat, question.lon, question.radius_mi * metres_per_mile),
          ...{ from_ms, until_ms, mrms_product },
        };
        const answer =
          indexed === null
            ? await readAtPosition(store, asked)
            : await indexed.read(storeViews(store, { topics: answer_topics, mrms_product }), asked);
        const coverage = Object.fromEntries(
          citingPublishers.map((name) => [name, covered.get(name) ?? 'none']),
        ) as Record<CitingPublisher, Coverage>;
        return { ...answer, coverage };
      });
    },
    cellsHeld: () => index?.size ?? null,
    feedsReadThrough: () =>
      whereTablesAre(unbounded, new Map<string, number>(), async (serving) => {
        const feeds = await newestQueryable(unbounded, serving);
        return new Map(feeds.map(({ feed, read_through_ms }) => [feed, read_through_ms]));
      }),
  };
}

/** The store with the asker's patience on every statement, however many an answer takes. */
function within(store: Store, { signal, deadline_ms }: AskerPatience): Store {
  return {
    ...store,
    rows: (sql, parameters) => {
      const max_execution_s = Math.max(1, Math.ceil((deadline_ms - performance.now()) / 1_000));
      return store.rows(sql, parameters, { signal, max_execution_s });
    },
  };
}

/** Before the projector has made its tables the store is there and holds nothing. */
async function whereTablesAre<T>(
  store: Store,
  nothing: T,
  work: (serving: Serving) => Promise<T>,
): Promise<T> {
  try {
    const versions = await readProjections(store);
    const observations = servingVersion(versions, 'observations');
    const feeds = servingVersion(versions, 'feeds');
    return observations === null || feeds === null ? nothing : await work({ observations, feeds });
  } catch (error) {
    if (isMissingTable(error)) return nothing;
    throw error;
  }
}

/** The box around a circle, degrees; around a pole or across the antimeridian all longitudes. */
function circleBox({ lat, lon, radius_mi }: HailQuestion): {
  west: number;
  south: number;
  east: number;
  north: number;
} {
  const angle = (radius_mi * metres_per_mile) / earth_radius_m;
  const degrees = 180 / Math.PI;
  const south = lat - angle * degrees;
  const north = lat + angle * degrees;
  const reach = Math.asin(Math.min(1, Math.sin(angle) / Math.cos(lat / degrees))) * degrees;
  const wraps = south <= -90 || north >= 90 || lon - reach < -180 || lon + reach > 180;
  return {
    south: Math.max(-90, south),
    north: Math.min(90, north),
    west: wraps ? -180 : lon - reach,
    east: wraps ? 180 : lon + reach,
  };
}
