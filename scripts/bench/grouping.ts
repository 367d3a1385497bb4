import { eventsAt } from '../../services/hail/event/event.ts';
import { distanceMetres } from '../../services/hail/geo/distance.ts';
import type { Observation } from '../../services/hail/observation.ts';
import { runCommand, wholeNumber } from '../../services/runtime/command.ts';
import { countByEveryPair } from './grouping/every-pair.ts';
import { groupingCases, type GroupingCase, type Random } from './grouping/storms.ts';

const help = `Measures how long the events of one question take to be found, on made-up hail (NOT REAL) at the widest radius.

  npm run bench:grouping                prints a table
  npm run bench:grouping -- --json      the same as one JSON object

  --observations 30000   how many pass the filters of each case
  --runs 21              how often each case is asked; the median counts, the least is what a machine without other work comes near to

A tenth of each case is also counted by comparing every pair, in the same run, and must come to as many events. Writes nothing.

Example:
  npm run bench:grouping -- --observations 3000 --runs 5

Exit codes: 0 done, 1 the two ways of counting disagree, 64 the command was not understood, 130 interrupted.`;

export interface GroupingMeasured {
  name: string;
  observations: number;
  events: number;
  median_ms: number;
  least_ms: number;
  /** Processor time of the thread: what remains when other work of the machine is taken out. */
  median_cpu_ms: number;
  /** Of a tenth of the observations, by the service and by comparing every pair. */
  tenth: { observations: number; median_ms: number; every_pair_ms: number };
}

/** Throws where the two ways of counting disagree: a fast wrong answer is not worth measuring. */
export function benchGrouping(options: {
  observations: number;
  runs: number;
  random: Random;
}): GroupingMeasured[] {
  return groupingCases(options.observations, options.random).map((all) => {
    const few = { ...all, observations: all.observations.slice(0, Math.ceil(options.observations / 10)) };
    const whole = measure(all, options.runs);
    const tenth = measure(few, options.runs);
    const began = performance.now();
    const by_every_pair = countByEveryPair(few.observations, (area) => speaker(area, all));
    const every_pair_ms = performance.now() - began;
    if (by_every_pair !== tenth.events)
      throw new Error(`"${all.name}": ${tenth.events} events, and ${by_every_pair} by comparing every pair`);
    return {
      name: all.name,
      observations: all.observations.length,
      ...whole,
      tenth: {
        observations: few.observations.length,
        median_ms: tenth.median_ms,
        every_pair_ms: rounded(every_pair_ms),
      },
    };
  });
}

function measure(
  { observations, filters }: GroupingCase,
  runs: number,
): Pick<GroupingMeasured, 'events' | 'median_ms' | 'least_ms' | 'median_cpu_ms'> {
  const times_ms: number[] = [];
  const cpu_times_ms: number[] = [];
  let events = 0;
  for (let run = 0; run < runs; run += 1) {
    const [began, cpu_began] = [performance.now(), cpuMs()];
    events = eventsAt(observations, filters).length;
    times_ms.push(performance.now() - began);
    cpu_times_ms.push(cpuMs() - cpu_began);
  }
  times_ms.sort((a, b) => a - b);
  cpu_times_ms.sort((a, b) => a - b);
  return {
    events,
    median_ms: rounded(times_ms[Math.floor(runs / 2)] ?? NaN),
    least_ms: rounded(times_ms[0] ?? NaN),
    median_cpu_ms: rounded(cpu_times_ms[Math.floor(runs / 2)] ?? NaN),
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The largest cell, the nearest of several, the first by index: cells stand in the order of their index. */
function speaker(area: readonly Observation[], { filters }: GroupingCase): Observation {
  const away_m = ({ lat, lon }: Observation): number => distanceMetres(filters.lat, filters.lon, lat, lon);
  const rank = (cell: Observation): number[] => [
    -(cell.size_tenths_mm ?? 0),
    away_m(cell),
    -cell.lat,
    cell.lon,
  ];
  return area.reduce((best, cell) => {
    const [one, other] = [rank(cell), rank(best)];
    const decisive = one.findIndex((part, index) => part !== other[index]);
    return decisive >= 0 && (one[decisive] ?? 0) < (other[decisive] ?? 0) ? cell : best;
  });
}

/** The same numbers on every machine: mulberry32. */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function table(measured: readonly GroupingMeasured[]): string[] {
  return measured.flatMap(({ name, observations, events, median_ms, least_ms, median_cpu_ms, tenth }) => [
    name,
    `  ${observations} observations, ${events} events: median ${median_ms} ms, least ${least_ms} ms, processor ${median_cpu_ms} ms`,
    `  a tenth of them: median ${tenth.median_ms} ms, by comparing every pair ${tenth.every_pair_ms} ms`,
  ]);
}

if (import.meta.main) {
  await runCommand({
    help,
    options: {
      json: { type: 'boolean', default: false },
      observations: { type: 'string', default: '30000' },
      runs: { type: 'string', default: '21' },
    },
    if_interrupted: 'Interrupted. Nothing was measured to its end.',
    run({ values }) {
      const measured = benchGrouping({
        observations: wholeNumber('observations', values.observations, 1),
        runs: wholeNumber('runs', values.runs, 1),
        random: seeded(1),
      });
      console.log(values.json ? JSON.stringify({ grouping: measured }) : table(measured).join('\n'));
      return 0;
    },
  });
}
