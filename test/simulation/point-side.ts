import type { FeedIndex } from '../../services/feeds/index/feed-index.ts';
import { points } from '../../services/feeds/kinds/points.ts';
import type { ReadSlice } from '../../services/feeds/publish.ts';
import { latToMicro, lonToMicro } from '../../services/hail/geo/place.ts';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { roundToHundredths } from '../../services/hail/size.ts';
import { storedInstant } from '../../services/store/projections.ts';
import {
  createPublisher,
  draftsOf,
  provenanceOf,
  publisher,
  record_keys,
  type Document,
  type Said,
} from './publisher.ts';
import type { Random } from './random.ts';
import type { Ask, Side } from './side.ts';
import { textOf as columnText } from './tables.ts';

/** A slice that a poll asks for. `as_listed` reads it only where its version is news, as feeds with a listing do. */
interface Question {
  document: Document;
  as_listed: boolean;
  /** Of how many of its records the answer tells; fewer than there are make an incomplete reading. */
  records: number;
}

/** Point records in slices: they move, vanish and come back, and are withdrawn by their absence. */
export function createPointSide(random: Random): Side {
  const world = createPublisher(random);

  const question = (slice: string): Question => {
    const how = random.weighted({ listed: 12, again: 2, earlier: 4, incomplete: 2 });
    const document = how === 'earlier' ? world.earlier(slice) : world.current(slice);
    const size = document.records.size;
    const records = how === 'incomplete' ? random.below(size + 1) : size;
    return { document, as_listed: how === 'listed', records };
  };

  return {
    feed: 'simulated',
    publisher,
    kind: points,
    process_name: 'feed',
    record_keys,
    change: world.change,
    rest: world.rest,
    poll: () => {
      const asked = world.slices.filter(() => !random.oneIn(3)).map(question);
      if (random.oneIn(2)) asked.reverse();
      return random.oneIn(3) ? [ask(asked)] : asked.map((each) => ask([each]));
    },
    pollAll: (as_listed) =>
      world.slices
        .map(world.current)
        .map((document) => ask([{ document, as_listed, records: document.records.size }])),
    rowText: ({ occurred_at, lat, lon, size_in, status }) =>
      `live ${columnText(occurred_at)} ${Number(lat)} ${Number(lon)} ${Number(size_in)} ${columnText(status)}`,
    factTexts: (fact) => {
      const { status, ...said } = fact as ObservationFact;
      return status === 'withdrawn' ? [] : [textOf({ ...said, status })];
    },
    truth: () => new Map([...world.truth()].map(([record_key, said]) => [record_key, [textOf(said)]])),
  };
}

/** Asks for some slices at once. */
function ask(together: readonly Question[]): Ask {
  return async ({ run, name, clock, note }) => {
    const { index } = run;
    await run.settle('live', 'https://publisher.example/', async () => {
      await index.catchUp();
      const asked = together.filter(({ document, as_listed }) => !as_listed || isNews(index, document));
      if (asked.length === 0) return { outcome: 'not_modified', read_through: null };
      note(() => `${name} reads ${asked.map(questionText).join(' and ')}`);
      const { publisher_version = null } = asked[0]?.document ?? {};
      const retrieved_at = clock();
      const drafts = asked.flatMap(({ document, records }) =>
        [...draftsOf(document, provenanceOf(document, retrieved_at))].slice(0, records),
      );
      const slices = asked.map(readSlice);
      const { readings, refused } = await run.publish(drafts, () => slices, {
        ...provenanceOf({ slice: '', publisher_version, records: new Map() }, retrieved_at),
      });
      for (const { slice, published, withdrawn, held } of readings)
        note(
          () =>
            `${name}: slice ${slice}: ${published} published, ${withdrawn} withdrawn, held ${held.join()}`,
        );
      return { outcome: 'read', readings, refused, sha256: null, read_through: null };
    });
  };
}

/** What a table must show of what was said, from the contract. */
function textOf(said: Said): string {
  const { began_at, lat, lon, size_in, status } = said;
  if (began_at === null) return 'set aside, no_time';
  if (lat === null || lon === null) return 'set aside, no_place';
  if (size_in === null) return 'set aside, no_size';
  return `live ${storedInstant(began_at)} ${latToMicro(lat)} ${lonToMicro(lon)} ${roundToHundredths(size_in)} ${status}`;
}

/** As Storm Events decides which years to read: a newer version than the newest complete reading's, or something to mend. */
function isNews(index: FeedIndex, { slice, publisher_version }: Document): boolean {
  if (publisher_version === null) return true;
  if (publisher_version < (index.newestVersion(slice) ?? '')) return false;
  const read = index.slice(slice)?.publisher_version ?? null;
  return read === null || publisher_version > read || !index.isSettled(slice);
}

function readSlice({ document: { slice, publisher_version, records }, ...question }: Question): ReadSlice {
  const complete = question.records >= records.size;
  return { slice, from: 0, until: 1, box: null, publisher_version, complete };
}

function questionText({ document: { slice, publisher_version, records }, ...question }: Question): string {
  const version = publisher_version ?? 'no version';
  return `slice ${slice} (${version}, ${question.records} of ${records.size}: ${[...records.keys()].join()})`;
}
