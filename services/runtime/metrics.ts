import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { unlessAborted } from './abort.ts';

/** Values of labels by name. They come from small closed sets: never a key, an address, a URL or the id of a request. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;

/** For each label the values that are known beforehand: a counter or histogram stands at 0 for all of them, because a rate needs the zero. */
export type KnownLabels<Name extends string> = Readonly<Record<Name, readonly string[]>>;

export interface CounterMetric<Name extends string = never> {
  add: (labels: Labels<Name>, by?: number) => void;
}

export interface GaugeMetric<Name extends string = never> {
  set: (labels: Labels<Name>, value: number) => void;
  /** These values and no others. None leaves the gauge out, which says "not known" where a 0 would lie. */
  replace: (values: readonly (readonly [Labels<Name>, number])[]) => void;
}

export interface HistogramMetric<Name extends string = never> {
  observe: (labels: Labels<Name>, seconds: number) => void;
  /** The same for one set of labels: for loops over many values. */
  observerOf: (labels: Labels<Name>) => (seconds: number) => void;
}

/** The text that Prometheus reads. */
export interface MetricsPage {
  content_type: string;
  text: string;
}

export interface Metrics {
  counter: <Name extends string = never>(
    name: string,
    help: string,
    known: KnownLabels<Name>,
  ) => CounterMetric<Name>;
  gauge: <Name extends string = never>(
    name: string,
    help: string,
    labels: readonly Name[],
  ) => GaugeMetric<Name>;
  histogram: <Name extends string = never>(
    name: string,
    help: string,
    options: { known: KnownLabels<Name>; buckets?: readonly number[] },
  ) => HistogramMetric<Name>;
  /**
   * Something that is asked for at each scrape, and `show` of what it came to: null where it failed or was late. It is never asked twice
   * at once, so that scrapes of a store that hangs do not pile up in it.
   */
  atScrape: <T>(reading: string, read: () => Promise<T> | T, show: (value: T | null) => void) => void;
  /** The page, at the latest after about `patience_ms`. Never rejects: what cannot be read is left out. */
  page: (patience_ms: number) => Promise<MetricsPage>;
}

const prefix = 'hailmark_';
/** From a lookup in memory to a request that takes all its time. */
const usual_buckets_s = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Gauges whose names end like counters, which Prometheus' own check refuses. The same numbers by kind of handle are there beside them. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * The metrics of one process, in a registry of their own. This is the only file that knows the library: a room names its metrics in its own
 * `metrics.ts` and hands callbacks to its parts.
 */
export function createMetrics(
  { process, version }: { process: string; version: string },
  onReadingFailed: (reading: string, error: unknown) => void = () => undefined,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix });
  for (const name of misnamed) registry.removeSingleMetric(prefix + name);
  const readings: ((late: AbortSignal) => Promise<void>)[] = [];

  const gauge: Metrics['gauge'] = (name, help, labels) => {
    const made = new Gauge({ name: prefix + name, help, labelNames: [...labels], registers: [registry] });
    // The library begins a gauge without labels at 0; nothing has been said of it yet.
    if (labels.length === 0) made.remove();
    return {
      set: (values, value) => made.set(values, value),
      replace: (values) => {
        made.reset();
        if (labels.length === 0) made.remove();
        for (const [each, value] of values) made.set(each, value);
      },
    };
  };
  const counter: Metrics['counter'] = (name, help, known) => {
    const labelNames = Object.keys(known) as (keyof typeof known & string)[];
    const made = new Counter({ name: prefix + name, help, labelNames, registers: [registry] });
    for (const labels of combinations(known)) made.inc(labels, 0);
    return { add: (labels, by = 1) => made.inc(labels, by) };
  };

  const failures = counter(
    'scrape_reading_failures_total',
    'Readings at a scrape that failed or were late.',
    {
      reading: [],
    },
  );
  let page: Promise<MetricsPage> | null = null;
  const makePage = async (patience_ms: number): Promise<MetricsPage> => {
    const late = AbortSignal.timeout(patience_ms);
    await Promise.all(readings.map((reading) => reading(late)));
    return { content_type: registry.contentType, text: await registry.metrics() };
  };
  gauge('build_info', 'What runs here; always 1.', ['process', 'version']).set({ process, version }, 1);

  return {
    counter,
    gauge,
    histogram: (name, help, { known, buckets = usual_buckets_s }) => {
      const labelNames = Object.keys(known) as (keyof typeof known & string)[];
      const made = new Histogram({
        ...{ name: prefix + name, help, labelNames, buckets: [...buckets] },
        registers: [registry],
      });
      for (const labels of combinations(known)) made.zero(labels);
      return {
        observe: (values, seconds) => made.observe(values, seconds),
        observerOf: (values) => {
          const child = made.labels(values);
          return (seconds) => child.observe(seconds);
        },
      };
    },
    atScrape: (reading, read, show) => {
      failures.add({ reading }, 0);
      let is_under_way = false;
      readings.push(async (late) => {
        if (is_under_way) {
          failures.add({ reading });
          show(null);
          return;
        }
        is_under_way = true;
        const work = Promise.resolve().then(read);
        const over = (): void => void (is_under_way = false);
        work.then(over, over);
        try {
          show(await unlessAborted(work, late));
        } catch (error) {
          failures.add({ reading });
          show(null);
          onReadingFailed(reading, error);
        }
      });
    },
    page: (patience_ms) => {
      // Two scrapers that come together get one page, or the readings of one would be under way for the other, and missing.
      page ??= makePage(patience_ms).finally(() => (page = null));
      return page;
    },
  };
}

/** Every combination of the known values. */
function combinations<Name extends string>(known: KnownLabels<Name>): Labels<Name>[] {
  let found: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries<readonly string[]>(known)) {
    found = found.flatMap((labels) => values.map((value) => ({ ...labels, [name]: value })));
  }
  return found as Labels<Name>[];
}
