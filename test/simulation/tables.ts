import { observationColumns } from '../../services/store/observations/row.ts';
import { setAsideColumns } from '../../services/store/set_aside/row.ts';
import { stormReportColumns } from '../../services/store/storm_reports/row.ts';
import type { Store, Value } from '../../services/store/store.ts';

export type Row = Readonly<Record<string, Value>>;

/** The store's tables in memory, as its engine would answer for them; everything else of the store is refused. */
export interface Tables extends Pick<Store, 'rows' | 'insert'> {
  /** Rows of a table read with FINAL. */
  final: (table: string) => Row[];
  /** A projection's position in a topic by partition: what is stored in all, whatever the order. */
  positions: (version: number, topic: string) => Map<number, number>;
  /** How many positions were written: one for each batch. */
  batches: () => number;
  /** What was wrong about an insert, as sentences. */
  violations: string[];
}

interface Kind {
  key: readonly string[];
  columns: readonly string[];
}

const kinds: Readonly<Record<string, Kind>> = {
  observations: {
    key: ['cell', 'occurred_at', 'publisher', 'record_key', 'lat', 'lon'],
    columns: observationColumns.map(({ name }) => name),
  },
  set_aside: { key: ['publisher', 'record_key'], columns: setAsideColumns },
  storm_reports: { key: ['record_key'], columns: stormReportColumns },
};

const position_columns = [
  'projection',
  'version',
  'topic',
  'partition',
  'log_id',
  'next_offset',
  'stored_at',
];
const intent_columns = ['topic', 'partition', 'first_offset', 'end_offset', 'cells'];

/**
 * The tables that the projector writes, in memory. ReplacingMergeTree(revision, is_deleted) read with FINAL: the highest revision of a
 * sort key counts, and of equal ones nobody may say which, so two that differ are a violation. Rows that no intent has announced are
 * violations too, and so are positions that go back.
 */
export function createTables(options: {
  /** The last position written counts, instead of the greatest: to see that somebody would notice. */
  is_last_position: boolean;
}): Tables {
  const newest = new Map<string, Map<string, Row>>();
  const positions: Row[] = [];
  const intents = new Map<string, Row[]>();
  const violations: string[] = [];

  const announced = (table: string, row: Row): boolean =>
    (intents.get(table.replace('observations', 'cell_changes')) ?? []).some(
      ({ topic, partition, first_offset, end_offset, cells }) =>
        topic === topicOf(row) &&
        partition === row['log_partition'] &&
        Number(first_offset) <= Number(row['revision']) &&
        Number(row['revision']) < Number(end_offset) &&
        (cells as number[]).includes(Number(row['cell'])),
    );

  const insertRow = (table: string, { key }: Kind, row: Row): void => {
    const where = `${table}: ${textOf(row['record_key'])}, revision ${textOf(row['revision'])}`;
    if (table.startsWith('observations') && !announced(table, row))
      violations.push(`${where} was not announced by an intent`);
    const rows = newest.get(table) ?? new Map<string, Row>();
    newest.set(table, rows);
    const at = key.map((column) => textOf(row[column])).join('\u0000');
    const before = rows.get(at);
    if (before?.['revision'] === row['revision'] && JSON.stringify(before) !== JSON.stringify(row))
      violations.push(`${where} is written in two ways under one sort key`);
    if (before === undefined || Number(row['revision']) >= Number(before['revision'])) rows.set(at, row);
  };

  const greatest = (): Row[] => {
    const counted = new Map<string, Row>();
    for (const row of positions) {
      const at = position_columns
        .slice(0, 5)
        .map((column) => textOf(row[column]))
        .join(' ');
      const before = counted.get(at);
      const is_greater =
        options.is_last_position || Number(row['next_offset']) > Number(before?.['next_offset']);
      if (before === undefined || is_greater) counted.set(at, row);
    }
    return [...counted.values()];
  };

  const positionsOf = (version: number, topic: Value | undefined): Map<number, number> =>
    new Map(
      greatest()
        .filter((row) => row['version'] === version && row['topic'] === topic)
        .map((row) => [Number(row['partition']), Number(row['next_offset'])]),
    );

  return {
    violations,
    rows: <T>(sql: string, parameters: Readonly<Record<string, Value>> = {}) => {
      // Nobody compares two versions here, so nothing is held.
      if (sql.includes('FROM projection_holds')) return Promise.resolve([]);
      if (!sql.includes('FROM projector_positions')) throw new Error(`no such question is known: ${sql}`);
      const { projection, version } = parameters;
      const found = greatest().filter(
        (row) => row['projection'] === projection && row['version'] === version,
      );
      return Promise.resolve(found as T[]);
    },
    insert: (table, columns, rows) => {
      const kind = kinds[table.replace(/_v\d+$/, '')];
      const wanted =
        table === 'projector_positions'
          ? position_columns
          : table.startsWith('cell_changes_v')
            ? intent_columns
            : kind?.columns;
      if (wanted?.join() !== columns.join()) throw new Error(`${table} has other columns`);
      const named = rows.map((row): Row =>
        Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null])),
      );
      for (const row of named) {
        if (kind !== undefined) {
          insertRow(table, kind, row);
        } else if (table === 'projector_positions') {
          const version = Number(row['version']);
          const stored = (): number => positionsOf(version, row['topic']).get(Number(row['partition'])) ?? 0;
          const before = stored();
          positions.push(row);
          const now = stored();
          if (now < before)
            violations.push(
              `version ${version}: partition ${textOf(row['partition'])} goes back from ${before} to ${now}`,
            );
        } else {
          intents.set(table, [...(intents.get(table) ?? []), row]);
        }
      }
      return Promise.resolve();
    },
    final: (table) => [...(newest.get(table)?.values() ?? [])].filter((row) => row['is_deleted'] === 0),
    positions: positionsOf,
    batches: () => positions.length,
  };
}

/** The topic that a row of observations, or one set aside, is from: no publisher writes to both. */
export function topicOf({ publisher }: Row): 'hail.observation.v1' | 'hail.grid.v1' {
  return publisher === 'MRMS_MESH' ? 'hail.grid.v1' : 'hail.observation.v1';
}

/** A value of a row as text that compares. */
export function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
