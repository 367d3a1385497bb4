import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { createCodec } from '../../services/log/codec.ts';
import type { EventLog, StoredMessage } from '../../services/log/event-log.ts';
import { readLetters } from '../../services/log/letters/manage.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { createDeadLetters } from '../../services/projector/dead-letters.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createCleanup } from '../support/cleanup.ts';
import { startLocalServices } from '../support/local-services.ts';
import { keyOf, radarDrafts } from '../unit/projector/history.ts';

const made = createCleanup();
const observation = topics.observation.name;
const clock = (): number => Date.parse('2026-11-21T12:00:00Z');
let environment: Record<string, string>;
let log: EventLog;
let truncated_place: string;

before(async () => {
  const local = made.keep(await startLocalServices());
  environment = { HAILMARK_DATA_DIR: local.data_dir, SCHEMA_REGISTRY_URL: local.registry_url };
  log = await openLog(readConfig(environment));
  made.keep({ stop: () => log.close() });
  const codec = createCodec({ registry_url: local.registry_url });
  await codec.registerAll();
  const [draft] = radarDrafts();
  assert.ok(draft);
  const fact: ObservationFact = { ...draft, supersedes: [] };
  const whole = codec.encode(observation, fact);
  await log.append(observation, [
    { key: keyOf(fact), value: whole.subarray(0, 60), headers: { from: 'a test' } },
    { key: keyOf(fact), value: null },
    { key: keyOf(fact), value: whole },
    { key: 'nobody', value: Buffer.from('{}') },
  ]);
  const letters = createDeadLetters({ log, codec, clock, output: pino({ level: 'silent' }) });
  const reasons = ['undecodable', 'tombstone', 'unknown-schema'];
  for await (const page of log.scan(observation)) {
    for (const message of page) {
      const reason = message.key === 'nobody' ? 'foreign' : (reasons.shift() ?? '');
      if (reason === 'undecodable') truncated_place = placeOf(message);
      await letters.write(message, 'observations.v1', reason, `it is ${reason}`);
    }
  }
});
after(() => made.stop());

function placeOf({ topic, partition, offset }: StoredMessage): string {
  return `${topic}/${partition}/${offset}`;
}

async function run(...command: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const script = resolve(import.meta.dirname, '../../scripts/dead-letters.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...command], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text.out += more));
  child.stderr.setEncoding('utf8').on('data', (more: string) => (text.err += more));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, ...text };
}

async function states(): Promise<Record<string, string>> {
  const codec = createCodec({ registry_url: environment['SCHEMA_REGISTRY_URL'] ?? '' });
  const { letters } = await readLetters({ log, codec, clock });
  return Object.fromEntries(letters.map(({ reason, state }) => [reason, state]));
}

describe('scripts/dead-letters', () => {
  it('says what it can do, and does nothing it was not asked for', async () => {
    const help = await run('--help');
    assert.deepEqual([help.code, /Example:\n {2}npm run dead-letters/.test(help.out)], [0, true]);
    for (const command of [['drop'], ['burn', '--all'], ['retry', '--reasn', 'x']]) {
      assert.equal((await run(...command)).code, 64, command.join(' '));
    }
  });

  it('lists them with counts, for people and for programs', async () => {
    const { code, out } = await run('list');
    assert.equal(code, 0);
    assert.match(out, /^ {7}1 {2}dead {2}undecodable {2}hail\.observation\.v1$/m);
    assert.ok(out.includes(`${truncated_place}  NEXRAD_SWDI/`), out);
    const listed = JSON.parse(
      (await run('list', '--json', '--topic', 'observation', '--limit', '1')).out,
    ) as {
      letters: number;
      counts: unknown[];
      listed: unknown[];
    };
    assert.deepEqual([listed.letters, listed.counts.length, listed.listed.length], [4, 4, 1]);
  });

  it('says in words that nothing matches', async () => {
    for (const name of ['list', 'drop']) {
      const { code, err } = await run(name, '--reason', 'no such');
      assert.deepEqual([code, /No dead letter matches/.test(err)], [1, true]);
    }
  });

  it('shows one, decoded as far as possible', async () => {
    const { code, out } = await run('show', truncated_place, '--json');
    assert.equal(code, 0);
    const shown = JSON.parse(out) as Record<string, unknown> & {
      hex: string;
      fields: Record<string, unknown>;
    };
    assert.deepEqual(
      [shown['headers'], shown.hex.length, shown['writer'], shown.fields['publisher']],
      [{ from: 'a test' }, 120, 'hail.observation.v1.Observation', 'NEXRAD_SWDI'],
    );
    assert.deepEqual([shown['problem'], 'evidence' in shown.fields], ['the bytes end in the middle', false]);
    assert.match((await run('show', truncated_place)).out, /^now +undecodable: /m);
  });

  it('tells what a retry would bring before it writes anything', async () => {
    const { code, out } = await run('retry', '--all', '--dry-run');
    assert.equal(code, 0);
    assert.match(out, /1 of 3 are valid facts by now\.\nStill none: 1 undecodable, 1 tombstone\./);
    assert.match(out, /1 belong to no feed.*\n.*\n.*\n3 would be retried; nothing was written\./);
    assert.ok(Object.values(await states()).every((state) => state === 'dead'));
  });

  it('asks for a retry and drops, each once', async () => {
    assert.match((await run('retry', '--reason', 'unknown-schema')).out, /1 are asked to be retried\./);
    assert.equal((await run('retry', '--reason', 'unknown-schema')).code, 1);
    const dropped = JSON.parse((await run('drop', '--all', '--json')).out) as Record<string, number>;
    assert.deepEqual([dropped['done'], dropped['matching']], [4, 4]);
    const again = await run('drop', '--all');
    assert.deepEqual([again.code, /0 are dropped/.test(again.out)], [1, true]);
    assert.ok(Object.values(await states()).every((state) => state === 'dropped'));
  });
});
