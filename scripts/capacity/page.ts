import type { Measured, Measurement } from './measure.ts';
import type { Yearly } from './yearly.ts';

/** From this year on the whole country is to be held. */
const first_year = 2015;

/** What one thing of a kind takes, in bytes. */
export interface Price {
  log: number;
  store: number;
  index: number;
}

export interface Projection {
  years: number;
  rows: { yearly: Yearly; price: Price }[];
  a_year: Price;
  all: Price;
}

/** Bytes a thing times things a year. A message of the log pays for its row in the file too. */
export function project(measured: Measurement, yearly: readonly Yearly[], until_year: number): Projection {
  const overhead = each(measured.log_overhead);
  const message = (what: string): number => each(find(measured.log, what)) + overhead;
  const row = (table: string): number => each(find(measured.store, table));
  const index = each(measured.index);
  const prices: Record<Yearly['kind'], Price> = {
    'storm event': { log: message('hail.observation.v1 NOAA_SED'), store: row('observations'), index },
    'radar signature': { log: each(measured.radar_log), store: each(measured.radar_store), index },
    // Its cells are counted by themselves.
    granule: { log: overhead + granuleAlone(measured), store: 0, index },
    'grid cell': {
      log: each(find(measured.log, 'hail.grid.v1 cells of a granule')),
      store: row('observations'),
      index: 0,
    },
    report: { log: message('hail.observation.v1 SPC_LSR'), store: row('storm_reports'), index },
    // Its row has what the message has; none was there to be measured.
    'warning message': { log: each(measured.alerts) + overhead, store: each(measured.alerts), index },
    poll: { log: message('hail.feed-poll.v1'), store: row('feed_status'), index: 0 },
  };
  const rows = yearly.map((each_kind) => ({ yearly: each_kind, price: prices[each_kind.kind] }));
  const a_year = rows.reduce(
    (sum, { yearly: { count }, price }) => ({
      log: sum.log + count * price.log,
      store: sum.store + count * price.store,
      index: sum.index + count * price.index,
    }),
    { log: 0, store: 0, index: 0 },
  );
  const years = until_year - first_year;
  const all = { log: a_year.log * years, store: a_year.store * years, index: a_year.index * years };
  return { years, rows, a_year, all };
}

/** A granule without hail: the smallest that was recorded in the log stands for its frame. */
function granuleAlone(measured: Measurement): number {
  const granules = find(measured.log, 'hail.grid.v1');
  const cells = measured.log.find(({ what }) => what === 'hail.grid.v1 cells of a granule');
  const with_cells = cells === undefined ? 0 : cells.bytes;
  return (granules.bytes - with_cells) / granules.count;
}

export function each({ count, bytes }: Measured): number {
  return count === 0 ? 0 : bytes / count;
}

function find(measured: readonly Measured[], what: string): Measured {
  const found = measured.find((one) => one.what === what);
  if (found === undefined) throw new Error(`nothing was measured of ${what}`);
  return found;
}

/** Both tables as Markdown. */
export function pageText(measured: Measurement, projection: Projection): string {
  const { rows, a_year, all, years } = projection;
  const bytes = [
    ...measured.log.map((one) => line(one.what, one)),
    line(measured.log_overhead.what, measured.log_overhead),
    line(measured.alerts.what, measured.alerts),
    ...measured.store.map((one) => line(`store: ${one.what}`, one)),
    ...[measured.radar_log, measured.radar_store].map((one) => line(`${one.what} (NOT REAL)`, one)),
    line(measured.documents.what, measured.documents),
    line(measured.index.what, measured.index),
  ];
  const kinds = rows.map(({ yearly: { kind, count, basis, why }, price }) =>
    cells(
      kind,
      whole(count),
      basis,
      mb(count * price.log),
      mb(count * price.store),
      mb(count * price.index),
      why,
    ),
  );
  return [
    cells('what', 'things', 'bytes', 'bytes each'),
    cells('---', '---:', '---:', '---:'),
    ...bytes,
    '',
    cells(
      'a year of the country',
      'things',
      'basis',
      'log, MB',
      'store, MB',
      'index, MB',
      'how that is known',
    ),
    cells('---', '---:', '---', '---:', '---:', '---:', '---'),
    ...kinds,
    cells('**a year**', '', '', mb(a_year.log), mb(a_year.store), mb(a_year.index), ''),
    cells(`**${first_year} to now, ${years} years**`, '', '', mb(all.log), mb(all.store), mb(all.index), ''),
  ].join('\n');
}

function line(what: string, one: Measured): string {
  return cells(what, whole(one.count), whole(one.bytes), each(one).toFixed(1));
}

function cells(...texts: readonly string[]): string {
  return `| ${texts.join(' | ')} |`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function mb(bytes: number): string {
  return whole(bytes / 1_000_000);
}
