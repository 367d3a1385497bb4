import { parseDay } from '../../hail/time.ts';
import { PollFailed } from '../poll-failure.ts';

/** What the inventory says it holds of a dataset: midnights UTC of its first and last day. */
export interface DatasetPeriod {
  begins_ms: number;
  ends_ms: number;
}

/** Reads the list of datasets (`/swdiws/xml`) for the period of one of them. */
export function parseCatalogue(xml: string, dataset: string): DatasetPeriod {
  for (const block of elements(xml, 'dataset')) {
    if (element(block, 'dataset-url-path') !== dataset) continue;
    const [begins_ms, ends_ms] = [
      compactDay(element(block, 'begDate')),
      compactDay(element(block, 'endDate')),
    ];
    if (begins_ms !== null && ends_ms !== null && begins_ms <= ends_ms) return { begins_ms, ends_ms };
  }
  throw new PollFailed('not-the-format', `The catalogue gives no period for ${dataset}.`);
}

/**
 * What stands between the tags of elements of a name, in order. Looked for by position, not by pattern: a pattern that may skip blanks and text
 * in more than one way takes hours over a broken page of blanks.
 */
function* elements(xml: string, name: string): Generator<string> {
  const [opening, closing] = [`<${name}>`, `</${name}>`];
  for (let from = 0; ;) {
    const begin = xml.indexOf(opening, from);
    const end = begin < 0 ? -1 : xml.indexOf(closing, begin + opening.length);
    if (end < 0) return;
    yield xml.slice(begin + opening.length, end);
    from = end + closing.length;
  }
}

/** The text of a block's first element of a name, trimmed; empty where it has none. */
function element(block: string, name: string): string {
  const [text = ''] = elements(block, name);
  return text.trim();
}

function compactDay(text: string): number | null {
  return /^\d{8}$/.test(text) ? parseDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`) : null;
}
