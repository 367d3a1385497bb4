// Seeded places and windows around the recorded hail; see records.ts. Nothing here may import from services/.
import { eventsOf, miles, type OracleEvent, type Question } from './answers.ts';
import type { OracleRecord } from './records.ts';

export interface SeededQuestion extends Question {
  operation: 'verify' | 'history';
  /** The calendar days that the request names: loss date and N, or since and until. */
  loss_day: string;
  window_days: number;
  since: string;
  until_day: string;
  /** Of the three kinds that a run must hold enough of. */
  with_event: boolean;
  at_edge: boolean;
  many_sources: boolean;
}

type Kind = 'inside rim' | 'outside rim' | 'first instant' | 'last instant' | 'dense' | 'anywhere' | 'around';

const day_ms = 86_400_000;
/** Earliest day that a request may name. */
const first_day = Date.UTC(1950, 0, 1);
/** A loss date may not lie in the future of the clock that the service is asked at: days past the newest record that are taken to be over. */
const days_past_newest = 30;
/** The data give what a slot asks for within a few draws; past this many they do not have it. */
const most_draws = 500;

/** A small seeded generator (mulberry32): the same seed gives the same questions. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * `count` questions. Of every twenty, four have a record within a hundredth of a mile inside the radius and two outside it; two a record at the
 * very instant the window starts and two where it ends; four lie in dense storms, five somewhere around recorded hail, one anywhere at all.
 * A slot is drawn again until it is what it is for, so that any seed holds enough of each kind: of 200, at least 150 with an event, 100 at an
 * edge, 40 with many sources.
 */
export function seededQuestions(
  records: readonly OracleRecord[],
  seed: number,
  count: number,
): SeededQuestion[] {
  const draw = drawer(records, generator(seed));
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? 'around';
    for (let tried = 0; tried < most_draws; tried += 1) {
      const question = draw(kind);
      if (question !== null) return question;
    }
    throw new Error(`the records hold no question of the kind "${kind}"`);
  });
}

const kinds: readonly Kind[] = [
  'inside rim',
  'first instant',
  'dense',
  'around',
  'outside rim',
  'dense',
  'inside rim',
  'anywhere',
  'around',
  'last instant',
  'inside rim',
  'first instant',
  'dense',
  'around',
  'outside rim',
  'dense',
  'inside rim',
  'around',
  'around',
  'last instant',
];

function drawer(
  records: readonly OracleRecord[],
  random: () => number,
): (kind: Kind) => SeededQuestion | null {
  const between = (low: number, high: number): number => low + (high - low) * random();
  const pick = <T>(from: readonly T[]): T => {
    const one = from[Math.floor(random() * from.length)];
    if (one === undefined) throw new Error('there is nothing to pick from');
    return one;
  };
  const radar = records.filter(({ publisher }) => publisher === 'NEXRAD_SWDI');
  const at_midnight = records.filter(({ began }) => began % day_ms === 0);
  const latest_loss =
    records.reduce((latest, { began }) => Math.max(latest, began), 0) + days_past_newest * day_ms;

  return (kind) => {
    const at_instant = kind === 'first instant' || kind === 'last instant';
    const record = pick(kind === 'dense' && random() < 0.75 ? radar : at_instant ? at_midnight : records);
    const [lat, lon] =
      kind === 'anywhere'
        ? [rounded(between(28, 47), 6), rounded(between(-105, -80), 6)]
        : [rounded(record.lat + between(-0.1, 0.1), 6), rounded(record.lon + between(-0.1, 0.1), 6)];
    const away = miles(lat, lon, record.lat, record.lon);
    const radius_mi = radiusFor(kind, away, between);
    const operation = random() < 0.5 ? 'verify' : 'history';
    const window_days = 1 + Math.floor(between(0, 180));
    const { loss_day, from, until } = windowAround(record, kind, operation, window_days, between);
    if (operation === 'verify' && (loss_day < first_day || loss_day > latest_loss)) return null;
    const sizes = [0, 0.5, 0.75, 1, 1.5].filter((size) => kind === 'anywhere' || size <= record.size);
    const question: Question = { lat, lon, radius_mi, min_size_in: pick(sizes), from, until };
    const events = eventsOf(records, question);
    const seeded = {
      ...question,
      operation,
      loss_day: dayOf(loss_day),
      window_days,
      since: dayOf(from),
      until_day: dayOf(until - day_ms),
      with_event: events.length > 0,
      at_edge: isAtEdge(kind, record, question, away),
      many_sources: events.some(({ members }) => members.length >= 4),
    } satisfies SeededQuestion;
    return isWhatItIsFor(kind, seeded, events, record) ? seeded : null;
  };
}

function radiusFor(kind: Kind, away: number, between: (low: number, high: number) => number): number {
  // Rounded away from the record, so that it stays on its side of the rim.
  if (kind === 'inside rim') return Math.ceil((away + between(0, 0.008)) * 1_000) / 1_000;
  if (kind === 'outside rim') return Math.floor((away - between(0, 0.008)) * 1_000) / 1_000;
  if (kind === 'dense') return rounded(between(10, 25), 2);
  return rounded(between(kind === 'anywhere' ? 0.5 : away + 0.1, 25), 2);
}

function windowAround(
  record: OracleRecord,
  kind: Kind,
  operation: 'verify' | 'history',
  window_days: number,
  between: (low: number, high: number) => number,
): { loss_day: number; from: number; until: number } {
  const day = Math.floor(record.began / day_ms) * day_ms;
  const span = window_days * day_ms;
  const verified = (loss_day: number): { loss_day: number; from: number; until: number } => ({
    loss_day,
    from: loss_day - span,
    until: loss_day + span,
  });
  const back = Math.max(first_day, day - Math.floor(between(1, 4_000)) * day_ms);
  const on = day + Math.floor(between(1, 4_000)) * day_ms;
  if (kind === 'first instant')
    return operation === 'verify' ? verified(day + span) : { loss_day: day, from: day, until: on };
  if (kind === 'last instant')
    return operation === 'verify' ? verified(day - span) : { loss_day: day, from: back, until: day };
  if (operation === 'history') return { loss_day: day, from: back, until: on };
  return verified(day + Math.floor(between(1 - window_days, window_days)) * day_ms);
}

/** A record within 0.01 mile of the radius, or one at the instant at which the window starts or ends, that nothing else leaves out. */
function isAtEdge(kind: Kind, { began }: OracleRecord, question: Question, away: number): boolean {
  if (kind === 'inside rim' || kind === 'outside rim') return Math.abs(away - question.radius_mi) <= 0.01;
  if (kind === 'first instant') return began === question.from && away <= question.radius_mi;
  return kind === 'last instant' && began === question.until && away <= question.radius_mi;
}

function isWhatItIsFor(
  kind: Kind,
  question: SeededQuestion,
  events: readonly OracleEvent[],
  { publisher, id }: OracleRecord,
): boolean {
  if (question.radius_mi <= 0 || question.radius_mi > 25) return false;
  if (kind === 'anywhere') return true;
  if (kind === 'dense') return question.many_sources;
  if (kind === 'around') return question.with_event;
  // The record itself is cited exactly where it lies inside.
  const cited = events.some(({ members }) =>
    members.some((each) => each.publisher === publisher && each.id === id),
  );
  return question.at_edge && cited === (kind === 'inside rim' || kind === 'first instant');
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
