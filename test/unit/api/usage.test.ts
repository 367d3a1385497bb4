import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createUsage, type Usage, type UsageOptions } from '../../../services/api/usage/usage.ts';
import type { Codec } from '../../../services/log/codec.ts';
import type { NewMessage } from '../../../services/log/event-log.ts';
import type { ApiRequestFact } from '../../../services/log/facts.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';

interface Line {
  msg: string;
  dropped?: number;
}
const lines: Line[] = [];
const output = pino(
  { level: 'error' },
  { write: (line: string) => void lines.push(JSON.parse(line) as Line) },
);
/** What the lines say was dropped, added up. */
const toldDropped = (): number => lines.reduce((sum, { dropped = 0 }) => sum + dropped, 0);

function fact(request_id: string, status: number | null = 200): ApiRequestFact {
  return {
    ...{ request_id, key_id: '0badcafe', operation: 'verify', status, duration_ms: 1.5 },
    ...{ methodology_version: 'v2', geohash_4: '9v1z', at: 1_795_255_530_123 },
  };
}

describe('usage on its way to the log', () => {
  let appended: string[][];
  let is_away: boolean;
  let registry_is_away: boolean;
  let usage: Usage | null;
  let append_takes: Promise<[]>;

  beforeEach(() => {
    appended = [];
    lines.length = 0;
    is_away = false;
    registry_is_away = false;
    usage = null;
    append_takes = Promise.resolve([]);
  });
  afterEach(() => usage?.stop());

  const start = (options: UsageOptions): Usage => {
    const codec = {
      registerAll: () =>
        registry_is_away
          ? Promise.reject(new HailmarkError('HAIL_REGISTRY_UNAVAILABLE', 'The registry is away.'))
          : Promise.resolve(),
      encode: (_topic: string, { request_id }: ApiRequestFact) => {
        if (request_id === 'no fact') throw new HailmarkError('HAIL_INVALID_FACT', 'It does not fit.');
        return Buffer.from(request_id);
      },
    } as unknown as Codec;
    const append = (_topic: string, messages: readonly NewMessage[]): Promise<[]> => {
      if (is_away) return Promise.reject(new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log is away.'));
      appended.push(messages.map(({ key }) => key));
      return append_takes;
    };
    usage = createUsage({ log: { append }, codec, output }, options);
    return usage;
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await pause(1);
  };

  it('goes in batches, in order, none before its time', async () => {
    const running = start({ flush_ms: 5 });
    for (const id of ['a', 'b', 'c']) running.record(fact(id));
    assert.deepEqual(appended, []);
    await until(() => appended.length > 0);
    assert.deepEqual(appended, [['a', 'b', 'c']]);
    assert.deepEqual(running.counts(), { waiting: 0, published: 3, dropped: 0 });
  });

  it('is published when the process stops', async () => {
    const running = start({ flush_ms: 3_600_000 });
    for (let at = 0; at < 4_500; at += 1) running.record(fact(String(at)));
    await running.stop();
    // No append is larger than the log takes at once.
    assert.deepEqual(
      appended.map(({ length }) => length),
      [2_000, 2_000, 500],
    );
  });

  it('waits while log or registry are away, and what has no room is dropped and counted', async () => {
    registry_is_away = true;
    const running = start({ flush_ms: 1, most_waiting: 4 });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) running.record(fact(id));
    assert.deepEqual(running.counts(), { waiting: 4, published: 0, dropped: 2 });
    registry_is_away = false;
    is_away = true;
    await pause(1);
    is_away = false;
    await until(() => running.counts().waiting === 0);
    assert.deepEqual(appended.flat(), ['a', 'b', 'c', 'd']);
    assert.deepEqual(running.counts(), { waiting: 0, published: 4, dropped: 2 });
  });

  it('keeps room for answers when a flood is refused', () => {
    const running = start({ flush_ms: 3_600_000, most_waiting: 10 });
    for (let at = 0; at < 100; at += 1) running.record(fact(`refused ${at}`, 429));
    for (let at = 0; at < 5; at += 1) running.record(fact(`answered ${at}`));
    assert.deepEqual(running.counts(), { waiting: 10, published: 0, dropped: 95 });
  });

  it('gives up after a while when the process stops and the log is away, and says how much was lost', async () => {
    is_away = true;
    const running = start({ flush_ms: 3_600_000, last_flush_ms: 20 });
    running.record(fact('lost'));
    await running.stop();
    assert.deepEqual(running.counts(), { waiting: 0, published: 0, dropped: 1 });
    assert.equal(toldDropped(), 1);
  });

  it('says also what had no room, each loss once', async () => {
    is_away = true;
    const running = start({ flush_ms: 3_600_000, last_flush_ms: 20, most_waiting: 2 });
    for (const id of ['a', 'b', 'c', 'd', 'e']) running.record(fact(id));
    await running.stop();
    assert.deepEqual(running.counts(), { waiting: 0, published: 0, dropped: 5 });
    assert.equal(toldDropped(), 5);
  });

  it('gives up in time also where an append takes longer, and what comes of it later is not counted twice', async () => {
    const late = Promise.withResolvers<[]>();
    append_takes = late.promise;
    const running = start({ flush_ms: 3_600_000, last_flush_ms: 20 });
    running.record(fact('under way'));
    await running.stop();
    assert.deepEqual(running.counts(), { waiting: 0, published: 0, dropped: 1 });
    late.reject(new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log is closed.'));
    await running.stop();
    assert.deepEqual(running.counts(), { waiting: 0, published: 0, dropped: 1 });
    assert.equal(toldDropped(), 1);
  });

  it('does not stand still for a fact that is none', async () => {
    const running = start({ flush_ms: 1 });
    for (const id of ['a', 'no fact', 'b']) running.record(fact(id));
    await until(() => running.counts().waiting === 0);
    assert.deepEqual(appended, [['a', 'b']]);
    assert.deepEqual(running.counts(), { waiting: 0, published: 2, dropped: 1 });
    await running.stop();
    assert.equal(toldDropped(), 1);
  });
});
