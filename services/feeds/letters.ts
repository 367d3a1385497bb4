import type { NewMessage, StoredMessage } from '../log/event-log.ts';
import type { FeedPollFact, RecordFact } from '../log/facts.ts';
import { judgeMessage } from '../log/letters/judge-message.ts';
import { readPlaces } from '../log/letters/read-places.ts';
import { laterLetter, placeText } from '../log/letters/state.ts';
import { topics } from '../log/topics.ts';
import type { KnownLetter } from './index/letters.ts';
import { publishAnew, publishPoll, type PublisherDeps } from './publish.ts';

export interface SettledLetters {
  /** Letters whose record or poll was published anew. */
  republished: number;
  /** Letters that needed nothing: a newer message had taken the place of theirs. */
  settled: number;
  /** Letters whose message still is no valid fact. */
  still_dead: number;
}

const page_letters = 500;

/**
 * Answers every dead letter of the feed that was asked to be retried. Its message keeps its offset and is never projected; where it is the
 * newest of its record, or the feed's newest poll, and by now a valid fact, what it says is published anew, and else the letter is settled
 * or stays dead. Facts are appended before the answers: when this ends in between, the next run finds the message no longer the newest and
 * settles the letter.
 */
export async function settleLetters(deps: PublisherDeps): Promise<SettledLetters> {
  const { index } = deps;
  const done: SettledLetters = { republished: 0, settled: 0, still_dead: 0 };
  await index.catchUp();
  const asked = index.retries();
  for (let at = 0; at < asked.length; at += page_letters) {
    const page = asked.slice(at, at + page_letters);
    const answers = await judgePage(deps, page);
    await publishFacts(deps, answers);
    await sayAnswers(deps, answers);
    for (const { verdict } of answers) done[verdict] += 1;
  }
  return done;
}

interface Answer {
  letter: KnownLetter;
  key: string;
  verdict: keyof SettledLetters;
  reason: string;
  error: string;
  record?: RecordFact;
  poll?: FeedPollFact;
}

async function judgePage(deps: PublisherDeps, page: readonly KnownLetter[]): Promise<Answer[]> {
  const newest = page.filter(deps.index.isNewest);
  const messages = new Map<string, StoredMessage>();
  for await (const message of readPlaces(deps.log, newest)) messages.set(placeText(message), message);
  const answers: Answer[] = [];
  for (const letter of page) {
    const said = newest.includes(letter)
      ? await judge(deps, messages.get(placeText(letter)))
      : { verdict: 'settled' as const, reason: 'overtaken', error: '' };
    answers.push({ letter, key: keyOf(deps, letter), ...said });
  }
  return answers;
}

async function judge(
  { codec }: PublisherDeps,
  message: StoredMessage | undefined,
): Promise<Omit<Answer, 'letter' | 'key'>> {
  if (message === undefined) {
    return { verdict: 'still_dead', reason: 'not-in-the-log', error: 'the log has no message there' };
  }
  const judged = await judgeMessage(codec, message);
  if (judged.outcome === 'dead') {
    return { verdict: 'still_dead', reason: judged.reason, error: judged.error };
  }
  const anew = { verdict: 'republished' as const, reason: 'published-anew', error: '' };
  return judged.outcome === 'record' ? { ...anew, record: judged.fact } : { ...anew, poll: judged.fact };
}

/** Records first: a poll tells of the ends that the topics have when it is published. */
async function publishFacts(deps: PublisherDeps, answers: readonly Answer[]): Promise<void> {
  await publishAnew(
    deps,
    answers.flatMap(({ record }) => record ?? []),
  );
  for (const { poll } of answers) if (poll !== undefined) await publishPoll(deps, poll);
}

async function sayAnswers(deps: PublisherDeps, answers: readonly Answer[]): Promise<void> {
  const { codec, clock, feed, log, owner } = deps;
  const topic = topics.dead_letter.name;
  const messages = answers.map(({ letter, key, verdict, reason, error }): NewMessage => {
    const { partition, offset } = letter;
    const state = verdict === 'still_dead' ? 'dead' : 'settled';
    const said = { state, at: `feed/${feed}`, reason, error, failed_at: clock() } as const;
    const fact = laterLetter({ topic: letter.topic, partition, offset, key }, said);
    return { key, value: codec.encode(topic, fact) };
  });
  await log.append(topic, messages, owner);
}

function keyOf({ feed, publisher, kind }: PublisherDeps, { topic, record_key }: KnownLetter): string {
  return topic === topics.feed_poll.name ? feed : kind.prefix(publisher) + record_key;
}
