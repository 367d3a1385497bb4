import { parentPort, workerData } from 'node:worker_threads';
import { createFuzzer, type Finding, type Tally } from './fuzzer.ts';
import { targets } from './targets.ts';

/** What a worker is to do: every `step`-th run of a target, from `from` on, up to, not with, `until`. */
export interface Task {
  target: string;
  seed: number;
  from: number;
  until: number;
  step: number;
  /** One number a worker: the run it is in, so that a run that never ends can be named. */
  at: SharedArrayBuffer;
}

/** What a worker says: how far it is, now and then, and at last all that it came to. */
export type Said =
  { what: 'progress'; tally: Tally } | { what: 'finding'; finding: Finding } | { what: 'end'; tally: Tally };

const say_every_ms = 500;
/** More of the same would only be told again. */
const most_findings = 5;

async function work(say: (said: Said) => void, task: Task): Promise<void> {
  const target = targets.find(({ name }) => name === task.target);
  if (target === undefined) throw new RangeError(`no target ${task.target}`);
  const fuzzer = createFuzzer(target, task.seed);
  const at = new Float64Array(task.at);
  let findings = 0;
  let said_at = performance.now();
  for (let run = task.from; run < task.until && findings < most_findings; run += task.step) {
    at[0] = run;
    const finding = await fuzzer.run(run);
    if (finding !== null) {
      findings += 1;
      say({ what: 'finding', finding });
    }
    if (performance.now() - said_at > say_every_ms) {
      said_at = performance.now();
      say({ what: 'progress', tally: fuzzer.tally });
    }
  }
  say({ what: 'end', tally: fuzzer.tally });
}

const port = parentPort;
if (port !== null) await work((said) => port.postMessage(said), workerData as Task);
