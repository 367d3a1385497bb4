import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../services/runtime/clock.ts';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
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

Exit codes: 0 done, 1 it failed and the words say what to do, 2 the command was not understood.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      'without-documents': { type: 'boolean', default: false },
      'without-usage': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const [command = '', folder = '', ...more] = positionals;
  if (
    !['create', 'check', 'restore', 'restore-usage'].includes(command) ||
    folder === '' ||
    more.length > 0
  ) {
    console.error('Give one of create, check, restore, restore-usage, and one folder. --help says more.');
    return 2;
  }
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
      const options = { data_dir, folder, documents: !values['without-documents'] };
      const deps = { clock: systemClock, store: values['without-usage'] ? null : store };
      say(`backed up into ${folder}`, await createBackup(deps, options));
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

main()
  .then((exit_code) => {
    process.exitCode = exit_code;
  })
  .catch((error: unknown) => {
    const is_for_people =
      isHailmarkError(error) ||
      (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
    console.error(is_for_people ? error.message : error);
    process.exitCode = isHailmarkError(error) || !is_for_people ? 1 : 2;
  });
