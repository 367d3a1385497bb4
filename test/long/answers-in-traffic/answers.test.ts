import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cellOf } from '../../../services/hail/geo/geohash.ts';
import { latToMicro, lonToMicro } from '../../../services/hail/geo/place.ts';
import type { Observation } from '../../../services/hail/observation.ts';
import { readAtPosition } from '../../../services/store/answer-at.ts';
import { writeIntent } from '../../../services/store/cell_changes/intents.ts';
import { writePosition } from '../../../services/store/positions.ts';
import type { Store } from '../../../services/store/store.ts';
import {
  liveText,
  radarDrafts,
  correctedHistory,
  truthOf,
  type StoredFact,
} from '../../unit/projector/history.ts';
import { startBench, type Bench } from '../../integration/projector/bench.ts';

const topic = 'hail.observation.v1';

/** `v1.<log>.<positions>.<of grids>` or the same with `~` and a second reading: the positions of observations, read as this suite understands it. */
function readToken(token: string): { from: number[]; to: number[] | null } {
  const parts = /^v1\.[0-9a-f]{8}\.([0-9a-z.-]+)(?:~([0-9a-z.-]+))?$/.exec(token);
  assert.ok(parts, token);
  const numbers = (text: string): number[] =>
    (text.split('.')[0] ?? '').split('-').map((part) => parseInt(part, 36));
  return { from: numbers(parts[1] ?? ''), to: parts[2] === undefined ? null : numbers(parts[2]) };
}

/** An answer in the words of `truthOf`, without the revision, which answers do not carry. */
function textOf(observations: readonly Observation[]): string[] {
  return observations
    .map((row) =>
      liveText({ ...row, began_at: row.began_ms, lat: latToMicro(row.lat), lon: lonToMicro(row.lon) }, 0),
    )
    .sort();
}

function foldAt(facts: readonly StoredFact[], positions: readonly number[]): string[] {
  const before = facts.filter(({ partition, offset }) => offset < (positions[partition] ?? 0));
  return truthOf(before)
    .live.map((text) => text.replace(/ \d+$/, ' 0'))
    .sort();
}

describe('an answer at a position', { timeout: 400_000 }, () => {
  let bench: Bench;
  let cells: number[];

  const ask = (
    database: string,
    own = cells,
    store = bench.store(database),
  ): ReturnType<typeof readAtPosition> =>
    readAtPosition(store, {
      version: 1,
      topics: [topic, 'hail.grid.v1'],
      cells: own,
      from_ms: 0,
      until_ms: 4e12,
      mrms_product: 'MESH_Max_60min',
    });

  before(async () => {
    bench = await startBench();
    const facts = correctedHistory(radarDrafts());
    await bench.appendFacts(facts);
    const standings = facts.flatMap((fact) => [fact, ...fact.supersedes]);
    cells = [
      ...new Set(
        standings.flatMap(({ lat, lon }) => (lat === null || lon === null ? [] : [cellOf(lat, lon)])),
      ),
    ];
  });
  after(() => bench.stop());

  it('equals the log up to its token, while a projector is writing', async () => {
    const running = await bench.begin('moving', { batch_messages: 1 });
    const facts = await bench.facts();
    const seen = new Map<string, number>();
    let [exact, ranges] = [0, 0];
    // A record stays in its partition, so each is folded by itself, once an offset: wide ranges would take the projector's time otherwise.
    const folded = new Map<string, readonly string[]>();
    const standing = (partition: number, offset: number): readonly string[] => {
      const name = `${partition}/${offset}`;
      const texts =
        folded.get(name) ??
        foldAt(
          facts.filter((fact) => fact.partition === partition),
          Array.from({ length: 6 }, () => offset),
        );
      folded.set(name, texts);
      return texts;
    };
    const done = bench.untilPassed('moving').then(() => true);
    for (let finished = false; !finished;) {
      finished = await Promise.race([done, Promise.resolve(false)]);
      const { observations, token } = await ask('moving');
      const { from, to } = readToken(token);
      seen.set(token, (seen.get(token) ?? 0) + 1);
      if (to === null) {
        exact += 1;
        assert.deepEqual(textOf(observations), foldAt(facts, from), token);
      } else {
        ranges += 1;
        // Each record is as some prefix within the range has it.
        const possible = new Set<string>();
        for (const [partition, end] of to.entries()) {
          for (let offset = from[partition] ?? 0; offset <= end; offset += 1)
            for (const text of standing(partition, offset)) possible.add(text);
        }
        for (const text of textOf(observations)) assert.ok(possible.has(text), `${text} at ${token}`);
      }
    }
    await running.leave();
    const last = await ask('moving');
    assert.deepEqual(readToken(last.token), { from: await bench.log.endOffsets(topic), to: null });
    assert.deepEqual(textOf(last.observations), foldAt(facts, await bench.log.endOffsets(topic)));
    assert.ok(exact + ranges > 5 && seen.size > 1, `${exact} exact, ${ranges} ranges, ${seen.size} tokens`);
  });

  it('is a range while a batch that touches its cells stays open, and exact for all other cells', async () => {
    await bench.project('open');
    const ends = await bench.log.endOffsets(topic);
    const [first_offset = 0] = ends;
    const [touched = 0, ...others] = cells;
    await writeIntent(bench.store('open'), 'cell_changes_v1', {
      ...{ topic, partition: 0, first_offset, end_offset: first_offset + 3 },
      cells: [touched],
    });
    assert.deepEqual(readToken((await ask('open', others)).token), { from: ends, to: null });
    const { token } = await ask('open', [touched]);
    assert.deepEqual(readToken(token), { from: ends, to: ends.map((end, at) => (at === 0 ? end + 3 : end)) });
  });

  it('waits for a batch that ends in time, and is exact then', async () => {
    await bench.project('ending');
    const store = bench.store('ending');
    const ends = await bench.log.endOffsets(topic);
    const [first_offset = 0] = ends;
    const end_offset = first_offset + 3;
    await writeIntent(store, 'cell_changes_v1', { topic, partition: 0, first_offset, end_offset, cells });
    const position = { topic, partition: 0, log_id: bench.log.id, next_offset: end_offset };
    // The batch ends after the first look and before the end of the second, however long either takes.
    let looks = 0;
    let ending: Promise<void> | undefined;
    const told: Store = {
      ...store,
      rows: async (sql, ...rest) => {
        if (sql.includes('observations_v1') && ++looks === 2) {
          ending = writePosition(store, 'observations', 1, position, 0);
          await ending;
        }
        return store.rows(sql, ...rest);
      },
    };
    const { token } = await ask('ending', cells, told);
    assert.ok(ending !== undefined, 'it has not looked again');
    const { from, to } = readToken(token);
    assert.deepEqual({ from, to }, { from: ends.map((end, at) => (at === 0 ? end_offset : end)), to: null });
  });

  it('has the same token for the same log and positions, also where there is nothing', async () => {
    const [one, two] = [await ask('open', []), await ask('moving', [])];
    assert.deepEqual(one.observations, []);
    assert.match(one.token, new RegExp(`^v1\\.${bench.log.id.slice(0, 8)}\\.`));
    assert.equal((await ask('open', [])).token, one.token);
    assert.deepEqual(readToken(two.token).from.length, 6);
  });
});
