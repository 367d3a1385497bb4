import { join } from 'node:path';
import { misread, oneOf, runCommand, wholeNumber } from '../../services/runtime/command.ts';
import { topics } from '../../services/log/topics.ts';
import { openTwin } from '../contract/event-log.kafka.ts';
import { startTestKafka } from '../support/kafka.ts';
import { temporaryLog } from '../support/temporary-log.ts';
import { leastObservations, runKills, type KillsOptions } from './run.ts';

const help = `Kills the projector over and over while facts flow, and compares its tables with the plain fold of the log.

  npm run kills                                        200,000 observations on the embedded log, 8 named points, 100 random kills
  npm run kills -- --log kafka                         the same on Apache Kafka, whose broker is killed twice
  npm run kills -- --json                              the report as one JSON object and nothing else on standard output

--observations, --random (kills at any moment), --rounds and --seed are whole numbers. Progress goes to standard error. All of it happens in folders
for temporary files; interrupted, some of them may be left there.

Example:
  npm run kills -- --observations 20000 --random 10 --rounds 1 --seed 7

Exit codes: 0 nothing lost, doubled or left over, 1 the tables differ or it failed, 64 the command was not understood, 130 interrupted.`;

async function kill(options: Omit<KillsOptions, keyof Twin | 'say'>, log: 'sqlite' | 'kafka', json: boolean) {
  const began = Date.now();
  const { dispose, ...twin } = log === 'kafka' ? await kafkaTwin() : await sqliteTwin();
  const say = (text: string): void =>
    console.error(`${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${text}`);
  const report = await runKills({ ...twin, ...options, say });
  await dispose();
  console.log(JSON.stringify(report, null, json ? 0 : 2));
  const is_clean = Object.values(report.differences).every(
    ({ lost, doubled, ghosts }) => lost + doubled + ghosts === 0,
  );
  console.error(is_clean ? 'Nothing lost, nothing doubled, no ghosts.' : 'The tables differ from the log.');
  return is_clean ? 0 : 1;
}

type Twin = Pick<KillsOptions, 'log' | 'elsewhere' | 'killAndRestartLog'> & { dispose: () => Promise<void> };

async function sqliteTwin(): Promise<Twin> {
  const { log, folder, dispose } = await temporaryLog();
  const module = join(import.meta.dirname, '../contract/event-log.sqlite.ts');
  return { log, elsewhere: { module, connection: folder }, dispose };
}

async function kafkaTwin(): Promise<Twin> {
  const kafka = await startTestKafka();
  const log = await openTwin(kafka.brokers);
  await log.ensureTopics(Object.values(topics));
  return {
    log,
    elsewhere: {
      module: join(import.meta.dirname, '../contract/event-log.kafka.ts'),
      connection: kafka.brokers,
    },
    killAndRestartLog: kafka.killAndRestart,
    dispose: async () => {
      await log.close();
      await kafka.stop();
    },
  };
}

await runCommand({
  help,
  options: {
    log: { type: 'string', default: 'sqlite' },
    observations: { type: 'string', default: '200000' },
    random: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
  if_interrupted: 'Interrupted. Nothing was compared.',
  run({ values }) {
    const options = {
      observations: wholeNumber('observations', values.observations, 1),
      rounds: wholeNumber('rounds', values.rounds, 1),
      random_kills: wholeNumber('random', values.random, 0),
      seed: wholeNumber('seed', values.seed, 0),
    };
    const least = leastObservations(options);
    if (options.observations < least)
      throw misread(
        `--observations must be at least ${least} for so many kills: each life of a projector needs work to die in.`,
      );
    return kill(options, oneOf('log', values.log, ['sqlite', 'kafka']), values.json);
  },
});
// The processes that were killed leave handles behind; the result has been said.
process.exit();
