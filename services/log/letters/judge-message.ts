import type { AlertFact } from '../../hail/alert.ts';
import { alertProblem } from '../../hail/validate-alert.ts';
import { observationProblem } from '../../hail/validate-observation.ts';
import type { Codec } from '../codec.ts';
import type { FeedPollFact } from '../facts.ts';
import type { ObservationFact } from '../../hail/observation.ts';
import type { StoredMessage } from '../event-log.ts';
import { topics } from '../topics.ts';
import { pollProblem } from '../validate-poll.ts';

/** What a message of a record topic is by the schemas and rules of now. */
export type Judged =
  | { outcome: 'observation'; fact: ObservationFact }
  | { outcome: 'alert'; fact: AlertFact }
  | { outcome: 'poll'; fact: FeedPollFact }
  | { outcome: 'dead'; reason: string; error: string };

/**
 * Judges what a message says as the projector would, were it published now. What its owner puts together anew when it publishes, superseded
 * places and ends of topics, is left out. Throws only while the registry is away.
 */
export async function judgeMessage(
  codec: Codec,
  { topic, key, value }: Pick<StoredMessage, 'topic' | 'key' | 'value'>,
): Promise<Judged> {
  if (topic === topics.observation.name) {
    const decoded = await codec.decode(topics.observation.name, value);
    if (decoded.outcome === 'dead') return decoded;
    const problem = observationProblem({ ...decoded.fact, supersedes: [] }, key);
    return problem === null ? { outcome: 'observation', fact: decoded.fact } : invalid(problem);
  }
  if (topic === topics.alert.name) {
    const decoded = await codec.decode(topics.alert.name, value);
    if (decoded.outcome === 'dead') return decoded;
    const problem = alertProblem(decoded.fact, key);
    return problem === null ? { outcome: 'alert', fact: decoded.fact } : invalid(problem);
  }
  if (topic === topics.feed_poll.name) {
    const decoded = await codec.decode(topics.feed_poll.name, value);
    if (decoded.outcome === 'dead') return decoded;
    const problem = pollProblem({ ...decoded.fact, offsets: [] }, key);
    return problem === null ? { outcome: 'poll', fact: decoded.fact } : invalid(problem);
  }
  return { outcome: 'dead', reason: 'unknown-topic', error: `no projection reads ${topic}` };
}

function invalid(error: string): Judged {
  return { outcome: 'dead', reason: 'invalid-fact', error };
}
