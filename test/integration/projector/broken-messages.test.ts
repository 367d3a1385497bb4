import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openIndexDatabase } from '../../../services/feeds/index/database.ts';
import { createFeedIndex } from '../../../services/feeds/index/feed-index.ts';
import { stage } from '../../../services/feeds/index/staging.ts';
import { points, type Draft } from '../../../services/feeds/kinds/points.ts';
import { settleLetters } from '../../../services/feeds/letters.ts';
import { publishSlices, type PublisherDeps } from '../../../services/feeds/publish.ts';
import { createSuspectWithdrawals } from '../../../services/feeds/suspect-withdrawals.ts';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import type { NewMessage } from '../../../services/log/event-log.ts';
import { countLetters, type Letter } from '../../../services/log/letters/book.ts';
import {
  judgeLetters,
  messageOf,
  readLetters,
  sayOfLetters,
  type LetterDeps,
} from '../../../services/log/letters/manage.ts';
import { placeText } from '../../../services/log/letters/state.ts';
import { partitionOf } from '../../../services/log/partition.ts';
import { topics } from '../../../services/log/topics.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import {
  createRevisions,
  keyOf,
  radarDrafts,
  truthOf,
  type StoredFact,
} from '../../unit/projector/history.ts';
import { dumpTables } from '../../support/store-tables.ts';
import { startBench, type Bench } from './bench.ts';
import { broken, earlyWriter, ways, type EarlyWriter, type Way } from './broken.ts';
import { viewOf } from './view.ts';

const observation = topics.observation.name;
const records = 3_500;
const of_each_way = 5;
const slice = 'a made-up slice';

/** NOT REAL: the recorded rows again and again, each time as records of their own a little to the north. */
function manyDrafts(): Draft[] {
  const recorded = radarDrafts();
  return Array.from({ length: records }, (_, n): Draft => {
    const draft = recorded[n % recorded.length];
    assert.ok(draft);
    const lat = (draft.lat ?? 29) + Math.floor(n / recorded.length) * 0.01;
    return { ...draft, record_key: `made-up ${n}`, slice, lat };
  });
}

describe('a log of which one message in a hundred is broken', { timeout: 250_000 }, () => {
  let bench: Bench;
  let early: EarlyWriter;
  let owner: PublisherDeps;
  let deps: LetterDeps;
  let drafts: Draft[];
  const clock = (): number => Date.parse('2026-11-21T00:00:00Z');
  /** Record keys of broken messages by the way. */
  const keys = new Map<Way, string[]>(ways.map((way) => [way, []]));
  const overtaken: string[] = [];

  const send = async (messages: readonly NewMessage[]): Promise<void> => {
    for (let at = 0; at < messages.length; at += 2_000)
      await bench.log.append(observation, messages.slice(at, at + 2_000));
  };
  const messageFor = (fact: ObservationFact, way?: Way): NewMessage => ({
    key: keyOf(fact),
    value: way === undefined ? bench.codec.encode(observation, fact) : broken(way, fact, bench.codec, early),
  });
  const letters = async (): Promise<Letter[]> => (await readLetters(deps)).letters;
  const counted = async (): Promise<string[]> =>
    countLetters(await letters())
      .map(({ state, reason, letters: count }) => `${state} ${reason} ${count}`)
      .sort();
  /** What has no letter and can be decoded: the views must show its newest. */
  const valid = async (): Promise<StoredFact[]> => {
    const dead = new Set((await letters()).map(placeText));
    return (await bench.facts()).filter(
      ({ partition, offset }) => !dead.has(placeText({ topic: observation, partition, offset })),
    );
  };

  before(async () => {
    bench = await startBench();
    early = await earlyWriter(bench.local.registry_url);
    deps = { log: bench.log, codec: bench.codec, clock };
    const [feed, publisher] = ['radar_hail', 'NEXRAD_SWDI'] as const;
    const database = openIndexDatabase(join(bench.local.data_dir, 'index.sqlite'), bench.log.id);
    owner = {
      ...{ clock, feed, publisher, kind: points, log: bench.log, codec: bench.codec },
      index: createFeedIndex({ ...deps, database }, { feed, publisher, kind: points }),
      owner: await bench.log.claim(`feed/${feed}`),
      suspects: createSuspectWithdrawals(bench.local.data_dir),
    };

    drafts = manyDrafts();
    const revise = createRevisions();
    const messages: NewMessage[] = [];
    for (const [n, draft] of drafts.entries()) {
      const way = n % 100 === 50 ? ways[Math.floor(n / 100) % ways.length] : undefined;
      if (way === undefined) {
        messages.push(messageFor(revise(draft)));
        continue;
      }
      keys.get(way)?.push(draft.record_key);
      // Half of them are corrections of a record that has a whole message already.
      if (n % 200 === 50) messages.push(messageFor(revise({ ...draft, lat: (draft.lat ?? 29) - 0.5 })));
      messages.push(messageFor(revise(draft), way));
    }
    // And two of those that can be repaired are followed by a newer message.
    for (const record_key of keys.get('unknown-schema')?.slice(0, 2) ?? []) {
      overtaken.push(record_key);
      const draft = drafts.find((each) => each.record_key === record_key);
      assert.ok(draft);
      messages.push(messageFor(revise(draft)));
    }
    await send(messages);
  });
  after(async () => {
    owner.index.close();
    await bench.stop();
  });

  it('has all of them in dead letters with their reasons, and everything else in the views', async () => {
    const tables = await bench.project('broken', { batch_messages: 1_000 });
    assert.deepEqual(await counted(), ways.map((way) => `dead ${way} ${of_each_way}`).sort());
    for (const letter of await letters()) {
      const record_key = letter.key.slice('NEXRAD_SWDI/'.length);
      assert.ok(keys.get(letter.reason as Way)?.includes(record_key), `${letter.key} is ${letter.reason}`);
    }
    assert.deepEqual(viewOf(tables), truthOf(await valid()));
    // 18 broken corrections leave what their records were; of the two overtaken ones, one had no whole message before.
    assert.equal(viewOf(tables).live.length, records - 35 + 18 + 1);
  });

  it('keeps the bytes of each as they were', async () => {
    for (const letter of await letters()) {
      const { partition, offset } = letter;
      const from = Array.from({ length: 6 }, (_, each) => (each === partition ? offset : 0));
      const until = from.map((at, each) => (each === partition ? at + 1 : 0));
      for await (const [message] of bench.log.scan(observation, { from, until })) {
        const kept = await messageOf(deps, letter);
        assert.deepEqual([kept?.value, kept?.headers], [message?.value, message?.headers]);
      }
    }
  });

  it('gets back by a retry after the repair exactly those that were repaired', async () => {
    // Without a repair all stay dead but those that a newer message has overtaken.
    await sayOfLetters(deps, await letters(), 'retry');
    assert.deepEqual(await settleLetters(owner), { republished: 0, settled: 2, still_dead: 33 });
    const before = viewOf(await bench.project('broken'));
    assert.deepEqual(before, truthOf(await valid()));

    assert.equal(await early.register(), early.id);
    const dead = (await letters()).filter(({ state }) => state === 'dead');
    const { repaired, still_dead } = await judgeLetters(deps, dead);
    assert.equal(repaired, 3);
    assert.deepEqual(
      still_dead,
      Object.fromEntries(ways.filter((way) => way !== 'unknown-schema').map((way) => [way, of_each_way])),
    );
    await sayOfLetters(deps, dead, 'retry');
    assert.deepEqual(await settleLetters(owner), { republished: 3, settled: 0, still_dead: 30 });
    assert.deepEqual(await settleLetters(owner), { republished: 0, settled: 0, still_dead: 0 });

    const after = viewOf(await bench.project('broken'));
    assert.deepEqual(after, truthOf(await valid()));
    const new_lines = after.live.filter((line) => !before.live.includes(line));
    assert.deepEqual(
      new_lines.map(recordOf).sort(),
      keys
        .get('unknown-schema')
        ?.filter((key) => !overtaken.includes(key))
        .sort(),
    );
    // Corrections take the place of what they correct: two of the three records were in the view before, elsewhere.
    assert.equal(after.live.length, before.live.length + 3 - corrected(new_lines, before.live));
  });

  it('is whole once the rest is dropped and the publisher is read again, and so is a rebuild', async () => {
    const read = {
      ...{ slice, from: 0, until: 1, box: null, publisher_version: null, complete: true },
    };
    await stage(owner.index.database, points, drafts);
    const provenance = drafts[0]?.provenance;
    assert.ok(provenance);
    const held = await publishSlices(owner, [read], provenance);
    assert.deepEqual([held.readings[0]?.published, held.readings[0]?.held.length], [of_each_way, 25]);

    const dead = (await letters()).filter(({ state }) => state === 'dead');
    assert.equal(await sayOfLetters(deps, dead, 'dropped'), 30);
    const free = await publishSlices(owner, [read], provenance);
    assert.deepEqual([free.readings[0]?.published, free.readings[0]?.held], [25, []]);
    const again = await publishSlices(owner, [read], provenance);
    assert.equal(again.readings[0]?.published, 0);

    const [live, rebuilt] = [await bench.project('broken'), await bench.project('rebuilt')];
    assert.deepEqual(rebuilt, live);
    assert.deepEqual(
      viewOf(live).live.map(withoutRevision),
      truthOf(
        drafts.map((draft) => ({ fact: { ...draft, supersedes: [] }, partition: 0, offset: 0 })),
      ).live.map(withoutRevision),
    );
    assert.equal((await letters()).length, 35);
  });

  it('is projected no further where most of a batch is broken, and says why', async () => {
    const count = await bench.log.endOffsets(topics.dead_letter.name);
    const before = await bench.project('broken');
    const in_first = drafts.filter((draft) => partitionOf(keyOf(draft), topics.observation.partitions) === 0);
    // The early writer's schema is known by now.
    const of_now = ways.filter((way) => way !== 'unknown-schema');
    const hundred = in_first.slice(0, 100).map((draft, n): NewMessage => {
      const fact = { ...draft, size_in: 3, supersedes: [] };
      return messageFor(fact, n % 5 < 3 ? of_now[n % of_now.length] : undefined);
    });
    await send(hundred);
    const running = await bench.begin('broken');
    await assert.rejects(running.done, (error: unknown) => {
      assert.ok(isHailmarkError(error, 'HAIL_SCHEMA_INCIDENT'));
      assert.match(
        error.message,
        /^60 of 100 messages of hail\.observation\.v1, partition 0, offsets \d+ to \d+/,
      );
      for (const way of of_now) assert.ok(error.message.includes(way), way);
      assert.match(error.message, /nothing was written\. Mend the writer or the schema and start/);
      return true;
    });
    await running.leave();
    assert.deepEqual(await bench.log.endOffsets(topics.dead_letter.name), count);
    assert.deepEqual((await dumpTables(bench.store('broken'))).observations, before.observations);
  });
});

function recordOf(line: string): string {
  return /^NEXRAD_SWDI\/(made-up \d+) /.exec(line)?.[1] ?? line;
}

function withoutRevision(line: string): string {
  return line.slice(0, line.lastIndexOf(' '));
}

/** How many of the records of some lines stood elsewhere before. */
function corrected(lines: readonly string[], before: readonly string[]): number {
  const known = new Set(before.map(recordOf));
  return lines.filter((line) => known.has(recordOf(line))).length;
}
