import { parseArgs } from 'node:util';
import { parseBound, type LogQuery } from '../../services/log/log-lines.ts';
import { topics, type TopicName } from '../../services/log/topics.ts';

export type LogCommand =
  | { name: 'help' }
  | { name: 'positions'; json: boolean }
  | { name: 'read'; query: LogQuery }
  /** What was not understood, a sentence. */
  | { name: 'misread'; why: string };

const names = Object.values(topics).map(({ name }) => name);

export function readCommand(words: readonly string[]): LogCommand {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        partition: { type: 'string' },
        key: { type: 'string' },
        follow: { type: 'boolean', short: 'f', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { name: 'help' };
    const [what, ...more] = positionals;
    if (what === undefined || more.length > 0) return misread('Name one topic, or positions.');
    const { from, to, partition, key, follow } = values;
    if (what === 'positions') {
      const others = [from, to, partition, key].some((value) => value !== undefined) || follow;
      return others ? misread('positions takes --json only.') : { name: 'positions', json: values.json };
    }
    if (!isTopic(what)) return misread(`There is no topic ${what}: topics are ${names.join(', ')}.`);
    return readQuery(what, { from, to, partition, key, follow });
  } catch (error) {
    // The parser's own sentence: it names the option.
    return misread(error instanceof Error ? error.message : String(error));
  }
}

function readQuery(
  topic: TopicName,
  given: Record<'from' | 'to' | 'partition' | 'key', string | undefined> & { follow: boolean },
): LogCommand {
  const from = parseBound(given.from ?? '0');
  const to = given.to === undefined ? null : parseBound(given.to);
  if (from === null || (given.to !== undefined && to === null))
    return misread('--from and --to take an offset, a day, an ISO time with its zone, or end.');
  if (given.follow && given.to !== undefined) return misread('--follow has no end, so it takes no --to.');
  const partitions = partitionsOf(topic);
  const partition = given.partition === undefined ? null : Number(given.partition);
  if (partition !== null && !(/^\d+$/.test(given.partition ?? '') && partition < partitions))
    return misread(`${topic} has partitions 0 to ${partitions - 1}.`);
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

function misread(why: string): LogCommand {
  return { name: 'misread', why };
}
