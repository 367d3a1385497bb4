import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Feed } from '../../../services/feeds/feed.ts';
import { stormReports } from '../../../services/feeds/spc/feed.ts';
import type { StubAnswer } from '../../support/publisher-stub.ts';
import { dataLines, recordedReports, reports_header as header } from '../../support/recorded-reports.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { silence_ms, startFeedBench, type FeedBench } from './bench.ts';
import { foldFacts } from './fold.ts';

const at = (text: string): number => Date.parse(text);
const today_file = recordedReports('today_hail.snapshot_2013-05-20T0128Z.csv');
const later_file = recordedReports('yesterday_hail.snapshot_2013-05-20T1652Z.csv');
const path = '/climo/reports/';

let bench: FeedBench;
/** What the publisher has, by file name; changed between polls. */
let files: Map<string, StubAnswer>;

beforeEach(async () => {
  bench = await startFeedBench();
  files = new Map([['today_hail.csv', { body: `${header}\n` }]]);
  for (const day of ['130515', '130516', '130517', '130518']) {
    files.set(`${day}_rpts_hail.csv`, { body: `${header}\n` });
  }
  bench.stub.on(path, ({ pathname }) => files.get(pathname.slice(path.length)) ?? null);
});
afterEach(() => bench.stop());

const feedWith = (settings: { reread_days?: number; history?: string } = {}): Feed =>
  stormReports({
    SPC_URL: bench.stub.url,
    SPC_SCHEDULE: '0 0 1 1 *',
    SPC_REREAD_DAYS: settings.reread_days ?? 3,
    SPC_HISTORY: settings.history ?? '',
  });

const asked = (): string[] => bench.stub.requests.map((each) => each.slice(path.length));

/** The evening of 19 May 2013, as it was recorded. */
const pollEvening = async (): Promise<void> => {
  bench.clock.now = at('2013-05-20T01:28:00Z');
  files.set('today_hail.csv', { body: today_file });
  assert.deepEqual(await bench.poll(feedWith()), []);
};

/** The next afternoon: the day is over, its file complete, and today's is empty yet. */
const pollAfternoon = async (): Promise<readonly string[]> => {
  bench.clock.now = at('2013-05-20T16:52:00Z');
  files.set('130519_rpts_hail.csv', { body: later_file });
  files.set('today_hail.csv', { body: `${header}\n` });
  return bench.poll(feedWith());
};

describe('a convective day of storm reports', () => {
  it('is read from today’s file while it lasts, published once, preliminary', async () => {
    await pollEvening();
    assert.deepEqual(asked(), [
      '130516_rpts_hail.csv',
      '130517_rpts_hail.csv',
      '130518_rpts_hail.csv',
      'today_hail.csv',
    ]);
    const facts = await bench.facts();
    assert.equal(facts.length, dataLines(today_file).length);
    assert.ok(facts.every(({ fact }) => fact.status === 'preliminary' && fact.slice === '2013-05-19'));
    const poll = (await bench.polls()).at(-1);
    assert.deepEqual(
      [poll?.read_through, poll?.readings[0]?.until, poll?.readings[0]?.records],
      [at('2013-05-20T01:28:00Z'), at('2013-05-20T01:28:00Z'), 160],
    );
    await bench.poll(feedWith());
    bench.loseIndex();
    await bench.poll(feedWith());
    assert.equal((await bench.facts()).length, 160);
  });

  it('has 36 reports more in its own file, and loses none', async () => {
    await pollEvening();
    assert.deepEqual(await pollAfternoon(), []);
    const facts = await bench.facts();
    assert.equal(facts.length, 196);
    assert.ok(facts.every(({ fact }) => fact.status === 'preliminary'));
    assert.equal(foldFacts(facts).live.length, dataLines(later_file).length);
    const reading = (await bench.polls()).flatMap(({ readings }) => readings).at(-2);
    assert.deepEqual(
      [reading?.slice, reading?.published, reading?.withdrawn, reading?.until],
      ['2013-05-19', 36, 0, at('2013-05-20T12:00:00Z')],
    );
    assert.equal((await bench.polls()).at(-1)?.read_through, at('2013-05-20T16:52:00Z'));
    // A reader that begins in the afternoon ends with the same.
    await pollAfternoon();
    assert.equal((await bench.facts()).length, 196);
  });

  it('whose file has not changed is not read again, and is read through all the same', async () => {
    await pollEvening();
    // The first conditional question has nothing to compare with yet.
    await bench.poll(feedWith());
    bench.clock.now = at('2013-05-20T01:38:00Z');
    await bench.poll(feedWith());
    const polls = (await bench.polls()).slice(-4);
    assert.deepEqual(
      polls.map(({ outcome, readings }) => [outcome, readings.length]),
      Array.from({ length: 4 }, () => ['not_modified', 0]),
    );
    assert.equal(polls.at(-1)?.read_through, at('2013-05-20T01:38:00Z'));
    assert.equal((await bench.facts()).length, 160);
  });

  it('takes a moved report from its former place, and a report that is gone from the views', async () => {
    await pollEvening();
    await pollAfternoon();
    const text = later_file.toString('latin1');
    const moved = text.replace('42.69,-90.65', '42.79,-90.75');
    assert.notEqual(moved, text);
    files.set('130519_rpts_hail.csv', { body: moved });
    await bench.poll(feedWith());
    const news = (await bench.facts())
      .map(({ fact }) => [fact.record_key, fact.status])
      .filter(([record_key, status]) => status === 'withdrawn' || record_key?.includes('/42.79/'));
    assert.equal((await bench.facts()).length, 198);
    assert.deepEqual(news.toSorted(), [
      ['2013-05-19/0450/175/42.69/-90.65/3 E POTOSI#1', 'withdrawn'],
      ['2013-05-19/0450/175/42.79/-90.75/3 E POTOSI#1', 'preliminary'],
    ]);
    assert.equal(foldFacts(await bench.facts()).live.length, 196);

    const lines = moved.split('\n').filter((line) => !line.includes('3 E POTOSI'));
    files.set('130519_rpts_hail.csv', { body: lines.join('\n') });
    await bench.poll(feedWith());
    assert.equal(foldFacts(await bench.facts()).live.length, 195);
  });

  it('refuses a file that lost most of its reports', async () => {
    await pollEvening();
    await pollAfternoon();
    files.set('130519_rpts_hail.csv', { body: `${header}\n` });
    assert.deepEqual(await bench.poll(feedWith()), ['suspicious-withdrawal']);
    assert.equal(foldFacts(await bench.facts()).live.length, 196);
  });

  it('may be without reports, which is read and is no gap', async () => {
    bench.clock.now = at('2013-05-19T15:00:00Z');
    await bench.poll(feedWith());
    assert.equal((await bench.facts()).length, 0);
    const polls = await bench.polls();
    assert.ok(polls.every(({ outcome, readings }) => outcome === 'read' && readings.length === 1));
    assert.equal(polls.at(-1)?.read_through, at('2013-05-19T15:00:00Z'));
  });
});

describe('the turn of the day at 12Z', () => {
  it('finds today’s file still holding the day before, and takes none of it for today', async () => {
    await pollEvening();
    bench.clock.now = at('2013-05-20T12:04:00Z');
    files.set('today_hail.csv', { body: later_file });
    // The file of the day that has ended is not there yet: that is no failure.
    assert.deepEqual(await bench.poll(feedWith()), []);
    assert.equal((await bench.facts()).length, 160);
    const [named, today] = (await bench.polls()).slice(-2);
    assert.deepEqual([named?.outcome, named?.readings.length, named?.read_through], ['read', 0, null]);
    assert.match(named?.detail ?? '', /not there yet/);
    assert.deepEqual([today?.outcome, today?.readings.length, today?.read_through], ['read', 0, null]);
    assert.match(today?.detail ?? '', /another day/);
    assert.deepEqual(await pollAfternoon(), []);
    assert.equal((await bench.facts()).length, 196);
  });

  it('does not take the unchanged file of yesterday for an unchanged file of today', async () => {
    await pollEvening();
    await bench.poll(feedWith());
    for (const time of ['12:04', '12:14']) {
      bench.clock.now = at(`2013-05-20T${time}:00Z`);
      await bench.poll(feedWith());
      const today = (await bench.polls()).at(-1);
      assert.deepEqual([today?.outcome, today?.readings.length, today?.read_through], ['read', 0, null]);
      assert.match(today?.detail ?? '', /another day/);
    }
    assert.equal((await bench.facts()).length, 160);
  });

  it('knows reports of the day before also where their times have passed', async () => {
    const morning = `${header}\n1205,100,A TOWN,X,KS,37,-98,(ICT)\n1210,175,B TOWN,X,KS,37.5,-98,(ICT)\n`;
    bench.clock.now = at('2013-05-19T13:00:00Z');
    files.set('today_hail.csv', { body: morning });
    await bench.poll(feedWith());
    bench.clock.now = at('2013-05-20T13:00:00Z');
    files.set('130519_rpts_hail.csv', { body: morning });
    await bench.poll(feedWith());
    assert.equal((await bench.facts()).length, 2);
    assert.equal((await bench.polls()).at(-1)?.readings.length, 0);
  });

  it('is a failure where today’s file holds another day long after it', async () => {
    await pollEvening();
    await pollAfternoon();
    bench.clock.now = at('2013-05-20T19:00:00Z');
    files.set('today_hail.csv', { body: later_file });
    assert.deepEqual(await bench.poll(feedWith()), ['not-the-format']);
    assert.equal((await bench.facts()).length, 196);
  });

  it('leaves today’s file alone in the last minutes, when it may be the next day’s', async () => {
    await pollEvening();
    bench.clock.now = at('2013-05-20T11:55:00Z');
    files.set('today_hail.csv', { body: `${header}\n` });
    bench.stub.requests.length = 0;
    await bench.poll(feedWith());
    assert.ok(!asked().includes('today_hail.csv'));
    assert.equal(foldFacts(await bench.facts()).live.length, 160);
  });

  it('costs one report only where one has a time that is still to come', async () => {
    bench.clock.now = at('2013-05-19T20:00:00Z');
    const text = `${header}\n1805,100,A TOWN,X,KS,37,-98,(ICT)\n1905,100,B TOWN,X,KS,37.5,-98,(ICT)\n2205,100,C TOWN,X,KS,38,-98,(ICT)\n`;
    files.set('today_hail.csv', { body: text });
    assert.deepEqual(await bench.poll(feedWith()), []);
    const views = foldFacts(await bench.facts());
    assert.equal(views.live.length, 2);
    assert.deepEqual(views.set_aside, ['2013-05-19/2205/100/38/-98/C TOWN#1']);
  });
});

describe('a file that is none', () => {
  it('is a failed poll with its reason, and never "no hail"', async () => {
    await pollEvening();
    const text = today_file.toString('latin1');
    for (const [answer, reason] of [
      [{ status: 500, body: 'Internal Server Error' }, 'http-status'],
      [{ status: 403, body: 'Forbidden' }, 'http-status'],
      [{ status: 404, body: 'Not Found' }, 'http-status'],
      [{ content_type: 'text/html', body: '<html><body>Maintenance</body></html>' }, 'not-the-format'],
      [{ body: '' }, 'truncated'],
      [{ body: text.slice(0, 5_000) }, 'truncated'],
      [{ body: today_file, fault: 'cut' }, 'unreachable'],
      [{ fault: 'hang' }, 'unreachable'],
    ] as const) {
      files.set('today_hail.csv', answer);
      // Only silence is to run out of time: another answer may be late on a busy machine.
      const options = 'fault' in answer && answer.fault === 'hang' ? { timeout_ms: silence_ms } : {};
      assert.deepEqual(await bench.poll(feedWith(), options), [reason]);
      const failed = (await bench.polls()).at(-1);
      assert.deepEqual([failed?.outcome, failed?.reason, failed?.read_through], ['failed', reason, null]);
    }
    assert.equal((await bench.facts()).length, 160);
  });

  it('costs its day only, and nothing is claimed past it', async () => {
    files.set('130517_rpts_hail.csv', { status: 500 });
    bench.clock.now = at('2013-05-20T01:28:00Z');
    files.set('today_hail.csv', { body: today_file });
    assert.deepEqual(await bench.poll(feedWith()), ['http-status']);
    assert.equal((await bench.facts()).length, 160);
    const through = (await bench.polls()).map(({ read_through }) => read_through);
    const reached = at('2013-05-17T12:00:00Z');
    assert.deepEqual(through, [reached, null, reached, reached]);
    files.set('130517_rpts_hail.csv', { body: `${header}\n` });
    assert.deepEqual(await bench.poll(feedWith()), []);
    assert.equal((await bench.polls()).at(-1)?.read_through, at('2013-05-20T01:28:01Z'));
  });

  it('of a day that must be there is a failure, also where it is missing', async () => {
    files.delete('130517_rpts_hail.csv');
    bench.clock.now = at('2013-05-20T01:28:00Z');
    assert.deepEqual(await bench.poll(feedWith()), ['http-status']);
  });
});

describe('an outage longer than what is read again', () => {
  it('is made up for from the cursor on; a day that the publisher does not have does not stop it', async () => {
    bench.clock.now = at('2013-05-16T01:00:00Z');
    files.set('130514_rpts_hail.csv', { body: `${header}\n` });
    assert.deepEqual(await bench.poll(feedWith({ reread_days: 1 })), []);
    files.set('130520_rpts_hail.csv', { body: recordedReports('130520_hail.snapshot_2013-05-21T0358Z.csv') });
    files.set('130521_rpts_hail.csv', { body: `${header}\n` });
    bench.clock.now = at('2013-05-22T20:00:00Z');
    bench.stub.requests.length = 0;
    // No file of 19 May.
    assert.deepEqual(await bench.poll(feedWith({ reread_days: 1 })), ['http-status']);
    assert.deepEqual(
      asked().map((name) => name.slice(0, 6)),
      ['130515', '130516', '130517', '130518', '130519', '130520', '130521', 'today_'],
    );
    assert.equal((await bench.facts()).length, 99);
    assert.equal((await bench.polls()).at(-1)?.read_through, at('2013-05-22T20:00:00Z'));
  });
});

describe('the recorded day of 19 May 2013 in the sandbox', () => {
  it('is read from the evening to the next afternoon as it was recorded', async () => {
    const sandbox = await startTestSandbox('2013-05-20T01:28:00Z');
    const feed = stormReports({
      SPC_URL: sandbox.url,
      SPC_SCHEDULE: '0 0 1 1 *',
      SPC_REREAD_DAYS: 3,
      SPC_HISTORY: '',
    });
    try {
      const counts: number[] = [];
      for (const time of ['2013-05-20T01:28:00Z', '2013-05-20T13:00:00Z', '2013-05-20T16:52:00Z']) {
        sandbox.setTime(time);
        bench.clock.now = at(time);
        assert.deepEqual(await bench.poll(feed), []);
        counts.push(foldFacts(await bench.facts()).live.length);
      }
      assert.deepEqual(counts, [160, 160, 196]);
      assert.equal((await bench.facts()).length, 196);
    } finally {
      await sandbox.stop();
    }
  });
});

describe('history of storm reports', () => {
  const recorded = recordedReports('130520_hail.snapshot_2013-05-21T0358Z.csv');

  beforeEach(() => {
    bench.clock.now = at('2024-04-30T20:00:00Z');
    for (const day of ['240427', '240428', '240429']) {
      files.set(`${day}_rpts_hail.csv`, { body: `${header}\n` });
    }
    files.set('130519_rpts_hail.csv', { body: later_file });
    files.set('130520_rpts_hail.csv', { body: recorded });
  });

  it('is read once, as backfill, by the names of its days, and never moves the cursor', async () => {
    const feed = feedWith({ history: '2013-05-19/2013-05-21' });
    assert.deepEqual(await bench.poll(feed), []);
    assert.equal((await bench.facts()).length, 196 + 99);
    const backfill = (await bench.polls()).filter(({ mode }) => mode === 'backfill');
    assert.deepEqual(
      backfill.map(({ asked: url, read_through }) => [url.slice(-20), read_through]),
      [
        ['130519_rpts_hail.csv', null],
        ['130520_rpts_hail.csv', null],
      ],
    );
    bench.loseIndex();
    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.ok(!asked().some((name) => name.startsWith('13')));
    assert.equal((await bench.facts()).length, 295);
  });

  it('asks for a day that the publisher does not have once', async () => {
    const feed = feedWith({ history: '2013-05-24/2013-05-25' });
    assert.deepEqual(await bench.poll(feed), ['http-status']);
    assert.deepEqual(await bench.poll(feed), []);
    assert.equal(asked().filter((name) => name.startsWith('130524')).length, 1);
  });

  it('is planned by month, from the beginning of the archive up to yesterday', async () => {
    const runner = await bench.runner({
      ...feedWith(),
      poll: async (run) => {
        const feed = feedWith();
        const plan = (from: string, until: string) =>
          feed.plan?.(run, { from: at(`${from}T12:00:00Z`), until: at(`${until}T12:00:00Z`), box: null }) ??
          [];
        const parts = await plan('2013-05-19', '2013-05-21');
        assert.deepEqual(
          parts.map(({ name, requests }) => [name, requests]),
          [['2013-05', 2]],
        );
        assert.equal(parts[0]?.isRead(), false);
        await parts[0].read(run);
        await run.index.catchUp();
        assert.equal(parts[0].isRead(), true);
        assert.deepEqual(
          (await plan('2004-01-01', '2004-04-02')).map(({ name, requests }) => [name, requests]),
          [
            ['2004-03', 31],
            ['2004-04', 1],
          ],
        );
        assert.deepEqual(
          (await plan('2024-04-28', '2024-06-01')).map(({ name, requests }) => [name, requests]),
          [['2024-04', 2]],
        );
      },
    });
    assert.deepEqual(await runner.pollOnce(), []);
    await runner.close();
    assert.equal((await bench.facts()).length, 295);
  });
});
