import type { ApiKeyFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import { apiKeyColumns, apiKeyValues, type ApiKeyRow } from '../../store/api_keys/row.ts';
import { tableName } from '../../store/projections.ts';
import type { Projection, TableRows } from '../projection.ts';

const most_requests = 2 ** 31 - 1;

/** `hail.api-key.v1` → `api_keys`, for operators: no request is let in by it. The hash of a key stays in the log. */
export function apiKeysProjection(version: number): Projection<ApiKeyRow, TableRows> {
  return {
    name: 'api-keys',
    version,
    topics: [topics.api_key.name],
    schema_files: ['0012_api_keys'],
    compared: [{ table: 'api_keys', place: 'key_id' }],
    project: (_topic, fact, key, { partition, offset }) => {
      const state = fact as ApiKeyFact;
      const problem = keyProblem(state, key);
      if (problem !== null) return { outcome: 'dead', reason: 'invalid-fact', error: problem };
      return {
        outcome: 'ok',
        change: {
          key_id: state.key_id,
          partner: state.partner,
          per_minute: state.per_minute,
          per_day: state.per_day,
          created_at: state.created_at,
          revoked_at: state.revoked_at,
          expires_at: state.expires_at,
          replaced_by: state.replaced_by ?? '',
          log_partition: partition,
          revision: offset,
        },
      };
    },
    batch: (changes) => ({
      cells: null,
      rows: {
        table: tableName('api_keys', version),
        columns: apiKeyColumns,
        rows: changes.map(apiKeyValues),
      },
      others: [],
    }),
  };
}

/** What is wrong with a key's state, in words without its values; null where nothing is. */
function keyProblem(state: ApiKeyFact, key: string): string | null {
  if (state.key_id !== key) return 'the fact stands under the id of another key';
  if (!/^[0-9a-f]{8}$/.test(state.key_id)) return 'the id is not 8 hexadecimal characters';
  for (const limit of [state.per_minute, state.per_day])
    if (limit < 1 || limit > most_requests) return 'a limit is not a number of requests';
  return null;
}
