import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { observeSignature } from '../../services/feeds/swdi/observe.ts';
import { columns, parseSignatures } from '../../services/feeds/swdi/parse.ts';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { day_ms, formatDay, formatSecond } from '../../services/hail/time.ts';

const recording = join(
  import.meta.dirname,
  '../../infra/sandbox/recordings/swdi/nx3hail_san-antonio-box_2026-08-27_29.reconstructed.csv',
);
const first_day = Date.parse('2006-04-01T00:00:00Z');
/** With the recorded rows of some 80 each, a day of about 1,900 signatures: a day of hail, not the worst. */
const storms_a_day = 24;
const retrieved_at = Date.parse('2026-11-20T09:17:00Z');

type Template = Omit<ObservationFact, 'supersedes'>;

/**
 * NOT REAL: facts of the shape and spread of radar signatures, for measuring. Every storm is the recorded one near San Antonio, moved to another
 * place and day and seen by radars of made-up names; the storms of a day are interleaved by time and share one document, as in a slice of the
 * inventory. The same `count` gives the same facts.
 */
export function* madeUpFacts(count: number): Generator<ObservationFact> {
  const storm = recordedStorm();
  for (let day = 0, made = 0; made < count; day += 1) {
    for (const fact of factsOfDay(storm, day)) {
      if (made === count) return;
      made += 1;
      yield fact;
    }
  }
}

function recordedStorm(): Template[] {
  const rows = readFileSync(recording, 'utf8')
    .split(/\r?\n/)
    .filter((line) => /^\d/.test(line));
  // The recording was put together from rows, so it has no trailer of its own.
  const answer = [columns.join(','), ...rows, 'summary', `count,${rows.length}`, 'totalTimeInSeconds,0', ''];
  const provenance = { document_url: '', retrieved_at, document_sha256: '', publisher_version: null };
  const observed: Template[] = [];
  for (const row of parseSignatures(Buffer.from(answer.join('\n'))))
    observed.push(observeSignature(row, () => '', provenance));
  return observed;
}

function factsOfDay(storm: readonly Template[], day: number): ObservationFact[] {
  const midnight = first_day + day * day_ms;
  const slice = formatDay(midnight);
  const provenance = {
    document_url: `https://www.ncei.noaa.gov/swdiws/csv/nx3hail/${slice.replaceAll('-', '')}:${slice.replaceAll('-', '')}?bbox=-125,24,-66.5,50`,
    retrieved_at,
    document_sha256: createHash('sha256').update(slice).digest('hex'),
    publisher_version: null,
  };
  const facts: ObservationFact[] = [];
  for (let at = 0; at < storms_a_day; at += 1) {
    const seed = day * storms_a_day + at;
    // Low-discrepancy steps over the United States, so that storms spread evenly and no two lie on one another.
    const north = ((seed * 0.754_877_666) % 1) * 18 - 4;
    const west = ((seed * 0.569_840_296) % 1) * 40 - 18;
    const radar = `${String.fromCharCode(65 + at)}${'NPTX'.charAt(day % 4)}`;
    for (const recorded of storm)
      facts.push(moved(recorded, midnight, north, west, radar, slice, provenance));
  }
  return facts.sort((a, b) => (a.began_at ?? 0) - (b.began_at ?? 0));
}

function moved(
  recorded: Template,
  midnight: number,
  north: number,
  west: number,
  radar: string,
  slice: string,
  provenance: ObservationFact['provenance'],
): ObservationFact {
  const began_at = midnight + ((recorded.began_at ?? 0) % day_ms);
  const station = `${radar}${(recorded.evidence.station ?? '').slice(-2)}`;
  // The recording spans three days that fall on one here: the day's number keeps the names of its cells apart.
  const cell_id = `${recorded.evidence.cell_id ?? ''}${new Date(recorded.began_at ?? 0).getUTCDate() % 10}`;
  const record_key = `${station}/${formatSecond(began_at)}/${cell_id}`;
  return {
    ...recorded,
    record_key,
    record_id: record_key,
    slice,
    began_at,
    ended_at: began_at,
    lat: thousandths((recorded.lat ?? 0) + north + 6),
    lon: thousandths((recorded.lon ?? 0) + west),
    supersedes: [],
    evidence: { ...recorded.evidence, station, cell_id },
    provenance,
  };
}

function thousandths(degrees: number): number {
  return Math.round(degrees * 1_000) / 1_000;
}
