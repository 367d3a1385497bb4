import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../services/runtime/clock.ts';
import { misread, runCommand, type Given } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { createStore } from '../services/store/store.ts';
import { createBackup } from './backup/create.ts';
import { refuse, usage_file, type Manifest } from './backup/parts.ts';
import { checkBackup, restoreBackup } from './backup/restore.ts';
import { restoreUsage } from './backup/usage.ts';

const help = `Backs up what cannot be made again: the log, the schema registry's journal, kept documents, usage. While the service runs.

  npm run backup -- create <new folder> [--without-documents] [--without-usage] [--json]
  npm run backup -- check <folder> [--json]              reads all of it against its hashes
  npm run backup -- restore <folder> [--json]            into HAILMARK_DATA_DIR, which must be empty or missing
  npm run backup -- restore-usage <folder> [--json]      once the service runs again: usage that the log has no more

The data folder is HAILMARK_DATA_DIR (default .hailmark), the store CLICKHOUSE_URL. Views are not in a backup: a start on the restored
folder makes them from the log. For a log on Kafka see infra/backup.md.

Example:
  npm run backup -- create /srv/backup/2026-11-21 && npm run backup -- check /srv/backup/2026-11-21

Interrupted, a backup lacks its list of contents and is refused by check and restore: remove its folder and make it again. An interrupted restore
leaves a folder that is not whole: empty it and restore again.

Exit codes: 0 done, 1 it failed and the words say what to do, 64 the command was not understood, 130 interrupted.`;

const commands = ['create', 'check', 'restore', 'restore-usage'] as const;

const options = {
  'without-documents': { type: 'boolean', default: false },
  'without-usage': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

async function main({ values, positionals }: Given<typeof options>): Promise<number> {
  const command = commands.find((each) => each === positionals[0]);
  const [, folder = '', ...more] = positionals;
  if (command === undefined || folder === '' || more.length > 0)
    throw misread(`Give one of ${commands.join(', ')}, and one folder.`);
  const config = readConfig();
  const data_dir = config.HAILMARK_DATA_DIR;
  if (config.KAFKA_BROKERS !== undefined && command !== 'check' && command !== 'restore-usage')
    throw refuse(
      'The log is on Kafka (KAFKA_BROKERS is set): infra/backup.md says how its topics are backed up.',
    );
  const store = createStore(config, { timeout_ms: 60_000 });
  const say = (done: string, { log_id, end_offsets, ...held }: Manifest): void => {
    const messages = Object.values(end_offsets).flat();
    const { documents, usage_rows } = held;
    const counts = `${messages.reduce((sum, end) => sum + end, 0)} offsets, ${documents ?? 'no'} documents, ${usage_rows ?? 'no'} rows of usage`;
    console.log(values.json ? JSON.stringify({ done, log_id, end_offsets, ...held }) : `${done}: ${counts}`);
  };
  try {
    if (command === 'create') {
      const parts = { data_dir, folder, documents: !values['without-documents'] };
      const deps = { clock: systemClock, store: values['without-usage'] ? null : store };
      say(`backed up into ${folder}`, await createBackup(deps, parts));
    } else if (command === 'check') {
      say(`${folder} is whole`, await checkBackup(folder));
    } else if (command === 'restore') {
      say(`restored into ${data_dir}`, await restoreBackup({ data_dir, folder }));
    } else {
      await checkBackup(folder);
      if (!existsSync(join(folder, usage_file))) throw refuse(`${folder} was made without usage.`);
      const rows = await restoreUsage(store, join(folder, usage_file));
      console.log(
        values.json ? JSON.stringify({ usage_rows: rows }) : `${rows} rows of usage are in the store`,
      );
    }
    return 0;
  } finally {
    await store.close();
  }
}

await runCommand({
  help,
  options,
  takes_words: true,
  if_interrupted:
    'Interrupted. What was being written, if anything, is not whole and is refused as a backup: remove it, and give the command again.',
  run: main,
});
