import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createKey, revokeKey } from '../../../services/api/keys/admin.ts';
import { followKeys, type KeyDirectory } from '../../../services/api/keys/directory.ts';
import { createCodec } from '../../../services/log/codec.ts';
import { openLog } from '../../../services/log/open-log.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { startInProcess, verify, type InProcessApi } from '../../integration/api/in-process.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startLocalServices, temporaryFolder } from '../../support/local-services.ts';

const others = 200;
const rounds = 600;
const finds = 50_000;

/**
 * A refused key of each kind; the time that the refusal takes must not tell an unknown id from a known one, or one wrong secret from another.
 * What has not the form of a key tells its sender nothing that he does not know.
 */
type Refused = 'unknown id' | 'known id, wrong secret' | 'revoked' | 'no key at all in form';

describe('what a refused key costs', { timeout: 400_000 }, () => {
  const made = createCleanup();
  const stopping = new AbortController();
  let directory: KeyDirectory;
  let refused: Record<Refused, string>;
  let right: string;
  let api: InProcessApi;

  before(async () => {
    const local = made.keep(await startLocalServices());
    const data_dir = temporaryFolder();
    made.keep({ stop: () => rmSync(data_dir, { recursive: true, force: true }) });
    const log = await openLog(readConfig({ HAILMARK_DATA_DIR: data_dir }));
    made.keep({ stop: () => log.close() });
    const codec = createCodec({ registry_url: local.registry_url });
    await codec.registerAll();
    const deps = { log, codec, clock: systemClock };
    // Many partners, so that a search through them would show.
    for (let at = 0; at < others; at += 1) await createKey(deps, { partner: `partner ${at}` });
    const live = await createKey(deps, { partner: 'live' });
    const revoked = await createKey(deps, { partner: 'revoked' });
    await revokeKey(deps, revoked.key_id);
    right = live.key;
    refused = {
      'unknown id': `hm_live_00000000_${right.slice(-24)}`,
      'known id, wrong secret': `${right.slice(0, -24)}${'a'.repeat(24)}`,
      revoked: revoked.key,
      'no key at all in form': 'x'.repeat(right.length),
    };
    const output = pino({ enabled: false });
    directory = followKeys({ log, codec, clock: systemClock, output }, stopping.signal);
    await directory.loaded;
    api = made.keep(await startInProcess({ keys: directory }));
  });
  after(async () => {
    stopping.abort();
    await directory.done;
    await made.stop();
  });

  it('is one comparison of two whole hashes in constant time, whatever is wrong with it', (t) => {
    const compared = t.mock.method(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    try {
      for (const [kind, key] of [...Object.entries(refused), ['right', right]] as const) {
        compared.mock.resetCalls();
        assert.equal(directory.find(key) === null, kind !== 'right', kind);
        const sizes = compared.mock.calls.map(({ arguments: [a, b] }) => [a.byteLength, b.byteLength]);
        assert.deepEqual(sizes, [[32, 32]], kind);
      }
    } finally {
      compared.mock.restore();
      syncBuiltinESMExports();
    }
  });

  it('is shown here and judged by people: no test can hold a clock against another program', async (t) => {
    const kinds = Object.keys(refused) as Refused[];
    const alone = await sample(kinds, finds, (kind) => void directory.find(refused[kind]));
    const over_http = await sample(kinds, rounds, async (kind) => {
      const response = await api.get(verify, { headers: { Authorization: `Bearer ${refused[kind]}` } });
      assert.equal(response.status, 401);
      await response.arrayBuffer();
    });
    for (const [where, times] of [
      ['the key alone', alone],
      ['over HTTP', over_http],
    ] as const) {
      const reference = times.get('unknown id') ?? [];
      for (const [kind, of_kind] of times) {
        const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(of_kind, part).toFixed(1));
        t.diagnostic(
          `${where}, ${kind}: median ${middle} us, half of all from ${low} to ${high}; ` +
            `slower than an unknown id in ${(100 * chanceOfSlower(of_kind, reference)).toFixed(1)} % of pairs`,
        );
      }
    }
  });
});

/** Times in microseconds by kind. One of each kind a round, in an order that turns, so that whatever else happens happens to all. */
async function sample(
  kinds: readonly Refused[],
  times: number,
  work: (kind: Refused) => Promise<void> | void,
): Promise<Map<Refused, number[]>> {
  const samples = new Map<Refused, number[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < times; round += 1) {
    for (const at of kinds.keys()) {
      const kind = kinds[(at + round) % kinds.length];
      if (kind === undefined) continue;
      const began = process.hrtime.bigint();
      const working = work(kind);
      if (working !== undefined) await working;
      samples.get(kind)?.push(Number(process.hrtime.bigint() - began) / 1_000);
    }
  }
  for (const each of samples.values()) each.sort((a, b) => a - b);
  return samples;
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}

/** The share of all pairs in which the first is the slower one, ties as half: 50 % where the two cannot be told apart. Both sorted. */
function chanceOfSlower(one: readonly number[], other: readonly number[]): number {
  let wins = 0;
  let below = 0;
  let not_above = 0;
  for (const value of one) {
    while (below < other.length && (other[below] ?? 0) < value) below += 1;
    while (not_above < other.length && (other[not_above] ?? 0) <= value) not_above += 1;
    wins += below + (not_above - below) / 2;
  }
  return wins / (one.length * other.length);
}
