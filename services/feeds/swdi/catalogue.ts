import { parseDay } from '../../hail/time.ts';
import { PollFailed } from '../poll-failure.ts';

/** What the inventory says it holds of a dataset: midnights UTC of its first and last day. */
export interface DatasetPeriod {
  begins_ms: number;
  ends_ms: number;
}

/** Reads the list of datasets (`/swdiws/xml`) for the period of one of them. */
export function parseCatalogue(xml: string, dataset: string): DatasetPeriod {
  for (const [, block = ''] of xml.matchAll(/<dataset>([\s\S]*?)<\/dataset>/g)) {
    if (element(block, 'dataset-url-path') !== dataset) continue;
    const [begins_ms, ends_ms] = [
      compactDay(element(block, 'begDate')),
      compactDay(element(block, 'endDate')),
    ];
    if (begins_ms !== null && ends_ms !== null && begins_ms <= ends_ms) return { begins_ms, ends_ms };
  }
  throw new PollFailed('not-the-format', `The catalogue gives no period for ${dataset}.`);
}

function element(block: string, name: string): string {
  return new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(block)?.[1] ?? '';
}

function compactDay(text: string): number | null {
  return /^\d{8}$/.test(text) ? parseDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`) : null;
}
