import type { Provenance } from '../../hail/observation.ts';
import { formatDay } from '../../hail/time.ts';
import { joinUrl } from '../../runtime/http-client.ts';
import type { Box, SliceReading } from '../../log/facts.ts';
import { byMonth, stretches, type Days } from '../days.ts';
import type { Draft } from '../kinds/points.ts';
import type { Mode, PollRun, Settled } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import { observeSignature } from './observe.ts';
import { parseSignatures } from './parse.ts';
import { daySlices, halves, sliceName } from './slices.ts';

/** Filtered signatures (probability 100 %, a size); the unfiltered data set is another matter. */
export const dataset = 'nx3hail';
/** About a million rows; more is asked for in smaller pieces. */
const max_answer_bytes = 64 * 1024 * 1024;
/**
 * Other readers guard against answers that are silently cut at this many rows; whether the `count` of such an answer would tell is not known.
 * So an answer of exactly so many is asked for in halves. A single day of them stands, since its count agrees.
 */
const suspected_ceiling_rows = 10_000;

/** What days are asked for, and how far the inventory reaches. */
export interface Asking {
  mode: Mode;
  box: Box;
  /** Midnight of the inventory's last day, which may still be filling: days before it are whole. */
  whole_until: number;
  /** The instant through which the publisher has been read, once the readings count; null where they prove no freshness. */
  readThrough: (readings: readonly SliceReading[]) => number | null;
}

/**
 * Asks for days by calendar month, since the service refuses more than 744 hours at once; each question ends as a poll fact. The CSV form is
 * the one that is asked for: it alone ends with a count that proves the answer whole and was seen so. JSON, XML and GeoJSON hold the same
 * rows; the bulk files of whole years (`hail-YYYY.csv.gz`) are known from hearsay only and are not read.
 */
export function createAsker(base_url: string): {
  askAll: (run: PollRun, days: readonly number[], asking: Asking) => Promise<void>;
} {
  const urlOf = ({ from, until }: Days, box: Box): string => {
    const [first, last] = [formatDay(from), formatDay(until)].map((day) => day.replaceAll('-', ''));
    const sides = [box.west, box.south, box.east, box.north].join(',');
    return joinUrl(base_url, `/swdiws/csv/${dataset}/${first}:${last}?bbox=${sides}`);
  };

  const readDays = async (run: PollRun, days: Days, asking: Asking): Promise<Settled> => {
    const { box, whole_until } = asking;
    const url = urlOf(days, box);
    const body = await run.get(url, max_answer_bytes);
    const provenance = run.provenance(url, body, null);
    const slicesOf = (): ReturnType<typeof daySlices> => daySlices(days, box, whole_until);
    const { readings, refused, doubled } = await run.publish(
      signaturesOf(body.bytes, days, box, provenance),
      slicesOf,
      provenance,
    );
    return {
      outcome: 'read',
      readings,
      refused,
      sha256: body.sha256,
      read_through: asking.readThrough(readings),
      detail:
        doubled === 0
          ? null
          : `${doubled} rows came again under a station, time and cell with other content, the largest size counts.`,
    };
  };

  /** Asks for a stretch; where the answer is not whole or too large, for its halves, down to a day. */
  const ask = async (run: PollRun, days: Days, asking: Asking): Promise<void> => {
    if (run.signal.aborted) return;
    const smaller = halves(days);
    const settled = await run.settle(asking.mode, urlOf(days, asking.box), async () => {
      try {
        return await readDays(run, days, asking);
      } catch (error) {
        const is_too_much =
          error instanceof PollFailed && (error.reason === 'count-mismatch' || error.reason === 'too-large');
        if (is_too_much && smaller !== null) return { outcome: 'asked_smaller' };
        throw error;
      }
    });
    if (settled?.outcome !== 'asked_smaller' || smaller === null) return;
    for (const half of smaller) await ask(run, half, asking);
  };

  return {
    askAll: async (run, days, asking) => {
      for (const chunk of stretches(days).flatMap(byMonth)) await ask(run, chunk, asking);
    },
  };
}

/**
 * The signatures of an answer, row by row. Fails as `PollFailed` where the bytes are no whole answer to the days and the box asked for,
 * which is known only after the last row.
 */
export function* signaturesOf(bytes: Buffer, days: Days, box: Box, provenance: Provenance): Generator<Draft> {
  let rows = 0;
  for (const row of parseSignatures(bytes)) {
    rows += 1;
    const draft = observeSignature(row, (at) => sliceName(at, box), provenance);
    requireInside(draft, days, box);
    yield draft;
  }
  if (rows === suspected_ceiling_rows && halves(days) !== null) {
    throw new PollFailed(
      'count-mismatch',
      `The answer has exactly ${rows} rows and may have been cut there.`,
    );
  }
}

/** A row outside of what was asked for means another question was answered. The box's edges may be rounded by the service. */
function requireInside({ began_at, lat, lon }: Draft, { from, until }: Days, box: Box): void {
  const in_time = began_at !== null && began_at >= from && began_at < until;
  const slack = 0.01;
  const in_box =
    lat === null ||
    lon === null ||
    (lat >= box.south - slack &&
      lat <= box.north + slack &&
      lon >= box.west - slack &&
      lon <= box.east + slack);
  if (!in_time || !in_box)
    throw new PollFailed('not-the-format', 'The answer has rows outside of the days and the box asked for.');
}
