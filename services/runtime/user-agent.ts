import manifest from '../../package.json' with { type: 'json' };
import type { Config } from './config.ts';

/** How the service names itself to publishers and the geocoder: what it is, which version, and whom to ask about it. */
export function userAgent({ HAILMARK_CONTACT }: Pick<Config, 'HAILMARK_CONTACT'>): string {
  return `Hailmark/${manifest.version} (+${HAILMARK_CONTACT})`;
}
