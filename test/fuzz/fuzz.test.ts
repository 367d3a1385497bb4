import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { no_county } from '../../services/hail/county.ts';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { createFuzzer } from './fuzzer.ts';
import { judged, provenance } from './judge.ts';
import type { FuzzTarget } from './target.ts';
import { targets } from './targets.ts';

/** A short run of what `npm run fuzz` does for as long as one likes. */
const runs = 1_000;

describe('mutated documents', () => {
  for (const target of targets) {
    it(`of ${target.name} are read as facts that are possible, or refused with a reason`, async () => {
      const fuzzer = createFuzzer(target, 20_261_121);
      for (let run = 0; run < runs; run += 1) {
        const finding = await fuzzer.run(run);
        assert.equal(finding, null, `run ${run}: ${finding?.problem ?? ''}`);
      }
      // Were everything refused, or everything read, the changes would try nothing.
      const { tally } = fuzzer;
      const refused = Object.values(tally.refused).reduce((sum, count) => sum + count, 0);
      assert.equal(tally.read + refused, runs);
      // A granule is under checksums nearly everywhere, so few of its changes are read.
      assert.ok(tally.read > runs / 40 && tally.records > 0 && refused > runs / 100, JSON.stringify(tally));
    });
  }
});

describe('the fuzzer', () => {
  const text = 'ZTIME,SIZE\n2011-05-24T22:42:54Z,1.75\n2011-05-24T22:46:51Z,1.25\n';
  const made_up = (run: FuzzTarget['run']): FuzzTarget => ({
    name: 'made up',
    seeds: () => [Buffer.from(text)],
    run,
  });

  it('gives the same bytes for the same seed and number, and others for others', () => {
    const target = made_up(() => ({ records: 0, problems: [] }));
    const bytesOf = (seed: number): string[] => {
      const fuzzer = createFuzzer(target, seed);
      return Array.from({ length: 200 }, (_, run) => fuzzer.bytesOf(run).toString('latin1'));
    };
    assert.deepEqual(bytesOf(1), bytesOf(1));
    assert.notDeepEqual(bytesOf(1), bytesOf(2));
    assert.ok(new Set(bytesOf(1)).size > 150);
    assert.ok(bytesOf(1).filter((bytes) => bytes !== text).length > 190);
  });

  it('finds a reader that throws what it does not state, and one that yields what is impossible', async () => {
    const findings = async (target: FuzzTarget): Promise<string[]> => {
      const fuzzer = createFuzzer(target, 1);
      const found = await Promise.all(Array.from({ length: 300 }, (_, run) => fuzzer.run(run)));
      return found.flatMap((finding) => finding?.problem ?? []);
    };
    const careless = made_up((bytes) => {
      const [, line = ''] = bytes.toString('utf8').split('\n');
      const [, size] = line.split(',');
      if (size === undefined) throw new TypeError('no such column');
      const size_in = Number(size);
      return { records: 1, problems: size_in > 0 && size_in < 12 ? [] : [`no size: ${size_in}`] };
    });
    const found = await findings(careless);
    assert.ok(found.some((problem) => problem.startsWith('TypeError: no such column')));
    assert.ok(found.some((problem) => problem.startsWith('no size')));

    const stated: FuzzTarget = {
      ...careless,
      refusalOf: (error) => (error instanceof TypeError ? 'no-column' : null),
    };
    assert.ok((await findings(stated)).every((problem) => problem.startsWith('no size')));
  });
});

describe('the judge of facts', () => {
  const fact: Omit<ObservationFact, 'supersedes'> = {
    publisher: 'NOAA_SED',
    record_key: '679888',
    record_id: '679888',
    slice: '2017',
    began_at: Date.parse('2017-03-12T02:26:00Z'),
    ended_at: Date.parse('2017-03-12T02:31:00Z'),
    lat: 31.42,
    lon: -103.48,
    size_in: 1,
    status: 'final',
    ...no_county,
    evidence: {
      sevprob: null,
      prob: null,
      qualifier: null,
      reporter: 'Emergency Manager',
      station: null,
      cell_id: null,
      time_zone: 'CST-6',
    },
    provenance,
  };

  it('lets a real one pass, and none that cannot be', () => {
    assert.deepEqual(judged([fact]), { records: 1, problems: [] });
    for (const change of [
      { lat: 90.1 },
      { lon: -180.1 },
      { lat: NaN },
      { lat: null },
      { size_in: 0 },
      { size_in: 12.5 },
      { size_in: NaN },
      { began_at: Date.parse('1899-12-31T00:00:00Z') },
      { began_at: 1.5 },
      { began_at: null },
      { ended_at: fact.began_at === null ? 0 : fact.began_at - 1 },
      { record_key: '' },
      { record_key: 'a\nb' },
      { record_id: '9'.repeat(2_000) },
      { evidence: { ...fact.evidence, reporter: '\ud800' } },
      { evidence: { ...fact.evidence, sevprob: -1 } },
    ]) {
      assert.equal(judged([{ ...fact, ...change }]).problems.length, 1, JSON.stringify(change));
    }
  });
});
