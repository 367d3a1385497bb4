import { z } from 'zod';
import type { AlertFact } from '../../hail/alert.ts';
import type { Provenance } from '../../hail/observation.ts';
import { PollFailed } from '../poll-failure.ts';
import { UnreadableAlert } from './feature.ts';
import { observeAlert } from './observe.ts';

/** What one answer says. */
export interface AlertsAnswer {
  features: number;
  /** Messages that speak of hail, or are warnings of the two kinds that do. */
  told: AlertFact[];
  /** All others that can be read: a cancellation says nothing of hail, and only who knows the event knows that it concerns hail. */
  silent: AlertFact[];
  /** Features that are no actual alert: tests and exercises. */
  tests: number;
  /** Features that concern hail, or may, and cannot be read; a sentence for each, without its values. */
  unreadable: string[];
  /** Those of them that do not even tell what they are about. */
  unrecognised: number;
  /** Hail tags whose text names no size: kept as they are, worth a look. */
  strange_tags: string[];
  /** The query of the next page, with its question mark; null on the last. */
  next_query: string | null;
}

const collection = z.object({
  type: z.literal('FeatureCollection'),
  features: z.array(z.unknown()),
  pagination: z.object({ next: z.string().nullish() }).nullish(),
});
const head = z.object({
  geometry: z.unknown(),
  properties: z.object({
    status: z.string(),
    event: z.string(),
    parameters: z.record(z.string(), z.unknown()),
  }),
});

/** Warnings that carry hail tags by rule; one without is read too, because a later message of it may have one. */
const hail_events: readonly string[] = ['Severe Thunderstorm Warning', 'Tornado Warning'];
const hail_vtec = /\.(SV|TO)\.W\./;

/**
 * Reads one answer of `/alerts` or `/alerts/active`. Throws `PollFailed` where it is no FeatureCollection: an error in place of alerts, or a
 * part of an answer, is never "no alerts". A feature that cannot be read costs itself only.
 */
export function parseAlerts(bytes: Buffer, provenance: Provenance): AlertsAnswer {
  const { features, pagination } = collectionOf(bytes);
  const answer: AlertsAnswer = {
    features: features.length,
    ...{ told: [], silent: [], tests: 0, unreadable: [], unrecognised: 0, strange_tags: [] },
    next_query: queryOf(pagination?.next ?? null),
  };
  for (const feature of features) takeFeature(answer, feature, provenance);
  return answer;
}

function takeFeature(answer: AlertsAnswer, feature: unknown, provenance: Provenance): void {
  const read = head.safeParse(feature);
  if (!read.success) {
    // Whether it concerns hail cannot be known.
    answer.unrecognised += 1;
    answer.unreadable.push(`${nameOf(feature)} is no alert`);
    return;
  }
  const { status, event, parameters } = read.data.properties;
  if (status !== 'Actual') {
    answer.tests += 1;
    return;
  }
  const is_told =
    parameters['maxHailSize'] !== undefined ||
    parameters['hailThreat'] !== undefined ||
    hail_events.includes(event) ||
    hail_vtec.test(String(parameters['VTEC']));
  try {
    const facts = observeAlert(feature as object, provenance);
    if (facts.length === 0) answer.tests += 1;
    (is_told ? answer.told : answer.silent).push(...facts);
    for (const { alert_key, hail_tag, max_hail_in } of is_told ? facts : []) {
      const is_none = hail_tag === null || /^0*\.?0*$/.test(hail_tag);
      if (max_hail_in === null && !is_none) answer.strange_tags.push(alert_key);
    }
  } catch (error) {
    if (!(error instanceof UnreadableAlert)) throw error;
    if (is_told) answer.unreadable.push(`${nameOf(feature)} ${error.message}`);
  }
}

function collectionOf(bytes: Buffer): z.infer<typeof collection> {
  const text = bytes.toString('utf8');
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const begins = /^\s*\{/.test(text);
    throw begins
      ? new PollFailed('truncated', 'The answer begins as JSON and is none.', { cause: error })
      : new PollFailed('not-the-format', 'The answer is no JSON.', { cause: error });
  }
  const read = collection.safeParse(document);
  if (read.success) return read.data;
  const is_error = z.object({ status: z.number(), title: z.string() }).safeParse(document).success;
  throw is_error
    ? new PollFailed('error-body', 'The answer is an error message, not alerts.')
    : new PollFailed('not-the-format', 'The answer is no collection of alerts.');
}

/**
 * The query of the next page's address. Its host and path are not followed: the publisher names its public host there, whatever host was asked.
 */
function queryOf(next: string | null): string | null {
  if (next === null) return null;
  if (!URL.canParse(next))
    throw new PollFailed('not-the-format', 'The answer names a next page that is no address.');
  return new URL(next).search;
}

/** A message's own id, where it has one, for people who look for it. */
function nameOf(feature: unknown): string {
  const read = z.object({ id: z.string() }).safeParse(feature);
  const [id = 'A feature without an id'] = /urn:oid:[\w.]+$/.exec(read.success ? read.data.id : '') ?? [];
  return id;
}
