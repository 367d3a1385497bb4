import type { EventLog, TopicSpec } from './event-log.ts';

/** A setting that a topic has otherwise than declared. */
export interface TopicDifference {
  setting: Exclude<keyof TopicSpec, 'name'>;
  declared: number | boolean | null;
  found: number | boolean | null;
}

export interface TopicState {
  declared: TopicSpec;
  /** As the log has it; null where it has no such topic. */
  found: TopicSpec | null;
  differences: TopicDifference[];
}

const settings = ['partitions', 'compacted', 'retention_ms', 'max_message_bytes'] as const;

/** Every declared topic beside what the log has of it, in the order of the declaration. */
export async function compareTopics(
  log: Pick<EventLog, 'describeTopic'>,
  declared: readonly TopicSpec[],
): Promise<TopicState[]> {
  const states: TopicState[] = [];
  for (const spec of declared) {
    const found = await log.describeTopic(spec.name);
    states.push({ declared: spec, found, differences: found === null ? [] : differencesOf(spec, found) });
  }
  return states;
}

/**
 * Makes what is missing and tells what was made. What exists stays as it is, whatever its settings: the number of a record topic's
 * partitions never changes, and a shorter retention or a compaction would delete.
 */
export async function makeMissingTopics(
  log: Pick<EventLog, 'describeTopic' | 'ensureTopics'>,
  declared: readonly TopicSpec[],
): Promise<{ made: string[]; states: TopicState[] }> {
  const missing = (await compareTopics(log, declared)).filter(({ found }) => found === null);
  if (missing.length > 0) await log.ensureTopics(missing.map((state) => state.declared));
  return { made: missing.map((state) => state.declared.name), states: await compareTopics(log, declared) };
}

/** True where the log has every topic as declared. */
export function areAsDeclared(states: readonly TopicState[]): boolean {
  return states.every(({ found, differences }) => found !== null && differences.length === 0);
}

function differencesOf(declared: TopicSpec, found: TopicSpec): TopicDifference[] {
  return settings
    .filter((setting) => declared[setting] !== found[setting])
    .map((setting) => ({ setting, declared: declared[setting], found: found[setting] }));
}
