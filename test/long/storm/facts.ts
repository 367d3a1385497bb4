import type { Codec } from '../../../services/log/codec.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import type { ApiRequestFact } from '../../../services/log/facts.ts';
import { topics } from '../../../services/log/topics.ts';
import type { StormAnswer } from './answer.ts';

const topic = topics.api_request.name;

/** The usage facts of the given keys, by request id: one that was appended twice is one use. */
export async function usageFacts(
  { log, codec }: { log: EventLog; codec: Codec },
  key_ids: ReadonlySet<string>,
): Promise<Map<string, ApiRequestFact>> {
  const facts = new Map<string, ApiRequestFact>();
  for await (const page of log.scan(topic)) {
    for (const { value } of page) {
      const decoded = await codec.decode(topic, value);
      if (decoded.outcome !== 'ok') throw new Error(`a usage fact cannot be read: ${decoded.reason}`);
      if (key_ids.has(decoded.fact.key_id)) facts.set(decoded.fact.request_id, decoded.fact);
    }
  }
  return facts;
}

/** Counted answers whose fact says something else than was answered. */
export function contradictions(
  answers: readonly StormAnswer[],
  facts: ReadonlyMap<string, ApiRequestFact>,
): string[] {
  return answers.flatMap(({ request_id, status, question }) => {
    const fact = facts.get(request_id);
    if (fact === undefined || (fact.status === status && fact.operation === question.operation)) return [];
    return [`${question.operation} ${status} is ${fact.operation} ${String(fact.status)}`];
  });
}

/** Counted answers that no fact speaks of. */
export function withoutFact(
  answers: readonly StormAnswer[],
  facts: ReadonlyMap<string, ApiRequestFact>,
): StormAnswer[] {
  return answers.filter(({ counted, request_id }) => counted && !facts.has(request_id));
}

/** What the API's own log says it has dropped, by its lines. */
export function countedDrops(log_text: string): number {
  return log_text
    .split('\n')
    .filter((line) => line.includes('usage was dropped'))
    .reduce((sum, line) => sum + (JSON.parse(line) as { dropped: number }).dropped, 0);
}
