import type { ApiRequestFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import { apiRequestColumns, apiRequestValues, type ApiRequestRow } from '../../store/api_requests/row.ts';
import { tableName } from '../../store/projections.ts';
import type { Projection, TableRows } from '../projection.ts';

/** `hail.api-request.v1` → `api_requests`: what every key was used for, and the day counts that a new API process begins with. */
export function apiRequestsProjection(version: number): Projection<ApiRequestRow, TableRows> {
  return {
    name: 'api-requests',
    version,
    topics: [topics.api_request.name],
    schema_files: ['0013_api_requests'],
    compared: [{ table: 'api_requests', place: "concat(key_id, ' ', toString(toDate(at)))" }],
    project: (_topic, fact, key, { partition, offset }) => {
      const request = fact as ApiRequestFact;
      const problem = requestProblem(request, key);
      if (problem !== null) return { outcome: 'dead', reason: 'invalid-fact', error: problem };
      return {
        outcome: 'ok',
        change: {
          ...request,
          geohash_4: request.geohash_4 ?? '',
          log_partition: partition,
          revision: offset,
        },
      };
    },
    batch: (changes) => ({
      cells: null,
      rows: {
        table: tableName('api_requests', version),
        columns: apiRequestColumns,
        rows: changes.map(apiRequestValues),
      },
      others: [],
    }),
  };
}

/** What is wrong with a request's fact, in words without its values; null where nothing is. */
function requestProblem(request: ApiRequestFact, key: string): string | null {
  const { request_id, key_id, status, duration_ms, geohash_4 } = request;
  if (request_id !== key) return 'the fact stands under the id of another request';
  if (!/^[0-9a-f]{8}$/.test(key_id)) return 'the key id is not 8 hexadecimal characters';
  if (status !== null && (status < 100 || status > 599)) return 'the status is none of HTTP';
  if (duration_ms < 0) return 'the duration is negative';
  if (geohash_4 !== null && !/^[0-9b-hjkmnp-z]{4}$/.test(geohash_4)) return 'the cell is no geohash of 4';
  return null;
}
