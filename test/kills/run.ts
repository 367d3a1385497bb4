import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createCodec } from '../../services/log/codec.ts';
import type { EventLog, NewMessage } from '../../services/log/event-log.ts';
import { topics } from '../../services/log/topics.ts';
import { prepareStore } from '../../services/projector/prepare.ts';
import { pause, systemClock } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { readPositions } from '../../services/store/positions.ts';
import { writeProjection } from '../../services/store/projections.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { committedVector } from '../integration/projector/positions.ts';
import { generator } from '../support/oracle/questions.ts';
import { startLocalServices } from '../support/local-services.ts';
import { differencesOf, foldOf, viewOfVersion, type Differences } from './fold.ts';
import { correctedFacts } from './history.ts';

/** Where a projector dies: after each of the four steps (the last is the one before the group's commit), and inside a rebuild. */
export const named_points = [
  'observations.v1/intent',
  'observations.v1/rows',
  'observations.v1/others',
  'observations.v1/position',
  'observations.v2/intent',
  'observations.v2/rows',
  'observations.v2/others',
  'observations.v2/position',
] as const;

export interface KillsOptions {
  log: EventLog;
  /** How a child process opens the log. */
  elsewhere: { module: string; connection: string };
  /** Kills what keeps the log and starts it again; absent where no process keeps it. */
  killAndRestartLog?: () => Promise<void>;
  observations: number;
  /** How often each named point is hit. */
  rounds: number;
  random_kills: number;
  seed: number;
  say: (text: string) => void;
}

export interface KillsReport {
  facts: number;
  named: Record<string, number>;
  random: number;
  log_kills: number;
  /** Differences to the plain fold, of each version: at rest, and after everything was delivered once more. */
  differences: Record<string, Differences>;
}

/** With less than a hundred a life a projector may be through before it has come to the point at which it is to die, and live for ever. */
export function leastObservations({
  rounds,
  random_kills,
}: Pick<KillsOptions, 'rounds' | 'random_kills'>): number {
  return 100 * (named_points.length * rounds + random_kills);
}

/** Lets facts flow while the projector is killed over and over, and compares the tables with the plain fold of the log. */
export async function runKills(options: KillsOptions): Promise<KillsReport> {
  const { log, say } = options;
  const random = generator(options.seed);
  const local = await startLocalServices();
  const config = readConfig({
    CLICKHOUSE_URL: local.clickhouse_url,
    SCHEMA_REGISTRY_URL: local.registry_url,
  });
  const store = createStore(config, { timeout_ms: 60_000 });
  try {
    const codec = createCodec({ registry_url: local.registry_url });
    await codec.registerAll();
    await prepareStore(config, store, systemClock);
    // A rebuild is under way all the time.
    await writeProjection(store, { projection: 'observations', version: 2, state: 'building' }, Date.now());

    const facts = correctedFacts(options.observations);
    const lives = named_points.length * options.rounds + options.random_kills;
    // Corrections come on top of the observations: five facts for seven.
    const facts_a_life = Math.ceil((options.observations * 12) / 7 / lives);
    const append = async (): Promise<boolean> => {
      const messages: NewMessage[] = [];
      while (messages.length < facts_a_life) {
        const next = facts.next();
        if (next.done === true) break;
        const { publisher, record_key } = next.value;
        messages.push({
          key: `${publisher}/${record_key}`,
          value: codec.encode(topics.observation.name, next.value),
        });
      }
      for (let at = 0; at < messages.length; at += 1_000) await appended(log, messages.slice(at, at + 1_000));
      return messages.length > 0;
    };
    const child = (batch_messages: number, die_after = ''): ChildProcess =>
      spawn(
        process.execPath,
        [
          '--disable-warning=ExperimentalWarning',
          '--disable-warning=TimeoutNegativeWarning',
          join(import.meta.dirname, '../integration/projector/projector.child.ts'),
        ],
        {
          env: {
            ...process.env,
            CLICKHOUSE_URL: local.clickhouse_url,
            SCHEMA_REGISTRY_URL: local.registry_url,
            PROJECTOR_BATCH_MESSAGES: String(batch_messages),
            TEST_LOG: JSON.stringify(options.elsewhere),
            TEST_DIE_AFTER: die_after,
            HAILMARK_STOP_WITH_PARENT: '1',
          },
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );

    const named: Record<string, number> = Object.fromEntries(named_points.map((point) => [point, 0]));
    let before = await committedVector(store);
    const noneWentBack = async (): Promise<void> => {
      const now = await committedVector(store);
      for (const [name, offset] of before)
        if ((now.get(name) ?? -1) < offset) throw new Error(`${name} went back`);
      before = now;
    };
    let random_kills = 0;
    let log_kills = 0;
    let log_kill: Promise<void> = Promise.resolve();
    for (let life = 0; life < lives; life += 1) {
      const appending = append();
      const batch_messages = Math.max(1, Math.round((facts_a_life / 6) * (0.2 + random())));
      // Every third of the way the log's own process dies too, while the facts flow.
      const is_log_kill = life === Math.floor(lives / 3) || life === Math.floor((2 * lives) / 3);
      if (is_log_kill && options.killAndRestartLog !== undefined) {
        log_kill = options.killAndRestartLog();
        log_kills += 1;
      }
      const point =
        life < named_points.length * options.rounds ? named_points[life % named_points.length] : undefined;
      if (point === undefined) {
        const projector = child(batch_messages);
        await firstStep(projector);
        await pause(Math.floor(random() * 200));
        projector.kill('SIGKILL');
        await gone(projector);
        random_kills += 1;
      } else {
        const projector = child(batch_messages, `${point}:${Math.floor(random() * 3)}`);
        await gone(projector);
        if (projector.signalCode !== 'SIGKILL') throw new Error(`the projector ended by itself at ${point}`);
        named[point] = (named[point] ?? 0) + 1;
      }
      await Promise.all([appending, log_kill]);
      await noneWentBack();
      if ((life + 1) % 10 === 0) say(`${life + 1} of ${lives} projectors killed`);
    }
    while (await append());

    const expected = await foldOf(log, codec);
    const differences: Record<string, Differences> = {};
    const compare = async (when: string): Promise<void> => {
      const last = child(1_000);
      await untilPassed(log, store);
      last.kill('SIGKILL');
      await gone(last);
      for (const version of [1, 2]) {
        const found = await viewOfVersion(store, version);
        differences[`v${version} ${when}`] = added(
          differencesOf(expected.live, found.live),
          differencesOf(expected.set_aside, found.set_aside),
        );
      }
    };
    await compare('at rest');
    // Positions are forgotten, so that every message is delivered once more, in other batches.
    await store.command('TRUNCATE TABLE projector_positions');
    await compare('delivered once more');
    return { facts: expected.messages, named, random: random_kills, log_kills, differences };
  } finally {
    await store.close();
    await local.stop();
  }
}

/** Appends, again and again while the log is away: what so stands twice is said twice, which changes nothing. */
async function appended(log: EventLog, messages: readonly NewMessage[]): Promise<void> {
  for (;;) {
    try {
      await log.append(topics.observation.name, messages);
      return;
    } catch {
      await pause(50);
    }
  }
}

async function firstStep(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('the child has no output');
  await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await once(child, 'exit');
}

async function untilPassed(log: EventLog, store: Store): Promise<void> {
  for (;;) {
    const ends = await log.endOffsets(topics.observation.name);
    const positions = await Promise.all(
      [1, 2].map((version) => readPositions(store, 'observations', version)),
    );
    const passed = positions.every((of) =>
      ends.every((end, partition) =>
        of.some(
          (each) =>
            each.topic === topics.observation.name && each.partition === partition && each.next_offset >= end,
        ),
      ),
    );
    if (passed) return;
    await pause(50);
  }
}

function added(a: Differences, b: Differences): Differences {
  return { lost: a.lost + b.lost, doubled: a.doubled + b.doubled, ghosts: a.ghosts + b.ghosts };
}
