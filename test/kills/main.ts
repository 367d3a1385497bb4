import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { topics } from '../../services/log/topics.ts';
import { openTwin } from '../contract/event-log.kafka.ts';
import { startTestKafka } from '../support/kafka.ts';
import { temporaryLog } from '../support/temporary-log.ts';
import { runKills, type KillsOptions } from './run.ts';

const help = `Kills the projector over and over while facts flow, and compares its tables with the plain fold of the log.

  npm run kills                                        200,000 observations on the embedded log, 8 named points, 100 random kills
  npm run kills -- --log kafka                         the same on Apache Kafka, whose broker is killed twice
  npm run kills -- --observations 20000 --random 10 --rounds 1 --seed 7`;

const { values } = parseArgs({
  options: {
    log: { type: 'string', default: 'sqlite' },
    observations: { type: 'string', default: '200000' },
    random: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
});
if (values.help === true) {
  console.log(help);
  process.exit(0);
}

const began = Date.now();
const twin = values.log === 'kafka' ? await kafkaTwin() : await sqliteTwin();
const report = await runKills({
  ...twin,
  observations: Number(values.observations),
  rounds: Number(values.rounds),
  random_kills: Number(values.random),
  seed: Number(values.seed),
  say: (text) => console.log(`${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${text}`),
});
await twin.dispose();
console.log(JSON.stringify(report, null, 2));
const is_clean = Object.values(report.differences).every(
  ({ lost, doubled, ghosts }) => lost + doubled + ghosts === 0,
);
console.log(is_clean ? 'Nothing lost, nothing doubled, no ghosts.' : 'The tables differ from the log.');
process.exit(is_clean ? 0 : 1);

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
