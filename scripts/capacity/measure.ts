import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { documentsFolder } from '../../services/feeds/documents/files.ts';
import type { AlertFact } from '../../services/hail/alert.ts';
import type { Codec } from '../../services/log/codec.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { copyLog } from '../../services/log/sqlite/snapshot.ts';
import { topics } from '../../services/log/topics.ts';
import { withLog } from '../../services/log/with-log.ts';
import { pause } from '../../services/runtime/clock.ts';
import { readPositions } from '../../services/store/positions.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { fillLog } from '../bench/fill.ts';
import type { Service } from '../start/service.ts';

/** Bytes of so many things of a kind. */
export interface Measured {
  what: string;
  count: number;
  bytes: number;
}

export interface Measurement {
  /** Key and value of messages, by topic and publisher. */
  log: Measured[];
  /** What the log's file takes beyond its messages' own bytes, for each message. */
  log_overhead: Measured;
  /** Rows on disk after merging, by table. */
  store: Measured[];
  /** Made-up radar signatures (NOT REAL) in quantity: a table of a few dozen rows says nothing about one of millions. */
  radar_log: Measured;
  radar_store: Measured;
  /** Warnings of the schema's examples, which are recorded ones: a start on the recordings of other days reads none. */
  alerts: Measured;
  documents: Measured;
  index: Measured;
}

/** Measures a loaded service: what it holds of the recordings, and then of so many made-up radar signatures. */
export function measureService(service: Service, radar_facts: number): Promise<Measurement> {
  return withLog(service.config, async ({ log, codec }) => {
    const store = createStore(service.config, { timeout_ms: 600_000 });
    try {
      const messages = await logBytes(log, codec);
      const alerts = exampleAlerts(codec);
      const own_bytes = messages.reduce((sum, { bytes }) => sum + bytes, 0);
      const count = messages.reduce((sum, each) => sum + each.count, 0);
      const file_before = fileBytes(service.data_dir);
      const tables = await storeBytes(store);
      const index = indexBytes(service.data_dir);
      const documents = documentBytes(service.data_dir);

      const there = (await log.endOffsets(topics.observation.name)).reduce((sum, end) => sum + end, 0);
      await fillLog(log, codec, there + radar_facts);
      await untilProjected(service, store, await log.endOffsets(topics.observation.name));
      const after = (await storeBytes(store)).find(({ what }) => what === 'observations');
      const before = tables.find(({ what }) => what === 'observations');
      return {
        log: messages,
        alerts,
        log_overhead: { what: 'message in the log’s file', count, bytes: file_before - own_bytes },
        store: tables,
        radar_log: {
          what: 'radar signature in the log',
          count: radar_facts,
          bytes: fileBytes(service.data_dir) - file_before,
        },
        radar_store: {
          what: 'radar signature in the store',
          count: (after?.count ?? 0) - (before?.count ?? 0),
          bytes: (after?.bytes ?? 0) - (before?.bytes ?? 0),
        },
        documents,
        index,
      };
    } finally {
      await store.close();
    }
  });
}

async function logBytes(log: EventLog, codec: Codec): Promise<Measured[]> {
  const by_kind = new Map<string, Measured>();
  const add = (what: string, count: number, bytes: number): void => {
    const known = by_kind.get(what) ?? { what, count: 0, bytes: 0 };
    by_kind.set(what, { what, count: known.count + count, bytes: known.bytes + bytes });
  };
  for (const { name } of Object.values(topics)) {
    for await (const page of log.scan(name)) {
      for (const { key, value } of page) {
        const bytes = Buffer.byteLength(key) + (value?.length ?? 0);
        const decoded = value === null ? null : await codec.decode(name, value);
        const fact = decoded?.outcome === 'ok' ? decoded.fact : null;
        const publisher =
          fact !== null && 'publisher' in fact && name !== topics.feed_poll.name ? ` ${fact.publisher}` : '';
        add(`${name}${publisher}`, 1, bytes);
        if (fact !== null && 'sizes' in fact && fact.sizes.length > 0)
          add(`${name} cells of a granule`, fact.sizes.length, value?.length ?? 0);
      }
    }
  }
  return [...by_kind.values()].sort((a, b) => (a.what < b.what ? -1 : 1));
}

function exampleAlerts(codec: Codec): Measured {
  const folder = join(import.meta.dirname, '../../schemas/avro/examples', topics.alert.name, 'valid');
  const files = readdirSync(folder);
  const bytes = files.map((name) => {
    const fact = JSON.parse(readFileSync(join(folder, name), 'utf8')) as AlertFact;
    return Buffer.byteLength(fact.alert_key) + codec.encode(topics.alert.name, fact).length;
  });
  return {
    what: 'warning message (examples)',
    count: files.length,
    bytes: bytes.reduce((sum, each) => sum + each, 0),
  };
}

/** The log's file as a copy has it: without what is written ahead and without pages that stand empty. */
function fileBytes(data_dir: string): number {
  const copy = join(data_dir, 'capacity-copy.sqlite');
  try {
    copyLog(join(data_dir, 'log'), copy);
    return statSync(copy).size;
  } finally {
    rmSync(copy, { force: true });
  }
}

async function storeBytes(store: Store): Promise<Measured[]> {
  const tables = await store.rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, '_v1$') AND engine LIKE '%MergeTree' ORDER BY name",
  );
  for (const { name } of tables) await store.command(`OPTIMIZE TABLE ${name} FINAL`);
  const rows = await store.rows<{ table: string; rows: string | number; bytes: string | number }>(
    `SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
     WHERE active AND database = currentDatabase() GROUP BY table ORDER BY table`,
  );
  return rows
    .filter(({ table }) => table.endsWith('_v1'))
    .map((row) => ({ what: row.table.slice(0, -3), count: Number(row.rows), bytes: Number(row.bytes) }));
}

async function untilProjected(service: Service, store: Store, ends: readonly number[]): Promise<void> {
  for (;;) {
    const positions = await readPositions(store, 'observations', 1);
    const at = (partition: number): number =>
      positions.find((each) => each.topic === topics.observation.name && each.partition === partition)
        ?.next_offset ?? 0;
    if (ends.every((end, partition) => at(partition) >= end)) return;
    await Promise.race([pause(200), service.failure]);
  }
}

function documentBytes(data_dir: string): Measured {
  const folder = documentsFolder(data_dir);
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:zst|bin)$/.test(name))
    : [];
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return { what: 'kept document', count: files.length, bytes };
}

function indexBytes(data_dir: string): Measured {
  const measured = { what: 'record in the feeds’ index', count: 0, bytes: 0 };
  const folder = join(data_dir, 'index');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.sqlite'))) {
    const database = new DatabaseSync(join(folder, name), { readOnly: true });
    measured.count += Number(database.prepare('SELECT count(*) AS n FROM records').get()?.['n']);
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    measured.bytes += pages * Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
    database.close();
  }
  return measured;
}
