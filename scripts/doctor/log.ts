import { day_ms } from '../../services/hail/time.ts';
import { readLetters } from '../../services/log/letters/manage.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { compareTopics, type TopicDifference } from '../../services/log/topic-differences.ts';
import { topics } from '../../services/log/topics.ts';
import { isLive } from '../../services/api/keys/directory.ts';
import { listKeys } from '../../services/api/keys/admin.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import type { Around } from './around.ts';
import type { Check } from './examine.ts';
import { broken, ok, warning, type Outcome } from './finding.ts';

const log: Check = {
  name: 'log',
  look: async (around) => {
    try {
      const { id } = await around.openLog();
      return ok(`${placeOf(around)} answers; its id is ${id}.`);
    } catch (error) {
      if (!isHailmarkError(error)) throw error;
      return away(around, error.message);
    }
  },
  if_late: (around) => away(around, `${placeOf(around)} does not answer.`),
};

function away({ config }: Around, says: string): Outcome {
  return broken(
    says,
    config.KAFKA_BROKERS === undefined
      ? 'Start the service once with npm start, or set HAILMARK_DATA_DIR to the folder of its data.'
      : 'Start the brokers (npm run kafka on one machine), or correct KAFKA_BROKERS and the KAFKA_ settings beside it.',
  );
}

function placeOf({ config }: Around): string {
  return config.KAFKA_BROKERS === undefined ? 'The log on this machine' : 'The log on Kafka';
}

const topicsAsDeclared: Check = {
  name: 'topics',
  look: async (around) => {
    const states = await compareTopics(await around.openLog(), Object.values(topics));
    const missing = states.filter(({ found }) => found === null).map(({ declared }) => declared.name);
    if (missing.length > 0)
      return broken(`The log lacks ${missing.join(', ')}.`, 'npm run topics makes what is missing.');
    const differing = states.filter(({ differences }) => differences.length > 0);
    if (differing.length === 0) return ok(`All ${states.length} topics are as declared.`);
    const says = differing
      .map(({ declared, differences }) => `${declared.name}: ${differences.map(inWords).join(', ')}.`)
      .join(' ');
    const has_other_partitions = differing.some(({ differences }) =>
      differences.some(({ setting }) => setting === 'partitions'),
    );
    return broken(
      says,
      has_other_partitions
        ? 'The number of partitions never changes, because a record would be in two places: bring back the log as it was made, or begin ' +
            'another one and load it anew.'
        : 'Alter the topic with the tools of the brokers (kafka-configs.sh --alter) until npm run topics -- --check is content.',
    );
  },
};

function inWords({ setting, declared, found }: TopicDifference): string {
  const value = (of: number | boolean | null): string => {
    if (of === null) return 'without limit';
    return setting === 'retention_ms' ? `${Number(of) / day_ms} days` : String(of);
  };
  return `${setting} is ${value(found)} instead of ${value(declared)}`;
}

/** A registry that was lost and began anew gives its ids to other schemas: every message carries the id it was written with. */
const schema_ids: Check = {
  name: 'schema-ids',
  look: async ({ openLog, codec }, signal) => {
    const open = await openLog();
    const unknown: string[] = [];
    let judged = 0;
    for (const { name } of Object.values(topics)) {
      const newest = await newestOf(open, name, signal);
      if (newest === null) continue;
      const decoded = await codec.decode(name, newest);
      judged += 1;
      if (decoded.outcome === 'dead' && ['unknown-schema', 'wrong-subject'].includes(decoded.reason))
        unknown.push(`${name} (${decoded.error})`);
    }
    if (unknown.length === 0)
      return ok(`The registry knows the schemas of the newest messages of ${judged} topics.`);
    return broken(
      `The registry does not know the schemas that the log was written with: ${unknown.join(', ')}.`,
      'Is SCHEMA_REGISTRY_URL the registry of this log? If it began anew, restore its journal or topic from the backup.',
    );
  },
};

/** The value of the last message of the fullest partition; null where there is none. */
async function newestOf(open: EventLog, topic: string, signal: AbortSignal): Promise<Buffer | null> {
  const ends = await open.endOffsets(topic);
  const fullest = ends.indexOf(Math.max(...ends));
  // Some before the end: the last places may hold marks of the log's own.
  const from = ends.map((end, partition) => (partition === fullest ? Math.max(0, end - 20) : end));
  let newest: Buffer | null = null;
  for await (const page of open.scan(topic, { from, until: ends, signal }))
    for (const { value } of page) newest = value ?? newest;
  return newest;
}

const dead_letters: Check = {
  name: 'dead-letters',
  look: async ({ openLog, codec, clock }) => {
    const { letters, unreadable } = await readLetters({ log: await openLog(), codec, clock });
    const open = letters.filter(({ state }) => state === 'dead' || state === 'retry');
    if (open.length === 0 && unreadable === 0) return ok('No dead letter is open.');
    const by_reason = [...Map.groupBy(open, ({ reason, topic }) => `${reason} in ${topic}`)];
    const counts = by_reason.map(([what, of]) => `${of.length} ${what}`);
    if (unreadable > 0) counts.push(`${unreadable} letters that cannot be read themselves`);
    return warning(
      `Dead letters are open: ${counts.join(', ')}. What they say is in no answer.`,
      'npm run dead-letters -- list, repair what they name, then npm run dead-letters -- retry --all; or drop them.',
    );
  },
};

const keys: Check = {
  name: 'keys',
  look: async ({ openLog, codec, clock }) => {
    const all = await listKeys({ log: await openLog(), codec });
    const live = all.filter((fact) => isLive(fact, clock()));
    return live.length > 0
      ? ok(`${live.length} of ${all.length} API keys are live.`)
      : warning(
          `None of ${all.length} API keys is live: every request is answered with 401.`,
          'npm run keys -- create --partner NAME',
        );
  },
};

export const logChecks: readonly Check[] = [log, topicsAsDeclared, schema_ids, dead_letters, keys];
