import type { PlaceDifference, TableComparison } from '../../services/projector/rebuild/compare.ts';
import type { RebuildEvent } from '../../services/projector/rebuild/deps.ts';
import type { VersionLine } from '../../services/projector/rebuild/list.ts';

/** What a rebuild says, as lines for a person. */
export function rebuildText(said: RebuildEvent | VersionLine): string {
  switch (said.event) {
    case 'version': {
      const behind = said.behind === null ? 'of another log, or not begun' : `${count(said.behind)} behind`;
      const name = `${said.projection}.v${said.version}`.padEnd(20);
      return `${name}${said.state.padEnd(10)}${said.state === 'removed' ? '' : behind}`.trimEnd();
    }
    case 'planned':
      return `${said.building} is ${said.found ? 'there already' : 'listed'}; ${said.serving} answers`;
    case 'progress': {
      const percent = said.total === 0 ? 100 : Math.floor((said.done / said.total) * 100);
      const rest = said.remaining_s === null ? '' : `, ${duration(said.remaining_s)} to go`;
      const rate = said.per_second === null ? '' : `  ${count(Math.round(said.per_second))} a second`;
      return `${said.version}  ${count(said.done)} of ${count(said.total)} (${percent} %)${rate}${rest}`;
    }
    case 'standing':
      return `${said.version} has not moved for ${said.for_s} s: is the projector running?`;
    case 'held':
      return `all versions of ${said.projection} are held at ${said.vector.map(({ offset }) => offset).join(' ')}`;
    case 'passed_over':
      return `a version of ${said.projection} is past that position: a later one is taken`;
    case 'compared':
      return comparisonText(said);
    case 'sampled': {
      const { cells, observations, differing } = said;
      const lines = differing.flatMap(({ cell, only }) =>
        only.flatMap((rows, side) =>
          rows.map(
            (row) => `  geohash ${cell}, only v${said.versions[side] ?? ''} answers ${JSON.stringify(row)}`,
          ),
        ),
      );
      return [
        `answers in ${count(cells)} cells, ${count(observations)} observations: ${verdict(differing.length, 'cells')}`,
        ...lines.slice(0, 20),
      ].join('\n');
    }
    case 'switched':
      return `${said.to} answers; ${said.from} is kept and goes on being written (--rollback, or --remove ${said.from})`;
    case 'removed':
      return `${said.version} is removed: ${said.tables.join(', ')}`;
  }
}

function comparisonText({
  table,
  versions,
  rows,
  places,
  differing,
  differences,
  left_out,
}: TableComparison): string {
  const [one, other] = rows;
  const counted = one === other ? `${count(one)} rows` : `${count(one)} and ${count(other)} rows`;
  return [
    `${table}: ${counted}, ${count(places)} checksums: ${verdict(differing, 'places')}`,
    ...(left_out.length > 0 ? [`  not compared, one version alone has them: ${left_out.join(', ')}`] : []),
    ...differences.flatMap((difference) => differenceText(difference, versions)),
    ...(differing > differences.length ? [`  and ${count(differing - differences.length)} more places`] : []),
  ].join('\n');
}

function differenceText({ place, rows, only }: PlaceDifference, versions: [number, number]): string[] {
  return [
    `  ${place}: ${count(rows[0])} rows in v${versions[0]}, ${count(rows[1])} in v${versions[1]}`,
    ...only.flatMap(({ rows: alone, examples }, side) =>
      alone === 0
        ? []
        : [
            `    ${count(alone)} only in v${versions[side] ?? ''}, for example`,
            ...examples.map((row) => `      ${JSON.stringify(row)}`),
          ],
    ),
  ];
}

function verdict(differing: number, what: string): string {
  return differing === 0 ? 'the same' : `DIFFERENT in ${count(differing)} ${what}`;
}

function duration(span_s: number): string {
  const seconds = Math.ceil(span_s);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
