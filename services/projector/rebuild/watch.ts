import { pause } from '../../runtime/clock.ts';
import { readPositions } from '../../store/positions.ts';
import { nameOf, type Projection } from '../projection.ts';
import type { Place, RebuildDeps } from './deps.ts';

const look_ms = 250;
const say_ms = 2_000;
/** The rate is that of the last so many milliseconds. */
const rate_ms = 10_000;
/** Positions that stand still for so long are worth a word. */
const standing_ms = 10_000;
/** Close enough to hold both versions: no more than this is still to come. */
const close_messages = 20_000;

/** Where every partition of a projection's topics ends now. */
export async function endsOf(
  { log }: Pick<RebuildDeps, 'log'>,
  { topics }: Pick<Projection, 'topics'>,
): Promise<Place[]> {
  const ends: Place[] = [];
  for (const topic of topics) {
    for (const [partition, offset] of (await log.endOffsets(topic)).entries())
      ends.push({ topic, partition, offset });
  }
  return ends;
}

/** How far a version has come at the given places, in their order; null where the projector has not claimed it yet. */
export async function reachedAt(
  { store, log }: Pick<RebuildDeps, 'store' | 'log'>,
  { name, version }: Projection,
  places: readonly Place[],
): Promise<(number | null)[]> {
  const positions = await readPositions(store, name, version);
  return places.map(
    ({ topic, partition }) =>
      positions.find((each) => each.topic === topic && each.partition === partition && each.log_id === log.id)
        ?.next_offset ?? null,
  );
}

export interface Meter {
  /** Takes a reading; tells the rate, the remaining time and, once in a while, that nothing moves. */
  read: (done: number, total: number) => void;
}

/** Tells how a version comes on. */
export function createMeter({ clock, say }: Pick<RebuildDeps, 'clock' | 'say'>, version: string): Meter {
  const readings: { at: number; done: number }[] = [];
  // A wait of a moment is not worth a line.
  let said_at = clock();
  let moved_at = clock();
  let stood_at = -Infinity;
  return {
    read: (done, total) => {
      const now = clock();
      if (done !== readings.at(-1)?.done) moved_at = now;
      readings.push({ at: now, done });
      while (readings.length > 2 && (readings[1]?.at ?? now) <= now - rate_ms) readings.shift();
      const first = readings[0] ?? { at: now, done };
      const per_second = now > first.at ? ((done - first.done) * 1_000) / (now - first.at) : null;
      const remaining_s =
        done >= total ? 0 : (per_second ?? 0) > 0 ? (total - done) / (per_second ?? 1) : null;
      if (now - said_at >= say_ms) {
        said_at = now;
        say({ event: 'progress', version, done, total, per_second, remaining_s });
      }
      if (done < total && now - Math.max(moved_at, stood_at) >= standing_ms) {
        stood_at = now;
        say({ event: 'standing', version, for_s: Math.round((now - moved_at) / 1_000) });
      }
    },
  };
}

/** Waits until a version has come close to the log's end, or as close as the serving one; its progress is told. */
export async function untilClose(
  deps: RebuildDeps,
  building: Projection,
  serving: Projection | null,
): Promise<void> {
  const meter = createMeter(deps, nameOf(building));
  for (;;) {
    deps.signal.throwIfAborted();
    const ends = await endsOf(deps, building);
    const total = sum(ends.map(({ offset }) => offset));
    const reached = await reachedAt(deps, building, ends);
    const done = sum(reached);
    meter.read(done, total);
    const lag = total - done;
    const serving_lag = serving === null ? 0 : total - sum(await reachedAt(deps, serving, ends));
    if (!reached.includes(null) && lag <= Math.max(close_messages, serving_lag)) return;
    await pause(look_ms, deps.signal);
  }
}

export function sum(numbers: readonly (number | null)[]): number {
  return numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
}
