import { spawnSync } from 'node:child_process';

/** One value of a page of metrics. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A page as Prometheus would read it. */
export interface Scraped {
  text: string;
  samples: readonly Sample[];
  /** The value of the one sample of that name with (at least) these labels; null where there is none. */
  value: (name: string, labels?: Readonly<Record<string, string>>) => number | null;
  /** The sum over all of them; 0 where there is none. */
  sum: (name: string, labels?: Readonly<Record<string, string>>) => number;
}

/** Null where Prometheus' own tool is installed, else the words for skipping (Debian: `apt-get install prometheus`). */
export const why_no_promtool =
  spawnSync('promtool', ['--version']).status === 0 ? null : 'no promtool is installed here';

export async function scrape(ops_url: string): Promise<Scraped> {
  const response = await fetch(`${ops_url}/metrics`);
  if (response.status !== 200) throw new Error(`a scrape ended with status ${response.status}`);
  return readPage(await response.text());
}

export function readPage(text: string): Scraped {
  const samples = text.split('\n').flatMap((line): Sample[] => {
    const [, name, labels = '', value] = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/gi)].map(([, each = '', of = '']) => [
      each,
      of,
    ]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
  const matching = (name: string, labels: Readonly<Record<string, string>> = {}): Sample[] =>
    samples.filter(
      (each) =>
        each.name === `hailmark_${name}` &&
        Object.entries(labels).every(([label, value]) => each.labels[label] === value),
    );
  return {
    text,
    samples,
    value: (name, labels) => {
      const found = matching(name, labels);
      if (found.length > 1) throw new Error(`${name} has ${found.length} values with these labels`);
      return found[0]?.value ?? null;
    },
    sum: (name, labels) => matching(name, labels).reduce((total, { value }) => total + value, 0),
  };
}
