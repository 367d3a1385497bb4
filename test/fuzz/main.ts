import { oneOf, runCommand, wholeNumber } from '../../services/runtime/command.ts';
import { runCampaign, type CampaignResult } from './campaign.ts';
import { createFuzzer, type Finding, type Tally } from './fuzzer.ts';
import { targets } from './targets.ts';

const help = `Reads mutated documents of the publishers with the real parsers, up to the facts. Bits are flipped, lines dropped, doubled and swapped,
files cut and spliced, numbers and fields replaced by odd ones. What a parser may do is yield facts that are possible, or refuse with one
of its reasons; anything else is a finding.

  npm run fuzz                                     10,000 runs of every target
  npm run fuzz -- --runs 1000000 --target sed      a million of one
  npm run fuzz -- --target sed --from 4711 --runs 1 --show   one run again, with its bytes

  --runs N      how many runs of each target, 10000 unless told
  --from N      the first run, 0 unless told
  --seed N      another course of chance, 1 unless told
  --target T    all unless told; one of: ${targets.map(({ name }) => name).join(', ')}
  --jobs N      how many threads share the runs, 1 unless told; the runs are the same
  --show        prints the mutated bytes of runs that found something, or of the one run asked for
  --json        one JSON object at the end instead of lines
  --help        this

The same seed, target and number give the same bytes on every machine. A target stops after five findings. Progress goes to standard error.
Safe to interrupt: nothing is written anywhere.

Example:
  npm run fuzz -- --runs 1000 --jobs 2 --json

Exit codes: 0 nothing found, 1 something was, 64 the command was not understood, 130 interrupted.`;

const hang_ms = 60_000;
const say_every_ms = 5_000;

interface Wish {
  names: string[];
  runs: number;
  from: number;
  seed: number;
  jobs: number;
  show: boolean;
  json: boolean;
}

async function fuzz(wish: Wish): Promise<number> {
  const { names, json } = wish;
  const results: (CampaignResult & { target: string; runs_per_s: number })[] = [];
  for (const target of names) {
    const began = performance.now();
    let said_at = began;
    const rate = ({ runs }: Tally): number => Math.round((runs / (performance.now() - began)) * 1_000);
    const result = await runCampaign(
      { ...wish, target, hang_ms },
      {
        progress: (tally) => {
          if (performance.now() - said_at < say_every_ms) return;
          said_at = performance.now();
          console.error(`${target}: ${tally.runs} runs, ${rate(tally)} a second`);
        },
        finding: (finding) => {
          if (!json) tell(finding, wish);
        },
      },
    );
    results.push({ target, runs_per_s: rate(result.tally), ...result });
    if (!json) console.log(`${target}: ${inWords(result.tally)}, ${rate(result.tally)} a second.`);
  }
  const found = results.filter(({ findings }) => findings.length > 0);
  if (json) console.log(JSON.stringify({ seed: wish.seed, results }));
  else
    console.log(
      found.length === 0
        ? 'Nothing found.'
        : `Found something in: ${found.map(({ target }) => target).join(', ')}.`,
    );
  return found.length === 0 ? 0 : 1;
}

/** One run of each target in this thread, with its bytes. */
async function showRun(wish: Wish): Promise<number> {
  let found = 0;
  for (const target of targets.filter(({ name }) => wish.names.includes(name))) {
    const { run, bytesOf, tally } = createFuzzer(target, wish.seed);
    const finding = await run(wish.from);
    console.log(`${target.name}, run ${wish.from}: ${inWords(tally)}.\n${quoted(bytesOf(wish.from))}`);
    if (finding === null) continue;
    found += 1;
    console.log(finding.problem);
  }
  return found === 0 ? 0 : 1;
}

function tell({ target, run, problem, bytes }: Finding, { seed, show }: Wish): void {
  console.log(`\n${target}, run ${run}: ${problem}`);
  if (show) console.log(quoted(bytes));
  console.log(`Again: npm run fuzz -- --target ${target} --seed ${seed} --from ${run} --runs 1 --show\n`);
}

function inWords({ runs, read, records, refused }: Tally): string {
  const reasons = Object.entries(refused).map(([reason, count]) => `${count} ${reason}`);
  return [`${runs} runs`, `${read} read with ${records} records`, ...reasons].join(', ');
}

/** Bytes as a literal that a test can keep. */
function quoted(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1'));
}

await runCommand({
  help,
  options: {
    runs: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    target: { type: 'string', default: 'all' },
    jobs: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  if_interrupted: 'Interrupted. What was found so far stands above; the same seed finds it again.',
  run({ values: { target, show, json, ...counts } }) {
    const all = targets.map(({ name }) => name);
    const runs = wholeNumber('runs', counts.runs, 1);
    const from = wholeNumber('from', counts.from, 0);
    const seed = wholeNumber('seed', counts.seed, 0);
    const jobs = wholeNumber('jobs', counts.jobs, 1, 64);
    const chosen = oneOf('target', target, ['all', ...all]);
    const wish = { names: chosen === 'all' ? all : [chosen], runs, from, seed, jobs, show, json };
    return show && runs === 1 ? showRun(wish) : fuzz(wish);
  },
});
