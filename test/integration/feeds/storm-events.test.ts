import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isHail, observeDetails } from '../../../services/feeds/noaa_sed/observe.ts';
import { parseDetails } from '../../../services/feeds/noaa_sed/parse.ts';
import { stormEvents } from '../../../services/feeds/noaa_sed/feed.ts';
import type { Feed } from '../../../services/feeds/feed.ts';
import type { Draft } from '../../../services/feeds/kinds/points.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { PollFailed } from '../../../services/feeds/poll-failure.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { serveStormEvents } from '../../support/publisher-stub.ts';
import { recordedDetails, recordedYear } from '../../support/recorded.ts';
import { revised2017 } from '../../support/revised-2017.ts';
import { silence_ms, startFeedBench, type FeedBench } from './bench.ts';
import { foldFacts, truthOf } from './fold.ts';
import { planOf, withPlan } from './planned.ts';

let bench: FeedBench;
let files: Map<string, Buffer>;
let feed: Feed;

beforeEach(async () => {
  bench = await startFeedBench();
  files = new Map();
  serveStormEvents(bench.stub, files);
  feed = stormEvents({
    NOAA_SED_URL: bench.stub.url,
    NOAA_SED_SCHEDULE: '0 0 1 1 *',
    NOAA_SED_FIRST_YEAR: 1950,
  });
});
afterEach(() => bench.stop());

const offer = (year: number, stamp: string): void => {
  const { name, bytes } = recordedYear(year, stamp);
  files.set(name, bytes);
};

async function draftsOf(bytes: Buffer, slice: string): Promise<Draft[]> {
  const provenance = { document_url: '', retrieved_at: 0, document_sha256: '', publisher_version: null };
  const drafts: Draft[] = [];
  for await (const row of parseDetails(bytes, { rows: 0, cp1252_bytes: 0 })) {
    if (isHail(row)) drafts.push(observeDetails(row, slice, provenance));
  }
  return drafts;
}

describe('a first load', () => {
  it('publishes every hail row of the newest file of every year, once', async () => {
    for (const [name, bytes] of recordedDetails()) files.set(name, bytes);
    assert.deepEqual(await bench.poll(feed), []);
    const facts = await bench.facts();
    // 1955 to 1990 without 1972, counted with other tools; then 1992, 1993, 1995 and 2017.
    assert.equal(facts.length, 50_627 + 5_687 + 4_215 + 8_370 + 1_184);
    assert.equal(new Set(facts.map(({ fact }) => fact.record_key)).size, facts.length);
    assert.ok(facts.every(({ fact }) => fact.supersedes.length === 0 && fact.status === 'final'));
    const asked = bench.stub.requests.filter((path) => path.endsWith('.gz'));
    assert.equal(asked.length, 39);
    assert.ok(!asked.some((path) => path.includes('_c20160223')));
    assert.equal(bench.stub.most_at_once(), 1);
    assert.match(bench.stub.user_agents[0] ?? '', /^Hailmark\/\d+\.\d+\.\d+ \(\+tests@example\.org\)$/);

    const [listing, newest, ...others] = await bench.polls();
    assert.deepEqual([listing?.outcome, listing?.read_through, listing?.readings], ['read', null, []]);
    // The newest event of any kind of the newest file; ends of every partition.
    assert.equal(newest?.readings[0]?.slice, '2017');
    assert.equal(newest.read_through, newest.readings[0].until);
    assert.equal(newest.offsets.length, 6);
    assert.equal(
      newest.offsets.reduce((sum, { end_offset }) => sum + end_offset, 0),
      1_184,
    );
    assert.ok(others.every(({ outcome, read_through }) => outcome === 'read' && read_through === null));

    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.equal(bench.stub.requests.length, 1);
    assert.equal((await bench.facts()).length, facts.length);
    const again = (await bench.polls()).at(-1);
    assert.deepEqual([again?.outcome, again?.read_through], ['not_modified', newest.read_through]);

    bench.loseIndex();
    await bench.poll(feed);
    assert.equal((await bench.facts()).length, facts.length);
    assert.equal((await bench.polls()).at(-1)?.outcome, 'not_modified');
  });

  it('speaks for a year only as far as its newest file reaches', async () => {
    offer(2017, '20170616');
    offer(1995, '20170522');
    await bench.poll(feed);
    const readings = (await bench.polls()).flatMap((poll) => poll.readings);
    const until = new Map(readings.map((reading) => [reading.slice, reading.until]));
    assert.equal(until.get('1995'), Date.UTC(1996, 0, 1));
    assert.ok((until.get('2017') ?? 0) < Date.UTC(2017, 3, 2));
    assert.ok((until.get('2017') ?? 0) > Date.UTC(2017, 2, 31));
  });
});

describe('a revision of a year', () => {
  for (const [year, revised] of [
    [1974, 0],
    [1992, 0],
    [1993, 4],
  ] as const) {
    it(`of ${year} publishes what changed in hail rows and nothing else`, async () => {
      offer(year, '20160223');
      await bench.poll(feed);
      const before = await bench.facts();
      offer(year, '20220425');
      await bench.poll(feed);
      const after = await bench.facts();
      assert.equal(after.length - before.length, revised);
      const { bytes } = recordedYear(year, '20220425');
      assert.deepEqual(foldFacts(after), truthOf(await draftsOf(bytes, String(year))));
      const reading = (await bench.polls()).at(-1)?.readings[0];
      assert.deepEqual(
        [reading?.publisher_version, reading?.published, reading?.withdrawn],
        ['20220425', revised, 0],
      );
    });
  }

  it('comes to the same when both files are there at once, and an older one alone changes nothing', async () => {
    offer(1993, '20160223');
    offer(1993, '20220425');
    await bench.poll(feed);
    const { name, bytes } = recordedYear(1993, '20220425');
    const truth = truthOf(await draftsOf(bytes, '1993'));
    const facts = await bench.facts();
    assert.deepEqual(foldFacts(facts), truth);
    files.delete(name);
    await bench.poll(feed);
    assert.equal((await bench.facts()).length, facts.length);
    bench.loseIndex();
    await bench.poll(feed);
    assert.equal((await bench.facts()).length, facts.length);
  });

  it('moves, resizes, blanks and withdraws, and leaves nothing at an old place', async () => {
    offer(2017, '20170616');
    await bench.poll(feed);
    const revised = revised2017();
    files.set(revised.name, revised.bytes);
    await bench.poll(feed);
    const news = (await bench.facts()).filter(({ fact }) => fact.provenance.publisher_version === '20170816');
    const statusOf = (id: string): unknown =>
      news
        .filter(({ fact }) => fact.record_key === id)
        .map(({ fact }) => [fact.status, fact.supersedes.length]);
    for (const id of revised.moved) assert.deepEqual(statusOf(id), [['final', 1]]);
    for (const id of revised.resized) assert.deepEqual(statusOf(id), [['final', 0]]);
    for (const id of revised.blanked) assert.deepEqual(statusOf(id), [['final', 1]]);
    for (const id of revised.vanished) assert.deepEqual(statusOf(id), [['withdrawn', 1]]);
    assert.equal(news.length, 20);
    const views = foldFacts(await bench.facts());
    assert.deepEqual(views, truthOf(await draftsOf(revised.bytes, '2017')));
    assert.equal(views.live.length, 1_184 - 10);

    // And back: the original content under a later stamp.
    files.set(revised.name.replace('20170816', '20170916'), recordedYear(2017, '20170616').bytes);
    bench.loseIndex();
    await bench.poll(feed);
    const back = foldFacts(await bench.facts());
    assert.deepEqual(back, truthOf(await draftsOf(recordedYear(2017, '20170616').bytes, '2017')));
    const reading = (await bench.polls()).at(-1)?.readings[0];
    assert.deepEqual([reading?.published, reading?.withdrawn, reading?.records], [20, 0, 1_184]);
  });
});

describe('a file that lost half of its rows', () => {
  const half = (stamp: string): [string, Buffer] => {
    const { name, bytes } = recordedYear(2017, '20170616');
    const lines = gunzipSync(bytes).toString('utf8').split('\n');
    return [name.replace('20170616', stamp), gzipSync(`${lines.slice(0, 4_000).join('\n')}\n`)];
  };

  it('is refused as a whole until an operator accepts it, once', async () => {
    offer(2017, '20170616');
    await bench.poll(feed);
    const before = (await bench.polls()).find(({ readings }) => readings.length > 0)?.read_through;
    const facts = await bench.facts();
    files.set(...half('20170716'));
    assert.deepEqual(await bench.poll(feed), ['suspicious-withdrawal']);
    assert.equal((await bench.facts()).length, facts.length);
    const failed = (await bench.polls()).at(-1);
    assert.deepEqual(
      [failed?.outcome, failed?.reason, failed?.read_through, failed?.readings],
      ['failed', 'suspicious-withdrawal', null, []],
    );
    const [refused] = bench.suspects.refused();
    assert.deepEqual([refused?.feed, refused?.slice, refused?.known], ['storm_events', '2017', 1_184]);

    assert.equal(bench.suspects.accept('storm_events', '1999'), false);
    assert.equal(bench.suspects.accept('storm_events', '2017'), true);
    assert.deepEqual(await bench.poll(feed), []);
    const after = await bench.facts();
    assert.equal(after.length, facts.length + (refused?.absent ?? 0));
    assert.equal(foldFacts(after).live.length, 1_184 - (refused?.absent ?? 0));
    assert.deepEqual(bench.suspects.refused(), []);
    assert.equal(bench.suspects.anyAccepted('storm_events'), false);
    assert.ok(((await bench.polls()).at(-1)?.read_through ?? before ?? 0) >= (before ?? 0));
  });

  it('is refused anew when it lacks more than what was accepted', async () => {
    offer(2017, '20170616');
    await bench.poll(feed);
    files.set(...half('20170716'));
    await bench.poll(feed);
    bench.suspects.accept('storm_events', '2017');
    const { name, bytes } = recordedYear(2017, '20170616');
    const header = gunzipSync(bytes).toString('utf8').split('\n')[0] ?? '';
    files.set(name.replace('20170616', '20170726'), gzipSync(`${header}\n`));
    assert.deepEqual(await bench.poll(feed), ['suspicious-withdrawal']);
    assert.equal((await bench.facts()).length, 1_184);
  });
});

describe('a publisher that fails', () => {
  const folder = '/pub/data/swdi/stormevents/csvfiles/';

  it('is a failed poll of the listing, and says why', async () => {
    offer(1955, '20220425');
    await bench.poll(feed);
    const count = (await bench.facts()).length;
    for (const [answer, reason] of [
      [{ status: 403, body: 'Forbidden' }, 'http-status'],
      [{ status: 503 }, 'http-status'],
      [{ body: '<html><body><table></table></body></html>' }, 'empty-listing'],
      [{ fault: 'reset' }, 'unreachable'],
      [{ fault: 'cut', body: 'x'.repeat(10_000) }, 'unreachable'],
      [{ fault: 'hang' }, 'unreachable'],
    ] as const) {
      bench.stub.on(folder, () => answer);
      // Only silence is to run out of time: another answer may be late on a busy machine.
      const options = 'fault' in answer && answer.fault === 'hang' ? { timeout_ms: silence_ms } : {};
      assert.deepEqual(await bench.poll(feed, options), [reason]);
      const failed = (await bench.polls()).at(-1);
      assert.deepEqual([failed?.outcome, failed?.reason, failed?.read_through], ['failed', reason, null]);
    }
    assert.equal((await bench.facts()).length, count);
  });

  it('with one broken file costs that year only, and freshness only where it is the newest', async () => {
    offer(1955, '20220425');
    offer(1956, '20220425');
    const { name, bytes } = recordedYear(2017, '20170616');
    for (const [body, reason] of [
      [bytes.subarray(0, bytes.length / 2), 'truncated'],
      [Buffer.from('<!DOCTYPE html>\n<html>\n<p>Down for maintenance</p>\n</html>\n'), 'not-the-format'],
    ] as const) {
      files.set(name, body);
      assert.deepEqual(await bench.poll(feed), [reason]);
      const polls = await bench.polls();
      assert.ok(polls.every(({ read_through }) => read_through === null));
      const facts = await bench.facts();
      assert.deepEqual([...new Set(facts.map(({ fact }) => fact.slice))].sort(), ['1955', '1956']);
    }
    files.set(name, bytes);
    assert.deepEqual(await bench.poll(feed), []);
    const through = (await bench.polls()).at(-1)?.read_through ?? 0;
    assert.ok(through > 0);

    // A newer stamp of the newest year that is broken must not renew the claim.
    files.set(name.replace('20170616', '20170716'), bytes.subarray(0, 1_000));
    assert.deepEqual(await bench.poll(feed), ['truncated']);
    assert.deepEqual(
      (await bench.polls()).slice(-2).map(({ outcome, read_through }) => [outcome, read_through]),
      [
        ['read', null],
        ['failed', null],
      ],
    );
  });
});

describe('a feed that ends between its appends and its poll fact', () => {
  it('publishes nothing twice when it comes back, and settles the reading', async () => {
    offer(2017, '20170616');
    let appends = 0;
    const failing: EventLog = {
      ...bench.log,
      append: (topic, messages, owner) => {
        if (topic === topics.observation.name && (appends += 1) === 3) {
          return Promise.reject(new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log is away.'));
        }
        return bench.log.append(topic, messages, owner);
      },
    };
    await assert.rejects(bench.poll(feed, { log: failing }), { code: 'HAIL_LOG_UNAVAILABLE' });
    assert.equal((await bench.facts()).length, 1_000);
    assert.deepEqual(await bench.poll(feed), []);
    assert.equal((await bench.facts()).length, 1_184);
    const reading = (await bench.polls()).at(-1)?.readings[0];
    assert.deepEqual([reading?.records, reading?.published], [1_184, 184]);
  });

  it('does not take an older file for news after a newer one was published in part', async () => {
    offer(1993, '20160223');
    await bench.poll(feed);
    offer(1993, '20220425');
    const failing: EventLog = {
      ...bench.log,
      append: (topic, messages, owner) =>
        topic === topics.feed_poll.name && messages.length > 0 && appended
          ? Promise.reject(new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log is away.'))
          : bench.log.append(topic, messages, owner).then((done) => {
              appended ||= topic === topics.observation.name;
              return done;
            }),
    };
    let appended = false;
    await assert.rejects(bench.poll(feed, { log: failing }), { code: 'HAIL_LOG_UNAVAILABLE' });
    const facts = await bench.facts();
    assert.equal(facts.length, 4_215 + 4);
    files.delete(recordedYear(1993, '20220425').name);
    bench.loseIndex();
    await bench.poll(feed);
    assert.equal((await bench.facts()).length, facts.length);
  });
});

describe('history of Storm Events', () => {
  const whole = { from: Date.UTC(1950, 0, 1), until: Date.UTC(2030, 0, 1), box: null };
  const from = (first_year: number): Feed =>
    stormEvents({
      NOAA_SED_URL: bench.stub.url,
      NOAA_SED_SCHEDULE: '0 0 1 1 *',
      NOAA_SED_FIRST_YEAR: first_year,
    });
  const live_years = async (): Promise<string[]> =>
    (await bench.polls()).flatMap(({ mode, readings }) =>
      mode === 'live' ? readings.map(({ slice }) => slice) : [],
    );

  it('is planned as the years that the period touches and the listing has, with the sizes of its page', async () => {
    const sizes = ['13K', '1.3M', ' - ', '97'];
    const names = [1971, 1973, 1974, 1993].map((year) => recordedYear(year, '20220425').name);
    const rows = names.map(
      (name, n) =>
        `<tr><td><a href="${name}">${name}</a></td><td align="right">2022-04-25 10:03  </td><td align="right">${sizes[n] ?? ''}</td><td>&nbsp;</td></tr>`,
    );
    bench.stub.on('/pub/', () => ({ body: `<table>${rows.join('')}</table>` }));
    const planned = async (first: string, last: string): Promise<unknown[]> => {
      const period = { from: Date.parse(first), until: Date.parse(last), box: null };
      const parts = await planOf(bench, feed, period);
      return parts.map((part) => [part.name, part.requests, part.bytes]);
    };
    assert.deepEqual(await planned('1971-12-31T23:59:59Z', '1974-01-01T00:00:00.001Z'), [
      ['1971', 1, 13 * 1024],
      ['1973', 1, Math.round(1.3 * 1024 * 1024)],
      ['1974', 1, null],
    ]);
    assert.deepEqual(await planned('1974-01-01', '1974-01-02'), [['1974', 1, null]]);
    assert.deepEqual(await planned('1972-01-01', '1973-01-01'), []);
    assert.deepEqual(await planned('1993-06-01', '2030-01-01'), [['1993', 1, 97]]);
    assert.deepEqual(await bench.polls(), []);
  });

  it('is read as backfill, before the first year of the feed too, and never moves the cursor', async () => {
    offer(1955, '20220425');
    offer(1956, '20220425');
    offer(2017, '20170616');
    await bench.poll(from(2017));
    assert.deepEqual(await live_years(), ['2017']);
    const cursor = (await bench.polls()).at(-1)?.read_through;
    const read = await withPlan(bench, from(2017), whole, async (parts, run) => {
      assert.deepEqual(
        parts.map(({ name, isRead }) => [name, isRead()]),
        [
          ['1955', false],
          ['1956', false],
          ['2017', true],
        ],
      );
      for (const part of parts) if (!part.isRead()) await part.read(run);
      await run.index.catchUp();
      return parts.map(({ isRead }) => isRead());
    });
    assert.deepEqual(read, [true, true, true]);
    const backfill = (await bench.polls()).filter(({ mode }) => mode === 'backfill');
    assert.deepEqual(
      backfill.map(({ readings, read_through }) => [readings[0]?.slice, readings[0]?.records, read_through]),
      [
        ['1955', 360, null],
        ['1956', 401, null],
      ],
    );
    assert.equal((await bench.facts()).length, 360 + 401 + 1_184);

    // What was read is known from the log alone, and the next live poll neither reads it nor claims another freshness.
    bench.loseIndex();
    const left = await withPlan(bench, from(2017), whole, (parts) =>
      Promise.resolve(parts.filter(({ isRead }) => !isRead()).length),
    );
    assert.equal(left, 0);
    await bench.poll(from(2017));
    assert.deepEqual(await live_years(), ['2017']);
    assert.equal((await bench.polls()).at(-1)?.read_through, cursor);
  });

  it('of an older creation stamp changes nothing and fetches nothing', async () => {
    offer(1993, '20160223');
    const old_parts = await planOf(bench, feed, whole);
    offer(1993, '20220425');
    await bench.poll(feed);
    const facts = await bench.facts();
    bench.stub.requests.length = 0;
    await withPlan(bench, feed, whole, async (_, run) => {
      for (const part of old_parts) await part.read(run);
    });
    assert.deepEqual(
      bench.stub.requests.filter((path) => path.endsWith('.gz')),
      [],
    );
    assert.equal((await bench.facts()).length, facts.length);
    const said = (await bench.polls()).at(-1);
    assert.deepEqual([said?.mode, said?.outcome, said?.read_through], ['backfill', 'not_modified', null]);
    assert.match(said?.detail ?? '', /^Version 20220425 was published before/);
  });

  it('never costs freshness: the newest year proves it live, whoever read it first', async () => {
    offer(1993, '20160223');
    await withPlan(bench, feed, whole, async (parts, run) => {
      for (const part of parts) await part.read(run);
    });
    assert.ok((await bench.polls()).every(({ read_through }) => read_through === null));
    assert.equal((await bench.facts()).length, 4_215);
    await bench.poll(feed);
    const claimed = (await bench.polls()).at(-1)?.read_through ?? 0;
    assert.ok(claimed > Date.UTC(1993, 11, 1));
    assert.equal((await bench.facts()).length, 4_215);

    // A new file of the newest year is the live poll's.
    offer(1993, '20220425');
    const parts = await planOf(bench, feed, whole);
    assert.deepEqual(parts, []);
    await bench.poll(feed);
    assert.equal((await bench.facts()).length, 4_215 + 4);
  });

  it('has no plan where there is no listing', async () => {
    bench.stub.on('/pub/', () => ({ status: 403 }));
    await assert.rejects(
      planOf(bench, feed, whole),
      (error) => error instanceof PollFailed && error.reason === 'http-status',
    );
  });
});

describe('what a Storm Events file may say of the same hail', () => {
  it('is the same in another case of state and county: nothing is published again', async () => {
    offer(2017, '20170616');
    await bench.poll(feed);
    const { name, bytes } = recordedYear(2017, '20170616');
    const text = gunzipSync(bytes).toString('latin1');
    // As Kentucky became `Kentucky` in the recorded revision of 1974.
    const folded = text.replaceAll('"TEXAS"', '"Texas"').replaceAll('"OKLAHOMA"', '"Oklahoma"');
    assert.notEqual(folded, text);
    files.set(name.replace('20170616', '20170716'), gzipSync(Buffer.from(folded, 'latin1')));
    await bench.poll(feed);
    const reading = (await bench.polls()).at(-1)?.readings[0];
    assert.deepEqual(
      [reading?.publisher_version, reading?.records, reading?.published, reading?.withdrawn],
      ['20170716', 1_184, 0, 0],
    );
    assert.equal((await bench.facts()).length, 1_184);
  });

  it('is a revision at its old place where it is filed under another county, and nothing else is published', async () => {
    offer(2017, '20170616');
    await bench.poll(feed);
    const { name, bytes } = recordedYear(2017, '20170616');
    const text = gunzipSync(bytes).toString('latin1');
    // As one county of the recorded 1992 was renamed.
    const renamed = text.replace(/(,679888,.*?)"REEVES"/, '$1"PECOS"');
    assert.notEqual(renamed, text);
    files.set(name.replace('20170616', '20170716'), gzipSync(Buffer.from(renamed, 'latin1')));
    await bench.poll(feed);
    const facts = await bench.facts();
    assert.equal(facts.length, 1_184 + 1);
    const told = facts.filter(({ fact }) => fact.record_key === '679888').map(({ fact }) => fact);
    assert.deepEqual(
      told.map(({ state, county, supersedes }) => [state, county, supersedes]),
      [
        ['TX', 'REEVES', []],
        ['TX', 'PECOS', []],
      ],
    );
  });

  it('is nothing in a file without a row: it speaks for no day of its year', async () => {
    const { name, bytes } = recordedYear(1955, '20220425');
    const [header = ''] = gunzipSync(bytes).toString('utf8').split('\n');
    files.set(name, gzipSync(`${header}\n`));
    await bench.poll(feed);
    const reading = (await bench.polls()).at(-1)?.readings[0];
    assert.deepEqual(
      [reading?.records, reading?.from, reading?.until],
      [0, Date.UTC(1955, 0, 1), Date.UTC(1955, 0, 1)],
    );
  });
});
