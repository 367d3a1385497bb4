import { switchFault, type Faults } from './faults.ts';
import { textResponse, type SandboxResponse } from './handler.ts';

/** The sandbox's own path, below which no publisher has any. */
export const control_path = '/sandbox/faults';

/** `POST ?feed=&kind=` switches one fault on, or off with `none`; every answer but a refusal is the faults that are on, as JSON. */
export function answerControl(faults: Faults, method: string | undefined, url: URL): SandboxResponse {
  if (method === 'POST') {
    const ask = (name: string): string => url.searchParams.get(name) ?? '';
    const problem = switchFault(faults, ask('feed'), ask('kind'));
    if (problem !== null) return textResponse(400, 'text/plain', `${problem}\n`);
  } else if (method !== 'GET' && method !== 'HEAD') {
    return textResponse(405, 'text/plain', 'Method not allowed\n');
  }
  return textResponse(200, 'application/json', `${JSON.stringify(Object.fromEntries(faults))}\n`);
}
