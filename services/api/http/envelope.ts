import { methodology } from '../../hail/methodology/methodology.ts';
import { publishers } from '../../hail/publisher.ts';
import { formatInstant } from '../../hail/time.ts';
import type { RequestContext } from './request-context.ts';

/** The contract's envelope (2.1). */
export function envelope(data: unknown, context: RequestContext): { data: unknown; meta: unknown } {
  return {
    data,
    meta: {
      request_id: context.request_id,
      api_version: 'v1',
      methodology_version: methodology.version,
      methodology_last_updated: methodology.last_updated,
      computed_at: formatInstant(context.computed_at_ms),
      data_sources: publishers,
    },
  };
}
