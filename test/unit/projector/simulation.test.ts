import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { plainMutations } from '../../simulation/mutations.ts';
import { createSimulator } from '../../simulation/seed.ts';

/** `npm run simulate` runs many more. */
const seeds = 100;
/** Each rule that is broken shows within so many seeds. */
const seeds_until_found = 1_000;

describe('the protocol in a simulation', () => {
  const simulator = createSimulator();
  after(() => simulator.close());

  it('ends with live tables, a fresh rebuild and the publishers in agreement', async () => {
    let [messages, deaths, letters] = [0, 0, 0];
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { violations, counts } = await simulator.run(seed);
      assert.deepEqual(violations, [], `npm run simulate -- --from ${seed} --verbose tells what happens`);
      messages += counts.messages;
      deaths += counts.deaths;
      letters += counts.letters;
    }
    assert.ok(messages > 4 * seeds && deaths > seeds && letters > seeds / 5, 'something happens in a seed');
  });

  for (const feeds of ['points', 'grids', 'both'] as const) {
    it(`has messages of its feeds, and deaths: ${feeds}`, async () => {
      let [messages, deaths] = [0, 0];
      for (let seed = 1; seed <= 20; seed += 1) {
        const { violations, counts } = await simulator.run(seed, { feeds });
        assert.deepEqual(violations, [], `npm run simulate -- --from ${seed} --feeds ${feeds} --verbose`);
        messages += counts.messages;
        deaths += counts.deaths;
      }
      assert.ok(messages > 40 && deaths > 20, `${messages} messages, ${deaths} deaths`);
    });
  }

  it('agrees on seeds that once did not', async () => {
    // 31746: a poll fact that nobody could read at first, and an older version published meanwhile.
    for (const seed of [31_746]) {
      const { violations } = await simulator.run(seed, { feeds: 'points' });
      assert.deepEqual(violations, [], `seed ${seed}`);
    }
  });

  it('tells the same of a seed each time', async () => {
    const told = async (): Promise<string[]> => {
      const lines: string[] = [];
      await simulator.run(4_711, { listener: (line) => lines.push(line) });
      return lines;
    };
    const once = await told();
    assert.ok(once.length > 20);
    assert.deepEqual(await told(), once);
  });

  for (const mutation of plainMutations()) {
    it(`finds out when a rule is broken: ${mutation}`, async () => {
      for (let seed = 1; seed <= seeds_until_found; seed += 1) {
        if ((await simulator.run(seed, { mutation })).violations.length > 0) return;
      }
      assert.fail(`nothing was found in ${seeds_until_found} seeds`);
    });
  }
});
