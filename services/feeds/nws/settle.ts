import { alert_slice, alerts } from '../kinds/alerts.ts';
import type { PollRun, Settled } from '../poll.ts';
import type { ReadSlice } from '../publish.ts';
import { ofHail, type ReadAlerts } from './read.ts';
import { storyOf } from './story.ts';

/**
 * Whether everything up to the asking has been read. A feature that cannot be read is named in the poll's detail and costs only itself. But
 * where most of what concerns hail cannot be read, or most features do not even tell what they are about, it is the format that has changed,
 * and such an answer proves nothing.
 */
export function isWhole({ complete, features, unreadable, unrecognised, told }: ReadAlerts): boolean {
  return complete && unreadable.length - unrecognised <= told.length && unrecognised <= features / 2;
}

/**
 * Publishes an answer's messages, each event's in their order, and says what came of it as one reading of `asked`. A message older than the
 * newest published one of its event is passed over, so that what is read later about earlier days takes nothing back.
 */
export async function settledBy(
  run: PollRun,
  read: ReadAlerts,
  asked: ReadSlice,
  read_through: number | null,
): Promise<Settled> {
  await run.index.catchUp();
  const of_hail = ofHail(read, (alert_key) => run.index.record(alert_key) !== null);
  const { chapters, twins } = storyOf(of_hail.map((alert) => alerts.draft(alert)));
  // Whatever was asked, alerts stand in a slice that withdraws none.
  const standing_in = [{ ...asked, slice: alert_slice, complete: false }];
  const held = new Set<string>();
  let published = 0;
  for (const chapter of chapters) {
    for (const reading of (await run.publish(chapter, () => standing_in, read.provenance)).readings) {
      published += reading.published;
      for (const alert_key of reading.held) held.add(alert_key);
    }
  }
  const records = new Set(of_hail.map(({ alert_key }) => alert_key)).size;
  return {
    outcome: 'read',
    read_through,
    readings: [{ ...asked, records, published, withdrawn: 0, held: [...held].sort() }],
    sha256: read.pages === 1 ? read.provenance.document_sha256 : null,
    detail: detailOf(read, of_hail.length, twins),
  };
}

/** At most so many are named; the number is always said. */
const most_named = 5;

function detailOf(read: ReadAlerts, of_hail: number, twins: number): string {
  const some = (named: readonly string[]): string =>
    named.slice(0, most_named).join('; ') + (named.length > most_named ? '; and others' : '');
  const remarks = [
    `${read.features} messages, ${of_hail} of them about hail`,
    ...(read.tests === 0 ? [] : [`${read.tests} tests`]),
    ...(twins === 0 ? [] : [`${twins} that another of the same event and instant outweighs`]),
    ...(read.strange_tags.length === 0
      ? []
      : [`${read.strange_tags.length} with a hail tag that names no size: ${some(read.strange_tags)}`]),
    ...(read.unreadable.length === 0
      ? []
      : [`${read.unreadable.length} that cannot be read: ${some(read.unreadable)}`]),
    ...(read.complete ? [] : [`not followed past ${read.pages} pages`]),
  ];
  return `${remarks.join(', ')}.`;
}
