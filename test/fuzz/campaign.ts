import { Worker } from 'node:worker_threads';
import type { Finding, Tally } from './fuzzer.ts';
import type { Said, Task } from './worker.ts';

export interface Campaign {
  target: string;
  seed: number;
  from: number;
  runs: number;
  /** How many workers share the runs. */
  jobs: number;
  /** A run that takes longer is taken for one that never ends. */
  hang_ms: number;
}

export interface CampaignResult {
  tally: Tally;
  findings: Omit<Finding, 'bytes'>[];
}

/**
 * Runs a target in workers, each watched from here: a reader that never ends cannot be stopped from within its own thread. The runs are the
 * same whatever the number of workers.
 */
export async function runCampaign(
  campaign: Campaign,
  hear: { progress: (tally: Tally) => void; finding: (finding: Finding) => void },
): Promise<CampaignResult> {
  const { jobs } = campaign;
  const tallies: Tally[] = Array.from({ length: jobs }, emptyTally);
  const findings: CampaignResult['findings'] = [];
  const take = (job: number, said: Said): void => {
    if (said.what === 'finding') {
      const { bytes, ...finding } = said.finding;
      findings.push(finding);
      hear.finding({ ...finding, bytes: Buffer.from(bytes) });
      return;
    }
    tallies[job] = said.tally;
    hear.progress(total(tallies));
  };
  await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      const hung_run = await runWorker(campaign, job, (said) => take(job, said));
      if (hung_run === null) return;
      const problem = `the run took more than ${campaign.hang_ms} ms: the reader does not end`;
      take(job, {
        what: 'finding',
        finding: { target: campaign.target, run: hung_run, problem, bytes: Buffer.alloc(0) },
      });
    }),
  );
  return { tally: total(tallies), findings };
}

/** One worker to its end; the run in which it hung, or null. */
function runWorker(campaign: Campaign, job: number, take: (said: Said) => void): Promise<number | null> {
  const { target, seed, from, runs, jobs, hang_ms } = campaign;
  const at = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const task: Task = { target, seed, from: from + job, until: from + runs, step: jobs, at };
  return new Promise((done, fail) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task });
    const position = new Float64Array(at).fill(-1);
    let last = -1;
    let hung: number | null = null;
    const watch = setInterval(() => {
      const run = position[0] ?? -1;
      // Not begun is not hung: a worker's start can take long on a busy machine.
      if (run === last && run >= task.from) {
        hung = run;
        void worker.terminate();
      }
      last = run;
    }, hang_ms);
    worker.on('message', take);
    worker.on('error', fail);
    worker.on('exit', () => {
      clearInterval(watch);
      done(hung);
    });
  });
}

const emptyTally = (): Tally => ({ runs: 0, read: 0, refused: {}, records: 0 });

function total(tallies: readonly Tally[]): Tally {
  const sum = emptyTally();
  for (const { runs, read, refused, records } of tallies) {
    sum.runs += runs;
    sum.read += read;
    sum.records += records;
    for (const [reason, count] of Object.entries(refused))
      sum.refused[reason] = (sum.refused[reason] ?? 0) + count;
  }
  return sum;
}
