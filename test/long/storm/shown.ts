import type { Store } from '../../../services/store/store.ts';
import type { TestService } from '../../support/service.ts';
import type { Written } from './secrets.ts';

/** Every row of every table as text, decompressed by the engine itself; of its own tables those that hold statements. */
export async function rowsOfAllTables(store: Store): Promise<Written[]> {
  const names = await store.rows<{ database: string; name: string }>(
    "SELECT database, name FROM system.tables WHERE engine NOT LIKE '%View' AND (database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') OR name LIKE '%_log')",
  );
  const dumped: Written[] = [];
  for (const { database, name } of names) {
    const rows = await store.rows(`SELECT * FROM \`${database}\`.\`${name}\``);
    dumped.push({ name: `${database}.${name}`, bytes: Buffer.from(JSON.stringify(rows)) });
  }
  return dumped;
}

/** What each process shows to operators. */
export async function metrics(service: TestService): Promise<Written[]> {
  const texts: Written[] = [];
  for (const name of ['local', 'projector', 'feeds', 'api'] as const) {
    const url = service.ops_url(name);
    if (url === undefined) continue;
    const answer = await fetch(`${url}/metrics`);
    texts.push({ name: `/metrics of ${name}`, bytes: Buffer.from(await answer.text()) });
  }
  return texts;
}
