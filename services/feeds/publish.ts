import type { ObservationFact } from '../hail/observation.ts';
import type { Publisher } from '../hail/publisher.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog, NewMessage, Ownership } from '../log/event-log.ts';
import type { Box, FeedPollFact, SliceReading, TopicEnd } from '../log/facts.ts';
import { topics } from '../log/topics.ts';
import type { AcceptedWithdrawals } from './accepted-withdrawals.ts';
import type { FeedIndex, KnownRecord } from './index/feed-index.ts';
import { absentRecords, countStaged, stagedPages } from './index/staging.ts';
import { parsePlace, placeOf, standingOf, type Draft } from './index/standing.ts';
import { PollFailed } from './poll-failure.ts';

/** More than this share and this number of a slice's records vanishing at once looks like a broken file, not like a correction. */
const suspicious = { share: 0.05, records: 20 };

/** A slice that was read completely and is staged: what is not in it exists no more. */
export interface ReadSlice {
  slice: string;
  from: number;
  until: number;
  box: Box | null;
  publisher_version: string | null;
}

export interface PublisherDeps {
  feed: string;
  publisher: Publisher;
  log: EventLog;
  codec: Codec;
  index: FeedIndex;
  owner: Ownership;
  accepted: AcceptedWithdrawals;
}

/**
 * Publishes what changed in staged slices and withdraws what they no longer have. The index has read the log to its end before; nothing is
 * published from a document that would withdraw suspiciously much, unless an operator has accepted it.
 */
export async function publishSlices(
  deps: PublisherDeps,
  slices: readonly ReadSlice[],
  provenance: ObservationFact['provenance'],
): Promise<SliceReading[]> {
  const { index } = deps;
  await index.catchUp();
  for (const { slice } of slices) refuseSuspicious(deps, slice);
  const readings: SliceReading[] = [];
  for (const read of slices) {
    const counts = { published: 0, withdrawn: 0 };
    const held: string[] = [];
    for (const page of stagedPages(index.database, read.slice)) {
      const changed: ObservationFact[] = [];
      for (const { record_key, hash, draft } of page) {
        if (index.held(record_key)) {
          held.push(record_key);
          continue;
        }
        const known = index.record(record_key);
        if (known !== null && known.hash === hash && namesAll(known)) continue;
        changed.push({ ...draft, supersedes: supersededBy(draft, known) });
      }
      await append(deps, changed);
      counts.published += changed.length;
    }
    const gone = absentRecords(index.database, read.slice).absent.filter((record_key) => {
      const is_held = index.held(record_key);
      if (is_held) held.push(record_key);
      return !is_held;
    });
    for (let at = 0; at < gone.length; at += 500) {
      const facts = gone
        .slice(at, at + 500)
        .map((record_key) => withdrawal(deps, record_key, read.slice, provenance));
      await append(deps, facts);
      counts.withdrawn += facts.length;
    }
    deps.accepted.use(deps.feed, read.slice);
    readings.push({
      ...read,
      complete: true,
      records: countStaged(index.database, read.slice),
      ...counts,
      held,
    });
  }
  return readings;
}

/** Appends a poll fact, with the ends of the topics the feed writes: freshness may be claimed once these are queryable. */
export async function publishPoll(
  deps: PublisherDeps,
  poll: Omit<FeedPollFact, 'offsets'>,
): Promise<FeedPollFact> {
  const ends = await deps.log.endOffsets(topics.observation.name);
  const offsets = ends.map((end_offset, partition): TopicEnd => ({
    topic: topics.observation.name,
    partition,
    end_offset,
  }));
  const fact: FeedPollFact = { ...poll, offsets };
  const message = { key: deps.feed, value: deps.codec.encode(topics.feed_poll.name, fact) };
  await deps.log.append(topics.feed_poll.name, [message], deps.owner);
  return fact;
}

function refuseSuspicious({ index, accepted, feed }: PublisherDeps, slice: string): void {
  const { known, absent } = absentRecords(index.database, slice);
  if (absent.length <= suspicious.records || absent.length <= known * suspicious.share) return;
  if (accepted.isAccepted(feed, slice)) return;
  throw new PollFailed(
    'suspicious-withdrawal',
    `The reading of ${slice} lacks ${absent.length} of ${known} records. If that is right, accept it once: ` +
      `npm run accept-withdrawal -- ${feed} "${slice}"`,
  );
}

/** The newest message must name every place the record ever had, or a row of an earlier one could be left standing. */
function namesAll(known: KnownRecord): boolean {
  const named = new Set(known.named);
  return known.standings.every((standing) => standing === known.own || named.has(placeOf(standing)));
}

function supersededBy(draft: Draft, known: KnownRecord | null): ObservationFact['supersedes'] {
  const own = standingOf(draft);
  const places = (known?.standings ?? []).filter((standing) => standing !== own).map(placeOf);
  return [...new Set(places)].sort().map(parsePlace);
}

/** A withdrawn record says nothing any more but where it stood. */
function withdrawal(
  { index, publisher }: PublisherDeps,
  record_key: string,
  slice: string,
  provenance: ObservationFact['provenance'],
): ObservationFact {
  const known = index.record(record_key);
  const nothing = {
    sevprob: null,
    prob: null,
    qualifier: null,
    reporter: null,
    station: null,
    cell_id: null,
    time_zone: null,
  };
  const draft: Draft = {
    publisher,
    record_key,
    record_id: known?.record_id ?? record_key,
    slice,
    began_at: null,
    ended_at: null,
    lat: null,
    lon: null,
    size_in: null,
    status: 'withdrawn',
    evidence: nothing,
    provenance,
  };
  return { ...draft, supersedes: supersededBy(draft, known) };
}

async function append(deps: PublisherDeps, facts: readonly ObservationFact[]): Promise<void> {
  if (facts.length === 0) return;
  const messages = facts.map((fact): NewMessage => ({
    key: `${fact.publisher}/${fact.record_key}`,
    value: deps.codec.encode(topics.observation.name, fact),
  }));
  try {
    await deps.log.append(topics.observation.name, messages, deps.owner);
  } catch (error) {
    // What of it arrived is not known: the index has to see before anything else is published.
    await deps.index.catchUp();
    throw error;
  }
}
