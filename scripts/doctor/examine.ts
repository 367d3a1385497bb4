import { isHailmarkError } from '../../services/runtime/errors.ts';
import { isMissingTable } from '../../services/store/store.ts';
import type { Around } from './around.ts';
import { notChecked, type Finding, type Outcome } from './finding.ts';

type Found = Outcome | readonly Finding[];

/** One thing to look at. A check of several things gives each a name of its own below its own: `feed.nws_alerts`. */
export interface Check {
  name: string;
  look: (around: Around, signal: AbortSignal) => Found | Promise<Found>;
  /** What it means that there was no answer in time; without it nothing is known. */
  if_late?: (around: Around) => Outcome;
}

/**
 * Makes all checks at the same time, each within its deadline, so that what is away or hangs costs only its own; the findings come in the
 * order of the checks. Never throws: what a check cannot do is a finding too.
 */
export async function examine(around: Around, checks: readonly Check[]): Promise<Finding[]> {
  const found = await Promise.all(checks.map((check) => lookWithin(around, check)));
  return found.flat();
}

async function lookWithin(around: Around, check: Check): Promise<readonly Finding[]> {
  const { timeout_ms } = around.options;
  const deadline = new AbortController();
  const late = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => {
    deadline.abort();
    late.resolve(
      check.if_late?.(around) ?? notChecked(`There was no answer within ${timeout_ms / 1_000} s.`),
    );
  }, timeout_ms);
  try {
    const outcome = await Promise.race([check.look(around, deadline.signal), late.promise]);
    return isOutcome(outcome) ? [{ check: check.name, ...outcome }] : outcome;
  } catch (error) {
    return [{ check: check.name, ...whyNot(error) }];
  } finally {
    clearTimeout(timer);
  }
}

function isOutcome(found: Found): found is Outcome {
  return 'state' in found;
}

/** What is away has a check of its own, which says what to do. Told by codes, never by text. */
function whyNot(error: unknown): Outcome {
  if (isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE')) return notChecked('The store is away: see `store`.');
  if (isHailmarkError(error, 'HAIL_REGISTRY_UNAVAILABLE'))
    return notChecked('The schema registry is away: see `registry`.');
  if (isHailmarkError(error, 'HAIL_LOG_UNAVAILABLE') || isHailmarkError(error, 'HAIL_DATA_DIR'))
    return notChecked('The log cannot be read: see `log`.');
  if (isHailmarkError(error, 'HAIL_UNKNOWN_TOPIC')) return notChecked('The log lacks a topic: see `topics`.');
  if (isMissingTable(error)) return notChecked('The store has no tables yet: see `migrations`.');
  if (isHailmarkError(error)) return notChecked(error.message);
  // An unforeseen error's text may hold what was asked; its name and code do not.
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  const name = error instanceof Error ? error.name : 'an unknown error';
  return notChecked(`The check itself failed: ${name}${code}.`);
}
