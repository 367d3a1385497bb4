import type { AlertFact } from '../../hail/alert.ts';

export interface Story<T> {
  /** Messages in the order in which they are to be published: each chapter has one message of an event at most, the earliest ones first. */
  chapters: T[][];
  /** Messages left out because another one of the same event and instant counts. */
  twins: number;
}

/**
 * Puts the messages of an answer into the order in which they were sent. An answer may show a warning and what replaced it side by side; told
 * in order the log has both, so that what the warning said of hail is not lost by the cancellation, which says nothing of it.
 *
 * Where parts of a warned area are released and the rest goes on, the office sends a CAN and a CON of one event in the same instant: the event
 * goes on, and the CAN is left out. Both would be news to each other at every poll.
 */
export function storyOf<T extends AlertFact>(messages: readonly T[]): Story<T> {
  const by_event = new Map<string, Map<number, T>>();
  let twins = 0;
  for (const message of messages) {
    const sent = by_event.get(message.alert_key) ?? new Map<number, T>();
    by_event.set(message.alert_key, sent);
    const twin = sent.get(message.sent_at);
    if (twin !== undefined) twins += 1;
    if (twin === undefined || counts(message, twin)) sent.set(message.sent_at, message);
  }
  const chapters: T[][] = [];
  for (const sent of by_event.values()) {
    const in_order = [...sent.values()].sort((a, b) => a.sent_at - b.sent_at);
    for (const [number, message] of in_order.entries()) (chapters[number] ??= []).push(message);
  }
  return { chapters, twins };
}

/** Whether `one` counts before `other`: going on before ended, not replaced before replaced, then by id, so that order never decides. */
function counts(one: AlertFact, other: AlertFact): boolean {
  const rank = ({ state, replaced_by }: AlertFact): number =>
    (state === 'active' ? 2 : 0) + (replaced_by === null ? 1 : 0);
  if (rank(one) !== rank(other)) return rank(one) > rank(other);
  return one.message_id > other.message_id;
}
