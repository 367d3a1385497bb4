import { no_county } from '../../services/hail/county.ts';
import type { Draft } from '../../services/feeds/kinds/points.ts';
import type { Provenance } from '../../services/hail/observation.ts';
import type { Random } from './random.ts';

/** What the publisher says of one record. */
export interface Said {
  began_at: number | null;
  lat: number | null;
  lon: number | null;
  size_in: number | null;
  status: 'preliminary' | 'final';
}

/** A slice as it could be fetched at one moment. Documents are never changed, only replaced. */
export interface Document {
  slice: string;
  publisher_version: string | null;
  records: ReadonlyMap<string, Said>;
}

export interface PublisherWorld {
  slices: readonly string[];
  /** True when documents have versions that compare, as Storm Events has; false for answers to questions, as of the radar service. */
  is_versioned: boolean;
  current: (slice: string) => Document;
  /** A document that was current once. */
  earlier: (slice: string) => Document;
  /** One change of what it says, by chance; returns what happened as words. */
  change: () => string;
  /** Ends what is under way: a record that moves to another slice is for a while in both or in none. */
  rest: () => void;
  /** What it says now, by record. */
  truth: () => Map<string, Said>;
}

export const publisher = 'NOAA_SED';

/** These keys lie in two of the six partitions, and mostly in one, so that records meet in batches and batches follow one another. */
export const record_keys = ['1010', '1013', '1003', '1014', '1016', '1018', '1004', '1022'];

const places = [
  { lat: 29.4241, lon: -98.4936 },
  { lat: 29.5, lon: -98.5 },
  { lat: 32.7767, lon: -96.797 },
  { lat: 89.999999, lon: 179.999999 },
];
const times = [0, 1_503_360_000_000, 1_503_360_060_000];
const sizes = [0.75, 1.005, 1.75, 4];

/** A publisher whose records move, go blank, vanish, come back and change slices, and which issues its slices again. */
export function createPublisher(random: Random): PublisherWorld {
  const slices = ['2016', '2017', '2018'].slice(0, 2 + random.below(2));
  const keys = record_keys.slice(0, 1 + random.below(record_keys.length));
  const is_versioned = random.oneIn(2);
  const issues = new Map<string, Document[]>();
  /** Records that are already in another slice and have not left this one. */
  const leaving: { record_key: string; slice: string }[] = [];
  let version = 0;

  const isLeaving = (key: string): boolean => leaving.some(({ record_key }) => record_key === key);

  const current = (slice: string): Document => {
    const document = issues.get(slice)?.at(-1);
    if (document === undefined) throw new Error(`there is no slice ${slice}`);
    return document;
  };

  const issue = (slice: string, records: ReadonlyMap<string, Said>): void => {
    version += 1;
    const publisher_version = is_versioned ? `20${String(170_000 + version)}` : null;
    issues.set(slice, [...(issues.get(slice) ?? []), { slice, publisher_version, records }]);
  };

  const put = (slice: string, record_key: string, said: Said | null): void => {
    const records = new Map(current(slice).records);
    if (said === null) records.delete(record_key);
    else records.set(record_key, said);
    issue(slice, records);
  };

  const anything = (): Said => ({
    began_at: random.oneIn(10) ? null : random.pick(times),
    ...(random.oneIn(10) ? { lat: null, lon: null } : random.pick(places)),
    size_in: random.oneIn(5) ? null : random.pick(sizes),
    status: random.oneIn(3) ? 'preliminary' : 'final',
  });

  const changed = (said: Said): Said => {
    switch (random.weighted({ place: 4, time: 2, size: 2, blank: 3, status: 1, all: 1 })) {
      case 'place':
        return { ...said, ...random.pick(places) };
      case 'time':
        return { ...said, began_at: random.pick(times) };
      case 'size':
        return { ...said, size_in: random.pick(sizes) };
      case 'blank':
        return { ...said, ...random.pick([{ size_in: null }, { lat: null, lon: null }, { began_at: null }]) };
      case 'status':
        return { ...said, status: said.status === 'final' ? 'preliminary' : 'final' };
      case 'all':
        return anything();
    }
  };

  /** Many records at once, under a version of its own: some dropped, some added, some changed, most as they were. */
  const reissue = (slice: string): void => {
    const records = new Map(current(slice).records);
    for (const record_key of keys.filter((key) => !isLeaving(key))) {
      const said = records.get(record_key);
      const is_elsewhere = slices.some((each) => each !== slice && current(each).records.has(record_key));
      const what = random.weighted({ drop: 1, put: 1, leave: 1 });
      if (what === 'drop') records.delete(record_key);
      if (what === 'put' && said !== undefined) records.set(record_key, changed(said));
      if (what === 'put' && said === undefined && !is_elsewhere) records.set(record_key, anything());
    }
    issue(slice, records);
  };

  const leave = ({ record_key, slice }: (typeof leaving)[number]): void => {
    if (current(slice).records.has(record_key)) put(slice, record_key, null);
  };

  for (const slice of slices) issue(slice, new Map());
  for (const record_key of keys) {
    if (!random.oneIn(4)) put(random.pick(slices), record_key, anything());
  }

  return {
    slices,
    is_versioned,
    current,
    earlier: (slice) => random.pick(issues.get(slice) ?? []),
    change: () => {
      const left = random.oneIn(2) ? leaving.shift() : undefined;
      if (left !== undefined) {
        leave(left);
        return `record ${left.record_key} has left slice ${left.slice}`;
      }
      const staying = keys.filter((key) => !isLeaving(key));
      if (staying.length === 0) return 'nothing changes';
      const record_key = random.pick(staying);
      const slice = slices.find((each) => current(each).records.has(record_key));
      const said = slice === undefined ? undefined : current(slice).records.get(record_key);
      if (slice === undefined || said === undefined) {
        const into = random.pick(slices);
        put(into, record_key, anything());
        return `record ${record_key} comes, or comes back, in slice ${into}`;
      }
      switch (random.weighted({ change: 6, vanish: 2, move: 2, reissue: 1 })) {
        case 'change':
          put(slice, record_key, changed(said));
          return `record ${record_key} of slice ${slice} is corrected`;
        case 'vanish':
          put(slice, record_key, null);
          return `record ${record_key} vanishes from slice ${slice}`;
        case 'move': {
          const into = random.pick(slices.filter((each) => each !== slice));
          const moved = random.oneIn(2) ? changed(said) : said;
          if (random.oneIn(3)) {
            put(slice, record_key, null);
            put(into, record_key, moved);
          } else {
            put(into, record_key, moved);
            leaving.push({ record_key, slice });
          }
          return `record ${record_key} moves from slice ${slice} to ${into}`;
        }
        case 'reissue':
          reissue(slice);
          return `slice ${slice} is issued anew`;
      }
    },
    rest: () => {
      for (const left of leaving.splice(0)) leave(left);
    },
    truth: () => new Map(slices.flatMap((slice) => [...current(slice).records])),
  };
}

export function provenanceOf({ publisher_version }: Document, retrieved_at: number): Provenance {
  return {
    document_url: 'https://publisher.example/records',
    retrieved_at,
    document_sha256: '5e'.repeat(32),
    publisher_version,
  };
}

/** The records of a document as a feed observes them. */
export function* draftsOf(document: Document, provenance: Provenance): Generator<Draft> {
  for (const [record_key, said] of document.records) {
    yield {
      publisher,
      record_key,
      record_id: record_key,
      slice: document.slice,
      ...said,
      ...no_county,
      ended_at: said.began_at,
      evidence: {
        sevprob: null,
        prob: null,
        qualifier: null,
        reporter: null,
        station: null,
        cell_id: null,
        time_zone: null,
      },
      provenance,
    };
  }
}
