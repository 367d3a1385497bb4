import { setImmediate } from 'node:timers/promises';
import { misread, oneOf, runCommand, wholeNumber } from '../../services/runtime/command.ts';
import { isMutation, mutations } from './mutations.ts';
import { createSimulator, type SeedOptions, type SeedResult } from './seed.ts';

const help = `Simulates the protocol in memory: a publisher whose records move, go blank, vanish and come back, another whose granules are issued
anew, feeds and projectors that die at every step, messages that break. At rest the live table, a fresh rebuild and the publishers must
agree.

  npm run simulate -- --seeds 20000             runs the seeds 1 to 20000
  npm run simulate -- --seeds 1000 --from 5001  runs the seeds 5001 to 6000
  npm run simulate -- --from 4711 --verbose     tells what happens in one seed, in order

  --seeds N      how many seeds, 1 unless told
  --from N       the first seed, 1 unless told
  --feeds WHICH  points, grids or both; any unless told: each seed has its own
  --verbose      tells every event of every seed
  --break RULE   breaks one rule on purpose, to see it found; --break list names them
  --json         one JSON object at the end instead of lines
  --help         this

A seed that fails is told with its events and what does not agree; the run goes on and stops after five of them. The same number gives
the same events on every machine. Progress goes to standard error. Safe to interrupt: nothing is written anywhere.

Example:
  npm run simulate -- --seeds 200 --json

Exit codes: 0 all agree, 1 a seed does not, 64 the command was not understood, 130 interrupted.`;

const simulator = createSimulator();
const most_failures = 5;
const say_every_ms = 5_000;

interface Wish {
  seeds: number;
  from: number;
  verbose: boolean;
  json: boolean;
  options: SeedOptions;
}

async function simulate({ seeds, from, verbose, json, options }: Wish): Promise<number> {
  const began = performance.now();
  const totals = {
    seeds: 0,
    messages: 0,
    batches: 0,
    turns: 0,
    deaths: 0,
    letters: 0,
    rebuilds: 0,
    excepted: 0,
    raced: 0,
  };
  const failed: SeedResult[] = [];
  let said_at = began;
  const rate = (): number => Math.round((totals.seeds / (performance.now() - began)) * 1_000);
  for (let seed = from; seed < from + seeds && failed.length < most_failures; seed += 1) {
    const result = await simulator.run(seed, verbose ? { ...options, listener: console.log } : options);
    totals.seeds += 1;
    for (const name of Object.keys(result.counts) as (keyof SeedResult['counts'])[])
      totals[name] += result.counts[name];
    if (result.violations.length > 0) {
      failed.push(result);
      if (!json) await tell(result, options, verbose);
    }
    if (performance.now() - said_at > say_every_ms) {
      said_at = performance.now();
      console.error(`${totals.seeds} seeds, ${rate()} a second, ${failed.length} failed`);
      // Between two pieces of news an interruption is heard: a seed alone never lets the loop go.
      await setImmediate();
    }
  }
  if (json) {
    console.log(JSON.stringify({ ...totals, seeds_per_s: rate(), failed }));
  } else {
    const { seeds: run, ...rest } = totals;
    const counts = Object.entries(rest).map(([name, count]) => `${count} ${name}`);
    console.log(`${run} seeds from ${from}, ${rate()} a second: ${counts.join(', ')}.`);
    console.log(failed.length === 0 ? 'All agree.' : `Failed: ${failed.map(({ seed }) => seed).join(', ')}.`);
  }
  return failed.length === 0 ? 0 : 1;
}

/** A failed seed with all that happened in it: it is run again, and the same happens. */
async function tell({ seed, violations }: SeedResult, options: SeedOptions, is_told: boolean): Promise<void> {
  console.log(`\nSeed ${seed} fails${is_told ? '' : ', its events in order:'}`);
  if (!is_told) await simulator.run(seed, { ...options, listener: (line) => console.log(`  ${line}`) });
  for (const violation of violations) console.log(`- ${violation}`);
  const { feeds = 'any' } = options;
  const of_feeds = feeds === 'any' ? '' : ` --feeds ${feeds}`;
  console.log(`Again: npm run simulate -- --from ${seed}${of_feeds} --verbose\n`);
}

await runCommand({
  help,
  options: {
    seeds: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    feeds: { type: 'string', default: 'any' },
    break: { type: 'string', default: 'none' },
    json: { type: 'boolean', default: false },
  },
  if_interrupted: 'Interrupted. Every seed that was run agreed unless it stands above; nothing was written.',
  run({ values }) {
    if (values.break === 'list') {
      for (const name of Object.keys(mutations)) console.log(name);
      return 0;
    }
    const mutation = values.break;
    if (!isMutation(mutation)) throw misread(`No rule is called "${mutation}". --break list names them.`);
    const feeds = oneOf('feeds', values.feeds, ['any', 'both', 'points', 'grids']);
    return simulate({
      seeds: wholeNumber('seeds', values.seeds, 1),
      from: wholeNumber('from', values.from, 0),
      verbose: values.verbose,
      json: values.json,
      options: { mutation, feeds },
    });
  },
});
