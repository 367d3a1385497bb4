import type { EventLog, StoredMessage } from '../event-log.ts';
import { placeText, type MessagePlace } from './state.ts';

/** Places nearer to one another than this are read in one go: passing over a message costs less than another reading. */
const near = 200;

/** The messages at these places, each partition's ascending; a place that the log does not hold is passed over. */
export async function* readPlaces(
  log: EventLog,
  places: readonly MessagePlace[],
): AsyncGenerator<StoredMessage> {
  const wanted = new Set(places.map(placeText));
  for (const { topic, partition, first, last } of runsOf(places)) {
    const ends = await log.endOffsets(topic);
    const at = (offset: number): number[] => ends.map((_, each) => (each === partition ? offset : 0));
    for await (const page of log.scan(topic, { from: at(first), until: at(last + 1) })) {
      for (const message of page) if (wanted.has(placeText(message))) yield message;
    }
  }
}

interface Run {
  topic: string;
  partition: number;
  first: number;
  last: number;
}

function runsOf(places: readonly MessagePlace[]): Run[] {
  const sorted = [...places].sort(
    (a, b) =>
      (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition) || a.offset - b.offset,
  );
  const runs: Run[] = [];
  for (const { topic, partition, offset } of sorted) {
    const run = runs.at(-1);
    if (run?.topic === topic && run.partition === partition && offset - run.last <= near) run.last = offset;
    else runs.push({ topic, partition, first: offset, last: offset });
  }
  return runs;
}
