import { createHash } from 'node:crypto';
import { citedPerEvent, methodology, referencedInMethodology } from '../../hail/methodology/methodology.ts';
import type { Operation } from './operation.ts';

/** GET meta/methodology (contract 2.10, 4.6). Its ETag is weak and of the data alone: the envelope differs with every request. */
export function createMethodology(options: { public_base_url: string }): Operation {
  const data = {
    methodology_version: methodology.version,
    last_updated: methodology.last_updated,
    url: `${options.public_base_url}/methodology`,
    changelog: methodology.changelog,
    publishers: {
      cited_per_event: citedPerEvent,
      referenced_in_methodology: referencedInMethodology,
      notes: methodology.notes,
    },
  };
  const etag = `W/"${createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22)}"`;
  return {
    name: 'methodology',
    path: '/meta/methodology',
    answer: () => Promise.resolve({ data, headers: { ETag: etag, 'Cache-Control': 'no-cache' } }),
  };
}
