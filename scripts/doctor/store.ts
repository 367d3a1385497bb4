import { isHailmarkError } from '../../services/runtime/errors.ts';
import { requireDatabaseKind } from '../../services/store/database.ts';
import { readMigrations } from '../../services/store/migrations.ts';
import { projectionNames } from '../../services/projector/all-projections.ts';
import { readProjections } from '../../services/store/projections.ts';
import { createStore, isMissingTable } from '../../services/store/store.ts';
import type { Around } from './around.ts';
import type { Check } from './examine.ts';
import { broken, ok, warning } from './finding.ts';

/** What the statements of the views need; older servers are not tried. */
const least_clickhouse = 24;

const away = broken(
  'The store does not answer: property endpoints answer 500, and nothing new can be queried.',
  'Start it (npm start runs one on one machine), or correct CLICKHOUSE_URL, CLICKHOUSE_USER and CLICKHOUSE_PASSWORD.',
);

const store: Check = {
  name: 'store',
  look: async (around) => {
    if (!(await around.store.ping().catch(() => false))) return away;
    // A ping knows no password and no database.
    const version = await versionOf(around).catch((error: unknown) => {
      if (isHailmarkError(error, 'HAIL_DATABASE_KIND')) return error;
      return null;
    });
    if (isHailmarkError(version))
      return broken(
        version.message,
        'Set or unset CLICKHOUSE_CLUSTER as it says, for all processes, and start them.',
      );
    if (version === null)
      return broken(
        'The store is there and refuses to be asked.',
        'Correct CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or give that user the right to SELECT.',
      );
    return ok(`The store answers: ClickHouse ${version}.`);
  },
  if_late: () => away,
};

const version: Check = {
  name: 'store-version',
  look: async (around) => {
    const found = await versionOf(around);
    return Number.parseInt(found) >= least_clickhouse
      ? ok(`ClickHouse ${found}.`)
      : broken(
          `ClickHouse ${found} is older than what the views need, ${least_clickhouse}.`,
          'Bring the server to a release that its makers support.',
        );
  },
};

/** Outside the database, which may not have been made yet. */
async function versionOf({ config, options }: Around): Promise<string> {
  const outside = createStore(config, { timeout_ms: options.timeout_ms, in_database: false });
  try {
    const [row] = await outside.rows<{ version: string }>('SELECT version() AS version');
    await requireDatabaseKind(outside, config.CLICKHOUSE_DATABASE, config.CLICKHOUSE_CLUSTER);
    return row?.version ?? '';
  } finally {
    await outside.close();
  }
}

const migrations: Check = {
  name: 'migrations',
  look: async ({ store: inside, config }) => {
    const restart = 'The projector runs them when it starts: start it again (npm start).';
    const files = readMigrations();
    const rows = await inside
      .rows<{ name: string; sha256: string }>('SELECT name, sha256 FROM schema_migrations FINAL')
      .catch((error: unknown) => {
        if (isMissingTable(error)) return null;
        throw error;
      });
    if (rows === null)
      return broken(`The database ${config.CLICKHOUSE_DATABASE} has no tables of this service.`, restart);
    const ran = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
    const changed = files.filter(({ name, sha256 }) => ran.has(name) && ran.get(name) !== sha256);
    if (changed.length > 0) {
      const names = changed.map(({ name }) => `schemas/clickhouse/${name}.sql`).join(', ');
      return broken(
        `Other than when they ran in this store: ${names}. The projector refuses to start.`,
        `git checkout -- ${names}, and write the change as a new numbered file.`,
      );
    }
    const missing = files.filter(({ name }) => !ran.has(name)).map(({ name }) => name);
    if (missing.length > 0) return broken(`Have not run in this store: ${missing.join(', ')}.`, restart);
    const names = new Set(files.map(({ name }) => name));
    const newer = [...ran.keys()].filter((name) => !names.has(name));
    return newer.length > 0
      ? warning(
          `The store has files that this checkout has not: ${newer.join(', ')}.`,
          'A newer release has run here: install that one.',
        )
      : ok(`All ${files.length} schema files have run, unchanged.`);
  },
};

const projections: Check = {
  name: 'projections',
  look: async ({ store: inside }) => {
    const listed = await readProjections(inside);
    const without = projectionNames.filter(
      (name) =>
        listed.filter(({ projection, state }) => projection === name && state === 'serving').length !== 1,
    );
    if (without.length > 0)
      return broken(
        `Not exactly one version serves of: ${without.join(', ')}.`,
        'Start the projector; if it runs, see npm run rebuild -- --list and switch with --rollback.',
      );
    const others = listed.filter(({ state }) => state === 'building' || state === 'kept');
    const names = others.map(({ projection, version: of, state }) => `${projection}.v${of} (${state})`);
    return names.length === 0
      ? ok(`One version of each of ${projectionNames.length} projections serves.`)
      : warning(
          `Versions are written that nobody asks: ${names.join(', ')}.`,
          'npm run rebuild -- --list; go on with npm run rebuild -- <view>, or npm run rebuild -- --remove <version>',
        );
  },
};

export const storeChecks: readonly Check[] = [store, version, migrations, projections];
