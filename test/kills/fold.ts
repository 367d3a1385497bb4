import { latToMicro, lonToMicro } from '../../services/hail/geo/place.ts';
import { setAsideReason } from '../../services/hail/observation.ts';
import { roundToHundredths } from '../../services/hail/size.ts';
import type { Codec } from '../../services/log/codec.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { topics } from '../../services/log/topics.ts';
import type { Store } from '../../services/store/store.ts';

/** What tables must show, one line for each record, sorted. */
export interface View {
  live: string[];
  set_aside: string[];
}

/** The plain fold of a log: the newest message of each record says all about it. */
export async function foldOf(log: EventLog, codec: Codec): Promise<View & { messages: number }> {
  const newest = new Map<string, { offset: number; live: string | null; aside: string | null }>();
  let messages = 0;
  for await (const page of log.scan(topics.observation.name)) {
    for (const { key, offset, value } of page) {
      messages += 1;
      const decoded = await codec.decode(topics.observation.name, value);
      if (decoded.outcome !== 'ok')
        throw new Error(`a message of this test cannot be decoded: ${decoded.error}`);
      if ((newest.get(key)?.offset ?? -1) > offset) continue;
      const { fact } = decoded;
      const is_withdrawn = fact.status === 'withdrawn';
      const reason = is_withdrawn ? null : setAsideReason(fact);
      const stands = !is_withdrawn && reason === null;
      const place = [
        latToMicro(fact.lat ?? 0),
        lonToMicro(fact.lon ?? 0),
        roundToHundredths(fact.size_in ?? 0),
      ];
      newest.set(key, {
        offset,
        live: stands ? [key, fact.began_at, ...place, offset].join(' ') : null,
        aside: reason === null ? null : [key, reason, offset].join(' '),
      });
    }
  }
  const view: View = { live: [], set_aside: [] };
  for (const { live, aside } of newest.values()) {
    if (live !== null) view.live.push(live);
    if (aside !== null) view.set_aside.push(aside);
  }
  return { live: view.live.sort(), set_aside: view.set_aside.sort(), messages };
}

/** The same from the tables of a version, as its readers see them. */
export async function viewOfVersion(store: Store, version: number): Promise<View> {
  const live = await store.rows<{ line: string }>(
    `SELECT concat(publisher, '/', record_key, ' ', toString(toUnixTimestamp64Milli(occurred_at)), ' ', toString(lat), ' ', toString(lon), ' ',
       toString(size_in), ' ', toString(revision)) AS line FROM observations_v${version} FINAL`,
  );
  const set_aside = await store.rows<{ line: string }>(
    `SELECT concat(publisher, '/', record_key, ' ', reason, ' ', toString(revision)) AS line FROM set_aside_v${version} FINAL`,
  );
  return { live: live.map(({ line }) => line).sort(), set_aside: set_aside.map(({ line }) => line).sort() };
}

export interface Differences {
  /** In the log and not in the table, or not as it says. */
  lost: number;
  /** In the table more than once. */
  doubled: number;
  /** In the table and not in the log, or not any more. */
  ghosts: number;
}

export function differencesOf(expected: readonly string[], found: readonly string[]): Differences {
  const [wanted, have] = [new Set(expected), new Set(found)];
  return {
    lost: expected.filter((line) => !have.has(line)).length,
    doubled: found.length - have.size,
    ghosts: [...have].filter((line) => !wanted.has(line)).length,
  };
}
