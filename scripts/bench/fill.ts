import type { Codec } from '../../services/log/codec.ts';
import { max_append_messages, type EventLog, type NewMessage } from '../../services/log/event-log.ts';
import { topics } from '../../services/log/topics.ts';
import { madeUpFacts } from './facts.ts';

const topic = topics.observation.name;

/** Appends made-up facts through the real codec until the topic holds `count`; what is there already counts. */
export async function fillLog(log: EventLog, codec: Codec, count: number): Promise<void> {
  const there = (await log.endOffsets(topic)).reduce((sum, end) => sum + end, 0);
  let passed = 0;
  let page: NewMessage[] = [];
  for (const fact of madeUpFacts(count)) {
    passed += 1;
    // Appends were in the order of the facts, so those that are there are the first ones.
    if (passed <= there) continue;
    page.push({ key: `${fact.publisher}/${fact.record_key}`, value: codec.encode(topic, fact) });
    if (page.length < max_append_messages) continue;
    await log.append(topic, page);
    page = [];
  }
  if (page.length > 0) await log.append(topic, page);
}
