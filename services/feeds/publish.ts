import type { Clock } from '../runtime/clock.ts';
import type { Provenance } from '../hail/observation.ts';
import type { Publisher } from '../hail/publisher.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog, NewMessage, Ownership } from '../log/event-log.ts';
import type { FeedPollFact, RecordFact, SliceReading, TopicEnd } from '../log/facts.ts';
import { topics } from '../log/topics.ts';
import type { FeedIndex } from './index/feed-index.ts';
import type { KnownRecord } from './index/records.ts';
import { absentPages, countAbsent, countStaged, stagedPages } from './index/staging.ts';
import { placeOf, type AnyDraft, type FactKind } from './kinds/kind.ts';
import type { SuspectWithdrawals } from './suspect-withdrawals.ts';

/** More than this share and this number of a slice's records vanishing at once looks like a broken file, not like a correction. */
const suspicious = { share: 0.05, records: 20 };

/** A slice that was read and is staged; what publishing it came to is not known yet. */
export type ReadSlice = Omit<SliceReading, 'records' | 'published' | 'withdrawn' | 'held'>;

export interface PublisherDeps {
  clock: Clock;
  feed: string;
  publisher: Publisher;
  /** What kind of facts the feed publishes, and to which topic. */
  kind: FactKind;
  log: EventLog;
  codec: Codec;
  index: FeedIndex;
  owner: Ownership;
  suspects: SuspectWithdrawals;
}

export interface PublishedSlices {
  readings: SliceReading[];
  /** Slices of which nothing was published, because too much would have vanished; a sentence for each. */
  refused: string[];
}

/**
 * Publishes what changed in staged slices and withdraws what complete ones no longer have. The index reads the log to its end before each. A slice
 * is passed over as a whole when it would withdraw suspiciously much, unless an operator has accepted that, and when it is older than
 * what was published before.
 */
export async function publishSlices(
  deps: PublisherDeps,
  slices: readonly ReadSlice[],
  provenance: Provenance,
): Promise<PublishedSlices> {
  const published: PublishedSlices = { readings: [], refused: [] };
  for (const read of slices) {
    // Before every slice: a record that moves from one of them to another is taken over by the one and must not be withdrawn by the other.
    await deps.index.catchUp();
    if (isOlder(deps.index, read)) continue;
    const refusal = read.complete ? suspicion(deps, read.slice) : null;
    if (refusal === null) published.readings.push(await publishSlice(deps, read, provenance));
    else published.refused.push(refusal);
  }
  return published;
}

/** Appends a poll fact, with the ends of the topics the feed writes: freshness may be claimed once these are queryable. */
export async function publishPoll(deps: PublisherDeps, poll: Omit<FeedPollFact, 'offsets'>): Promise<void> {
  const topic = deps.kind.topic.name;
  const ends = await deps.log.endOffsets(topic);
  const offsets = ends.map((end_offset, partition): TopicEnd => ({ topic, partition, end_offset }));
  const message = { key: deps.feed, value: deps.codec.encode(topics.feed_poll.name, { ...poll, offsets }) };
  await deps.log.append(topics.feed_poll.name, [message], deps.owner);
}

/** Publishes what messages of the log had said once more, under today's knowledge of where their records have stood. */
export async function publishAnew(deps: PublisherDeps, facts: readonly RecordFact[]): Promise<void> {
  const { kind, index } = deps;
  const anew = facts.map((fact) => {
    const draft = kind.draft(fact);
    return kind.fact(draft, supersededBy(kind.standings(draft), index.record(draft.record_key)));
  });
  await append(deps, anew);
}

async function publishSlice(
  deps: PublisherDeps,
  read: ReadSlice,
  provenance: Provenance,
): Promise<SliceReading> {
  const { index, feed, suspects, kind, publisher } = deps;
  const { slice, publisher_version } = read;
  // A version of another slice would make this one's next reading look older than what was published.
  const of_slice = { ...provenance, publisher_version };
  const counts = { published: 0, withdrawn: 0 };
  const held = new Set<string>();
  const isFree = (record_key: string): boolean => {
    const is_held = index.held(record_key);
    if (is_held) held.add(record_key);
    return !is_held;
  };
  for (const page of stagedPages(index.database, slice)) {
    const changed = page.flatMap(({ record_key, hash, draft }) => {
      if (!isFree(record_key)) return [];
      const known = index.record(record_key);
      if (isUnchanged(known, hash, slice) || isOlderRecord(known, draft, publisher_version)) return [];
      return [kind.fact(draft, supersededBy(kind.standings(draft), known))];
    });
    counts.published += await append(deps, changed);
  }
  if (read.complete) {
    for (const keys of absentPages(index.database, slice)) {
      const gone = keys.filter(isFree).flatMap((record_key) => {
        const known = index.record(record_key);
        const record_id = known?.record_id ?? record_key;
        const of_record = { publisher, record_key, record_id, slice, provenance: of_slice };
        return kind.withdrawal(of_record, supersededBy([], known)) ?? [];
      });
      counts.withdrawn += await append(deps, gone);
    }
    // A record that cannot be read may be of this slice by now: were it not named, nobody would look for its absence here again.
    for (const record_key of index.allHeld()) held.add(record_key);
    suspects.settle(feed, slice);
  }
  return { ...read, records: countStaged(index.database, slice), ...counts, held: [...held].sort() };
}

/**
 * Unchanged is: same content, held by the same slice, and every place the record ever had is named by its newest message. A record that
 * another slice holds now is published again, or the slice it left would withdraw it.
 */
function isUnchanged(known: KnownRecord | null, hash: string, slice: string): boolean {
  return known !== null && known.hash === hash && known.slice === slice && known.complete;
}

/** The same of single records, where the publisher gives each a version of its own and the slice has none. */
function isOlderRecord(known: KnownRecord | null, draft: AnyDraft, slice_version: string | null): boolean {
  const { publisher_version } = draft.provenance;
  if (slice_version !== null || publisher_version === null) return false;
  return known !== null && known.version !== null && publisher_version < known.version;
}

/** A publisher may offer an older version again; publishing it would take corrections back. */
function isOlder(index: FeedIndex, { slice, publisher_version }: ReadSlice): boolean {
  const newest = index.newestVersion(slice);
  return newest !== null && publisher_version !== null && publisher_version < newest;
}

/** A sentence when a complete slice lacks suspiciously many of its records and nobody has accepted that, else null. */
function suspicion({ index, suspects, feed }: PublisherDeps, slice: string): string | null {
  const { known, absent } = countAbsent(index.database, slice);
  if (absent <= suspicious.records || absent <= known * suspicious.share) return null;
  if (suspects.isAccepted(feed, slice, absent)) return null;
  suspects.refuse({ feed, slice, known, absent });
  return (
    `The reading of ${slice} lacks ${absent} of ${known} records. If that is right, accept it once: ` +
    `npm run accept-withdrawal -- ${feed} ${slice}`
  );
}

/** Every place the record ever had and has no more, in the order of their texts. */
function supersededBy(own: readonly string[], known: KnownRecord | null): string[] {
  const stays = new Set(own);
  const places = (known?.standings ?? []).filter((standing) => !stays.has(standing)).map(placeOf);
  return [...new Set(places)].sort();
}

/** Appends facts as one transaction and returns how many. After a failure the next publishing begins with the index reading the log. */
async function append(deps: PublisherDeps, facts: readonly RecordFact[]): Promise<number> {
  if (facts.length === 0) return 0;
  const { kind, codec } = deps;
  const messages = facts.map((fact): NewMessage => ({
    key: kind.messageKey(fact),
    value: codec.encode(kind.topic.name, fact),
  }));
  await deps.log.append(kind.topic.name, messages, deps.owner);
  return facts.length;
}
