import { parseBound, type LogQuery } from '../../services/log/log-lines.ts';
import { topics, type TopicName } from '../../services/log/topics.ts';
import { misread, type Given } from '../../services/runtime/command.ts';

export type LogCommand = { name: 'positions'; json: boolean } | { name: 'read'; query: LogQuery };

export const log_options = {
  from: { type: 'string' },
  to: { type: 'string' },
  partition: { type: 'string' },
  key: { type: 'string' },
  follow: { type: 'boolean', short: 'f', default: false },
  json: { type: 'boolean', default: false },
} as const;

const names = Object.values(topics).map(({ name }) => name);

/** What the words ask for; throws `HAIL_COMMAND` with a sentence where they cannot be meant. */
export function commandOf({
  values,
  positionals,
}: Pick<Given<typeof log_options>, 'values' | 'positionals'>): LogCommand {
  const [what, ...more] = positionals;
  if (what === undefined || more.length > 0) throw misread('Name one topic, or positions.');
  const { from, to, partition, key, follow } = values;
  if (what === 'positions') {
    const others = [from, to, partition, key].some((value) => value !== undefined) || follow;
    if (others) throw misread('positions takes --json only.');
    return { name: 'positions', json: values.json };
  }
  if (!isTopic(what)) throw misread(`There is no topic ${what}: topics are ${names.join(', ')}.`);
  return readQuery(what, { from, to, partition, key, follow });
}

function readQuery(
  topic: TopicName,
  given: Record<'from' | 'to' | 'partition' | 'key', string | undefined> & { follow: boolean },
): LogCommand {
  const from = parseBound(given.from ?? '0');
  const to = given.to === undefined ? null : parseBound(given.to);
  if (from === null || (given.to !== undefined && to === null))
    throw misread('--from and --to take an offset, a day, an ISO time with its zone, or end.');
  if (given.follow && given.to !== undefined) throw misread('--follow has no end, so it takes no --to.');
  const partitions = partitionsOf(topic);
  const partition = given.partition === undefined ? null : Number(given.partition);
  if (partition !== null && !(/^\d+$/.test(given.partition ?? '') && partition < partitions))
    throw misread(`${topic} has partitions 0 to ${partitions - 1}.`);
  return {
    name: 'read',
    query: {
      topic,
      partition,
      key: given.key ?? null,
      from,
      to: to === 'end' ? null : to,
      follow: given.follow,
    },
  };
}

function partitionsOf(topic: TopicName): number {
  return Object.values(topics).find(({ name }) => name === topic)?.partitions ?? 0;
}

function isTopic(text: string): text is TopicName {
  return (names as readonly string[]).includes(text);
}
