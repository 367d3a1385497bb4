import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { hasMaven, jarsFolder, jarsOf } from '../../../infra/local/maven.ts';
import { forCluster } from '../../../services/store/cluster.ts';
import { readMigrations, statementsOf } from '../../../services/store/migrations.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { freePorts } from '../../support/free-ports.ts';
import { temporaryFolder } from '../../support/local-services.ts';

const run = promisify(execFile);
const pom = join(import.meta.dirname, 'pom.xml');

interface Answer {
  answer?: string;
  refused?: string;
}

async function missing(): Promise<string | false> {
  const has_java = await run('java', ['-version']).then(
    () => true,
    () => false,
  );
  if (!has_java) return 'needs Java (the command java) to run Apache ZooKeeper';
  if (!existsSync(jarsFolder(pom)) && !(await hasMaven()))
    return 'needs Maven (the command mvn), which fetches Apache ZooKeeper';
  return false;
}

/**
 * As near to a cluster as is possible here: the tables of the schema files as each replica of a Replicated database makes them, by the real
 * engine, against a real coordination service. The engine as a library takes part in definitions but has no port for other replicas, so
 * its tables stay read-only: nothing is inserted or fetched, and the database itself (which needs that port) is an ordinary one.
 */
describe(
  'replicated tables with two engines and a coordination service',
  {
    skip: await missing(),
    timeout: 300_000,
  },
  () => {
    const made = createCleanup();
    let root = '';
    let port = 0;

    before(async () => {
      const jars = await jarsOf(pom);
      root = temporaryFolder('hailmark-replicated-');
      made.keep({ stop: () => rmSync(root, { recursive: true, force: true }) });
      [port = 0] = await freePorts(1);
      const settings = join(root, 'zoo.cfg');
      writeFileSync(
        settings,
        `dataDir=${join(root, 'zookeeper')}\nclientPort=${port}\nadmin.enableServer=false\n`,
      );
      const server = spawn(
        'java',
        ['-Xmx256m', '-cp', join(jars, '*'), 'org.apache.zookeeper.server.quorum.QuorumPeerMain', settings],
        { stdio: 'ignore' },
      );
      const exited = new Promise<void>((done) => server.once('exit', () => done()));
      made.keep({
        stop: async () => {
          server.kill();
          await exited;
        },
      });
      await untilServing(port, server);
    });
    after(() => made.stop());

    const replica = async (name: string, statements: readonly string[]): Promise<Answer[]> => {
      const configuration = join(root, `${name}.xml`);
      writeFileSync(
        configuration,
        `<clickhouse><zookeeper><node><host>127.0.0.1</host><port>${port}</port></node></zookeeper>
       <macros><shard>1</shard><replica>${name}</replica></macros></clickhouse>`,
      );
      const answers_file = join(root, `${name}.json`);
      rmSync(answers_file, { force: true });
      const words = [join(import.meta.dirname, 'engine.ts'), join(root, name), configuration, answers_file];
      const engine = spawn(process.execPath, [...words, ...statements], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await new Promise<void>((done) => engine.once('exit', () => done()));
      return JSON.parse(readFileSync(answers_file, 'utf8')) as Answer[];
    };
    /** A Replicated database gives a table one UUID on all replicas; here it is made of the table's name. */
    const named = (statement: string): string =>
      statement.replace(/^CREATE TABLE IF NOT EXISTS (\w+)/, (_, table: string) => {
        const hex = createHash('sha256').update(table).digest('hex');
        const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
        return `CREATE TABLE IF NOT EXISTS hailmark.${table} UUID '${uuid}'`;
      });
    const tables = readMigrations()
      .flatMap(({ sql }) => statementsOf(sql, 1))
      .filter((statement) => statement.startsWith('CREATE TABLE'))
      .map((statement) => named(forCluster(statement, 'hail')));
    const database = 'CREATE DATABASE IF NOT EXISTS hailmark ENGINE = Atomic';
    const look =
      'SELECT table, zookeeper_path AS path, replica_name AS replica, zookeeper_exception AS trouble FROM system.replicas ORDER BY table';

    it('registers every table by its path and name, and the second replica finds the same definition', async () => {
      const seen: Record<string, string>[][] = [];
      for (const name of ['r1', 'r2']) {
        // A second start of a projector makes nothing anew.
        const answers = await replica(name, [database, ...tables, ...tables, look]);
        assert.deepEqual(
          answers.flatMap(({ refused }) => refused ?? []),
          [],
        );
        const rows = (answers.at(-1)?.answer ?? '').trim().split('\n');
        seen.push(rows.map((row) => JSON.parse(row) as Record<string, string>));
      }
      const [first = [], second = []] = seen;
      assert.equal(first.length, tables.length);
      for (const row of first) {
        assert.match(row['path'] ?? '', /^\/clickhouse\/tables\/[0-9a-f-]{36}\/1$/);
        assert.equal(row['trouble'], '');
      }
      assert.deepEqual(
        second,
        first.map((row) => ({ ...row, replica: 'r2' })),
      );
    });

    it('is refused on a replica whose definition differs', async () => {
      const [observations = ''] = tables.filter((statement) =>
        statement.includes('hailmark.observations_v1 '),
      );
      const other = observations.replace(/\bsize_in( +)Float64/, 'size_in$1Float32');
      assert.notEqual(other, observations);
      const [, answer] = await replica('r3', [database, other]);
      assert.match(answer?.refused ?? '', /INCOMPATIBLE_COLUMNS/);
    });
  },
);

async function untilServing(port: number, server: ChildProcess): Promise<void> {
  const deadline = AbortSignal.timeout(60_000);
  while (!(await isServing(port))) {
    if (server.exitCode !== null) throw new Error('ZooKeeper ended before it served');
    if (deadline.aborted) throw new Error('ZooKeeper has not served for a minute');
    await new Promise((done) => setTimeout(done, 100));
  }
}

/**
 * It listens before it serves: whoever comes in between is cut off, or told so and then left on the line for good, so only its words count
 * and never the end of the line. Its command `srvr` names a mode once it serves.
 */
function isServing(port: number): Promise<boolean> {
  return new Promise((done) => {
    let said = '';
    const socket = createConnection({ host: '127.0.0.1', port }, () => socket.write('srvr'));
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('data', (part: Buffer) => {
      said += part.toString('latin1');
      if (/^Mode: |not currently serving/m.test(said)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => done(/^Mode: /m.test(said)));
  });
}
