import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { alertColumns } from '../../../services/store/alerts/row.ts';
import { lifecycle, national, read, recordedAlerts } from '../../unit/feeds/nws/recordings.ts';
import { startBench, type Bench } from './bench.ts';

const schemas = join(import.meta.dirname, '../../../schemas/clickhouse');

const recorded = [...read(recordedAlerts(lifecycle)).told, ...read(recordedAlerts(national)).told].sort(
  (a, b) => a.sent_at - b.sent_at,
);

describe('alerts in the store', { timeout: 120_000 }, () => {
  let bench: Bench;

  const rows = <T>(sql: string, database = 'once'): Promise<T[]> => bench.store(database).rows<T>(sql);

  before(async () => {
    bench = await startBench();
    await bench.appendAlerts(recorded);
  });
  after(() => bench.stop());

  it('are the messages as they were read, whatever the batches and however often they are projected', async () => {
    const dump = async (database: string): Promise<string[]> =>
      (await rows<object>('SELECT * FROM alerts_v1 FINAL ORDER BY ALL', database)).map((row) =>
        JSON.stringify(row),
      );
    await bench.project('once');
    await bench.project('singly', { batch_messages: 1 });
    const shown = await dump('once');
    assert.equal(shown.length, recorded.length);
    assert.deepEqual(await dump('singly'), shown);
    // A store that kept its rows and lost its positions is delivered everything again.
    await bench.store('singly').command('TRUNCATE TABLE projector_positions');
    await bench.project('singly', { batch_messages: 3 });
    assert.deepEqual(await dump('singly'), shown);
  });

  it('say of an event what its newest message says and what was warned of before, by the query its file shows', async () => {
    const schema = readFileSync(join(schemas, '0010_alerts.sql'), 'utf8');
    const query = [...schema.matchAll(/^-- {3}(.*)$/gm)].map(([, line = '']) => line).join('\n');
    const events = await rows<Record<string, unknown>>(query);
    const first_sent_at = (minute: number): string => `2026-07-09 05:${minute}:00.000`;
    assert.deepEqual(
      events.sort((a, b) => (String(a['alert_key']) < String(b['alert_key']) ? -1 : 1)),
      [
        {
          ...{ alert_key: 'KTOP/SV/W/0347/2026', state: 'cancelled', largest_in: 0.75 },
          first_sent_at: first_sent_at(23),
        },
        {
          ...{ alert_key: 'KTOP/SV/W/0348/2026', state: 'active', largest_in: 0.75 },
          first_sent_at: first_sent_at(38),
        },
      ],
    );
  });

  it('hold areas that can be asked for a place', async () => {
    // Vliets KS lies in the warning KTOP 347 and its cancellation, Topeka in none.
    const at = (lon: number, lat: number): Promise<{ message_id: string }[]> =>
      rows(
        `SELECT message_id FROM alerts_v1 FINAL WHERE notEmpty(polygons) AND pointInPolygon((${lon}, ${lat}), polygons)`,
      );
    assert.equal((await at(-96.7, 39.8)).length, 2);
    assert.equal((await at(-95.68, 39.05)).length, 0);
  });

  it('explain every column to analysts', async () => {
    const columns = await rows<{ name: string; comment: string }>(
      "SELECT name, comment FROM system.columns WHERE database = 'once' AND table = 'alerts_v1' ORDER BY position",
    );
    assert.deepEqual(
      columns.map(({ name }) => name),
      alertColumns,
    );
    for (const { name, comment } of columns) assert.ok(comment.length > 10, name);
  });
});
