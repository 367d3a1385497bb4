import { alertProblem } from '../../hail/validate-alert.ts';
import { gridProblem } from '../../hail/validate-grid.ts';
import { observationProblem } from '../../hail/validate-observation.ts';
import type { Codec } from '../codec.ts';
import type { FactOfTopic, FeedPollFact, RecordFact } from '../facts.ts';
import type { StoredMessage } from '../event-log.ts';
import { topics } from '../topics.ts';
import { pollProblem } from '../validate-poll.ts';

/** What a message of a record topic is by the schemas and rules of now. */
export type Judged =
  | { outcome: 'record'; fact: RecordFact }
  | { outcome: 'poll'; fact: FeedPollFact }
  | { outcome: 'dead'; reason: string; error: string };

type Message = Pick<StoredMessage, 'topic' | 'key' | 'value'>;
type JudgedTopic = 'hail.observation.v1' | 'hail.grid.v1' | 'hail.alert.v1' | 'hail.feed-poll.v1';

/**
 * Judges what a message says as the projector would, were it published now. What its owner puts together anew when it publishes, superseded
 * places and ends of topics, is left out. Throws only while the registry is away.
 */
export async function judgeMessage(codec: Codec, message: Message): Promise<Judged> {
  const judge = async <T extends JudgedTopic>(
    topic: T,
    problem: (fact: FactOfTopic[T]) => string | null,
    ok: (fact: FactOfTopic[T]) => Judged,
  ): Promise<Judged> => {
    const decoded = await codec.decode(topic, message.value);
    if (decoded.outcome === 'dead') return decoded;
    const error = problem(decoded.fact);
    return error === null ? ok(decoded.fact) : { outcome: 'dead', reason: 'invalid-fact', error };
  };
  const { topic, key } = message;
  switch (topic) {
    case topics.observation.name:
      return judge(
        topic,
        (fact) => observationProblem({ ...fact, supersedes: [] }, key),
        (fact) => ({ outcome: 'record', fact }),
      );
    case topics.grid.name:
      return judge(
        topic,
        (fact) => gridProblem({ ...fact, dropped: [] }, key),
        (fact) => ({ outcome: 'record', fact }),
      );
    case topics.alert.name:
      return judge(
        topic,
        (fact) => alertProblem(fact, key),
        (fact) => ({ outcome: 'record', fact }),
      );
    case topics.feed_poll.name:
      return judge(
        topic,
        (fact) => pollProblem({ ...fact, offsets: [] }, key),
        (fact) => ({ outcome: 'poll', fact }),
      );
    default:
      return { outcome: 'dead', reason: 'unknown-topic', error: `no feed publishes to ${topic}` };
  }
}
