import type { AlertFact } from '../../hail/alert.ts';
import type { Provenance } from '../../hail/observation.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { PollRun } from '../poll.ts';
import { parseAlerts, type AlertsAnswer } from './answer.ts';

const max_answer_bytes = 64 * 1024 * 1024;
/** At 500 messages a page far more than a day has; a publisher whose pages never end is not followed for ever. */
const most_pages = 60;

/** A whole answer, of one page or several. */
export interface ReadAlerts extends Omit<AlertsAnswer, 'next_query'> {
  /** True when the last page was read. */
  complete: boolean;
  pages: number;
  /** Of the first page: what was sent since it came may be missing. */
  provenance: Provenance;
}

/** Asks for a list of alerts and for all its pages. Throws `PollFailed` where any of them is no answer. */
export async function readAlerts(
  run: PollRun,
  asked: { base: string; path: string; query: string },
): Promise<ReadAlerts> {
  const askPage = async (query: string): Promise<{ page: AlertsAnswer; provenance: Provenance }> => {
    const url = joinUrl(asked.base, asked.path + query);
    const body = await run.get(url, max_answer_bytes, { headers: { Accept: 'application/geo+json' } });
    const provenance = run.provenance(url, body, null);
    return { page: parseAlerts(body.bytes, provenance), provenance };
  };
  const { page: first, provenance } = await askPage(asked.query);
  const pages = [first];
  let next_query = first.next_query;
  while (next_query !== null && pages.length < most_pages) {
    const { page } = await askPage(next_query);
    pages.push(page);
    next_query = page.next_query;
  }
  const total = (of: (page: AlertsAnswer) => number): number =>
    pages.reduce((sum, page) => sum + of(page), 0);
  return {
    features: total(({ features }) => features),
    told: pages.flatMap(({ told }) => told),
    silent: pages.flatMap(({ silent }) => silent),
    tests: total(({ tests }) => tests),
    unreadable: pages.flatMap(({ unreadable }) => unreadable),
    unrecognised: total(({ unrecognised }) => unrecognised),
    strange_tags: pages.flatMap(({ strange_tags }) => strange_tags),
    complete: next_query === null,
    pages: pages.length,
    provenance,
  };
}

/**
 * What of an answer concerns hail: what speaks of it, and every message of an event that was spoken of, in this answer or before. A
 * cancellation names no hail, so it is known by its event only.
 */
export function ofHail(
  { told, silent }: Pick<ReadAlerts, 'told' | 'silent'>,
  isKnown: (alert_key: string) => boolean,
): AlertFact[] {
  const events = new Set(told.map(({ alert_key }) => alert_key));
  return [...told, ...silent.filter(({ alert_key }) => events.has(alert_key) || isKnown(alert_key))];
}
