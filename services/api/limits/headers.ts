import type { ApiKeyFact } from '../../log/facts.ts';
import type { Standing } from './limiter.ts';

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-10, both limits as items of one list. On 429 `RateLimit` names the limit that was
 * reached, and it alone.
 */
export function rateLimitHeaders(
  { per_minute, per_day }: Pick<ApiKeyFact, 'per_minute' | 'per_day'>,
  standings: readonly Standing[],
): Record<'RateLimit-Policy' | 'RateLimit', string> {
  return {
    'RateLimit-Policy': `"minute";q=${per_minute};w=60, "day";q=${per_day};w=86400`,
    RateLimit: standings
      .map(({ limit, remaining, resets_in_s }) => `"${limit}";r=${remaining};t=${resets_in_s}`)
      .join(', '),
  };
}
