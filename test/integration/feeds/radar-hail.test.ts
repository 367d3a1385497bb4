import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Feed } from '../../../services/feeds/feed.ts';
import { PollFailed } from '../../../services/feeds/poll-failure.ts';
import { radarHail } from '../../../services/feeds/swdi/feed.ts';
import { inventoryAnswer, serveInventory, type ServedInventory } from '../../support/publisher-stub.ts';
import { recordedInventory, sanAntonioRows } from '../../support/recorded.ts';
import { silence_ms, startFeedBench, type FeedBench } from './bench.ts';
import { foldFacts } from './fold.ts';
import { planOf, withPlan } from './planned.ts';

const box = '-100,29,-97,31';
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const rows = sanAntonioRows();
const [first_row = ''] = rows;

let bench: FeedBench;
let inventory: ServedInventory;

beforeEach(async () => {
  bench = await startFeedBench();
  inventory = { begins: '19920507', ends: '20260830', rows: [...rows] };
  serveInventory(bench.stub, inventory);
});
afterEach(() => bench.stop());

const feedWith = (settings: { reread_days?: number; history?: string; bbox?: string } = {}): Feed =>
  radarHail({
    SWDI_URL: bench.stub.url,
    SWDI_SCHEDULE: '0 0 1 1 *',
    SWDI_BBOX: settings.bbox ?? box,
    SWDI_REREAD_DAYS: settings.reread_days ?? 3,
    SWDI_HISTORY: settings.history ?? '',
  });

const asked = (): string[] =>
  bench.stub.requests
    .filter((path) => path.includes('/csv/'))
    .map((path) => path.split('/nx3hail/')[1] ?? '');

describe('a first poll of the radar inventory', () => {
  it('publishes every row of the days before the end of the inventory, once', async () => {
    assert.deepEqual(await bench.poll(feedWith()), []);
    assert.deepEqual(asked(), [`20260827:20260831?bbox=${box}`]);
    const facts = await bench.facts();
    assert.equal(facts.length, 79);
    const cited = facts.find(({ fact }) => fact.record_id === 'KCRP/2026-08-29T01:08:24Z/K1')?.fact;
    assert.equal(cited?.slice, `2026-08-29@${box}`);
    assert.equal(cited.status, 'final');
    const poll = (await bench.polls()).at(-1);
    assert.equal(poll?.read_through, day('2026-08-30'));
    assert.deepEqual(
      poll.readings.map(({ slice, complete, records }) => [slice.slice(0, 10), complete, records]),
      [
        ['2026-08-27', true, rows.filter((row) => row.startsWith('2026-08-27')).length],
        ['2026-08-28', true, rows.filter((row) => row.startsWith('2026-08-28')).length],
        ['2026-08-29', true, rows.filter((row) => row.startsWith('2026-08-29')).length],
        // The inventory's last day may still be filling.
        ['2026-08-30', false, 0],
      ],
    );
    await bench.poll(feedWith());
    bench.loseIndex();
    await bench.poll(feedWith());
    assert.equal((await bench.facts()).length, 79);
  });

  it('asks by calendar month', async () => {
    await bench.poll(feedWith({ reread_days: 40 }));
    assert.deepEqual(asked(), [`20260721:20260801?bbox=${box}`, `20260801:20260831?bbox=${box}`]);
    const through = (await bench.polls()).map(({ read_through }) => read_through);
    assert.deepEqual(through, [null, day('2026-08-01'), day('2026-08-30')]);
  });
});

describe('a day that is read again', () => {
  it('publishes revisions and withdraws what is gone, whatever the order of rows', async () => {
    await bench.poll(feedWith());
    inventory.rows.reverse();
    await bench.poll(feedWith());
    assert.equal((await bench.facts()).length, 79);
    inventory.rows = rows.slice(1).map((row, n) => (n === 0 ? row.replace(',0.75,', ',1.25,') : row));
    await bench.poll(feedWith());
    const news = (await bench.facts()).length - 79;
    assert.equal(news, 2);
    const gone = (await bench.facts()).find(({ fact }) => fact.status === 'withdrawn')?.fact;
    assert.equal(gone?.record_key, 'KEWX/2026-08-27T20:34:56Z/J0');
    assert.deepEqual(structuredClone(gone.supersedes), [
      { began_at: Date.parse('2026-08-27T20:34:56Z'), lat: 29.904, lon: -98.383 },
    ]);
    assert.equal(foldFacts(await bench.facts()).live.length, 78);

    inventory.rows = [...rows];
    await bench.poll(feedWith());
    assert.equal(foldFacts(await bench.facts()).live.length, 79);
  });

  it('keeps the largest of rows that share a key, in either order, and says so', async () => {
    const larger = first_row.replace(',1.00,', ',2.00,');
    inventory.rows = [larger, ...rows];
    await bench.poll(feedWith());
    inventory.rows.reverse();
    inventory.rows.push(first_row);
    await bench.poll(feedWith());
    const facts = await bench.facts();
    assert.equal(facts.length, 79);
    const [kept] = facts.filter(({ fact }) => fact.record_key === 'KEWX/2026-08-27T20:34:56Z/J0');
    assert.equal(kept?.fact.size_in, 2);
    assert.match((await bench.polls()).at(-1)?.detail ?? '', /^[12] rows came again/);
  });

  it('refuses only the day that lost too much, and the others count', async () => {
    await bench.poll(feedWith());
    inventory.rows = rows.filter((row) => !row.startsWith('2026-08-29'));
    assert.deepEqual(await bench.poll(feedWith()), ['suspicious-withdrawal']);
    assert.equal((await bench.facts()).length, 79);
    const [read, refused] = (await bench.polls()).slice(-2);
    assert.deepEqual(
      read?.readings.map(({ slice }) => slice.slice(0, 10)),
      ['2026-08-27', '2026-08-28', '2026-08-30'],
    );
    assert.equal(refused?.reason, 'suspicious-withdrawal');
    const slice = `2026-08-29@${box}`;
    assert.equal(bench.suspects.accept('radar_hail', slice), true);
    assert.deepEqual(await bench.poll(feedWith()), []);
    assert.equal(foldFacts(await bench.facts()).live.length, inventory.rows.length);
  });
});

describe('an answer that is none', () => {
  const path = '/swdiws/csv/nx3hail/';
  const whole = (): string => inventoryAnswer(rows, '20260827', '20260831');

  it('is a failed poll with its reason, and never "no hail"', async () => {
    await bench.poll(feedWith());
    for (const [answer, reason] of [
      [{ status: 500, body: "ERROR VALIDATING 'dateRange=startDate:endDate'" }, 'http-status'],
      [{ body: "error,ERROR VALIDATING 'bbox'\n" }, 'error-body'],
      [{ body: '' }, 'truncated'],
      [{ body: whole().slice(0, 2_000) }, 'truncated'],
      [{ body: '<html>Service unavailable</html>' }, 'not-the-format'],
      [{ body: whole().replaceAll('2026-08-28', '2026-09-28') }, 'not-the-format'],
      [{ body: whole().replaceAll(',-98.', ',-78.') }, 'not-the-format'],
      [{ fault: 'hang' }, 'unreachable'],
    ] as const) {
      bench.stub.on(path, () => answer);
      // Only silence is to run out of time: another answer may be late on a busy machine.
      const options = 'fault' in answer ? { timeout_ms: silence_ms } : {};
      assert.deepEqual(await bench.poll(feedWith(), options), [reason]);
      const failed = (await bench.polls()).at(-1);
      assert.deepEqual([failed?.outcome, failed?.reason, failed?.read_through], ['failed', reason, null]);
    }
    assert.equal((await bench.facts()).length, 79);
  });

  it('without a usable catalogue nothing is asked', async () => {
    bench.stub.on('/swdiws/xml', () => ({ body: '<html></html>' }));
    assert.deepEqual(await bench.poll(feedWith()), ['not-the-format']);
    assert.deepEqual(asked(), []);
  });

  it('with a count that does not agree is asked for in halves, and fails on the day that stays wrong', async () => {
    bench.stub.on(path, ({ pathname }) => {
      const range = pathname.slice(path.length);
      const [first = '', last = ''] = range.split(':');
      const body = inventoryAnswer(rows, first, last);
      const has_bad_day = first <= '20260828' && last > '20260828';
      return { body: has_bad_day ? body.replace(/count,(\d+)/, (_, n) => `count,${Number(n) + 1}`) : body };
    });
    assert.deepEqual(await bench.poll(feedWith()), ['count-mismatch']);
    assert.deepEqual(
      asked().map((each) => each.split('?')[0]),
      [
        '20260827:20260831',
        '20260827:20260829',
        '20260827:20260828',
        '20260828:20260829',
        '20260829:20260831',
      ],
    );
    const polls = (await bench.polls()).slice(1);
    assert.deepEqual(
      polls.map(({ outcome, reason, read_through }) => [outcome, reason, read_through]),
      [
        ['read', null, day('2026-08-28')],
        ['failed', 'count-mismatch', null],
        // The day before it was not read: nothing is claimed past the gap.
        ['read', null, day('2026-08-28')],
      ],
    );
  });
});

describe('freshness of the radar feed', () => {
  it('after a long outage goes on from the cursor, without a gap and without reading twice', async () => {
    inventory.ends = '20260701';
    await bench.poll(feedWith());
    inventory.ends = '20260830';
    bench.stub.requests.length = 0;
    await bench.poll(feedWith());
    assert.deepEqual(
      asked().map((each) => each.split('?')[0]),
      ['20260701:20260801', '20260801:20260831'],
    );
    assert.equal((await bench.polls()).at(-1)?.read_through, day('2026-08-30'));
  });

  it('is never claimed beyond today, whatever the catalogue says', async () => {
    inventory.ends = '29991231';
    bench.clock.now = Date.parse('2026-08-29T03:00:00Z');
    assert.deepEqual(await bench.poll(feedWith()), []);
    assert.deepEqual(asked(), [`20260826:20260830?bbox=${box}`]);
    const [catalogue, read] = await bench.polls();
    assert.equal(
      catalogue?.detail,
      'The catalogue ends on 2999-12-31, which is yet to come; it is read until today.',
    );
    assert.equal(read?.read_through, day('2026-08-29'));
    assert.equal(read.readings.at(-1)?.complete, false);
  });

  it('never goes back when the inventory does', async () => {
    await bench.poll(feedWith());
    inventory.ends = '20260825';
    await bench.poll(feedWith());
    const claims = (await bench.polls()).flatMap(({ read_through }) => read_through ?? []);
    assert.deepEqual(
      claims,
      claims.toSorted((a, b) => a - b),
    );
    assert.equal(claims.at(-1), day('2026-08-30'));
  });
});

describe('history of the radar feed', () => {
  it('is read once, as backfill, and never moves the cursor', async () => {
    const tornado = recordedInventory('ncei_swdiws_nx3hail_point_20110524.csv').toString('utf8');
    inventory.rows.push(...tornado.split('\n').filter((line) => line.startsWith('2011')));
    const feed = feedWith({ history: '2011-05-24/2011-05-25', bbox: '-125,24,-66.5,50' });
    await bench.poll(feed);
    assert.equal((await bench.facts()).length, 79 + 4);
    const backfill = (await bench.polls()).filter(({ mode }) => mode === 'backfill');
    assert.deepEqual(
      backfill.map(({ read_through, readings }) => [read_through, readings.length]),
      [
        [null, 0],
        [null, 1],
      ],
    );
    bench.loseIndex();
    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.ok(!bench.stub.requests.some((path) => path.includes('20110524')));
    assert.equal((await bench.facts()).length, 83);
  });

  it('does not take days outside of the inventory for days without hail', async () => {
    await bench.poll(feedWith({ history: '1990-01-01/1990-01-03,2026-08-28/2026-09-02' }));
    assert.ok(!asked().some((each) => each.startsWith('1990')));
    const backfill = (await bench.polls()).filter(({ mode }) => mode === 'backfill');
    assert.equal(backfill.length, 1);
    assert.match(backfill[0]?.detail ?? '', /^5 days of the configured history/);
  });
});

describe('radar history that an operator asks for', () => {
  const period = { from: day('2026-07-30'), until: day('2026-08-29') + 3_600_000, box: null };
  const nothing_live = { reread_days: 1 };

  it('is planned by month, asks for days that were not read, and never moves the cursor', async () => {
    const feed = feedWith(nothing_live);
    await bench.poll(feed);
    // The live poll has read 29 August and begun the 30th.
    assert.deepEqual(asked(), [`20260829:20260831?bbox=${box}`]);
    const cursor = (await bench.polls()).at(-1)?.read_through;
    bench.stub.requests.length = 0;
    await withPlan(bench, feed, period, async (parts, run) => {
      assert.deepEqual(
        parts.map(({ name, requests, bytes, isRead }) => [name, requests, bytes, isRead()]),
        [
          ['2026-07', 1, null, false],
          ['2026-08', 1, null, false],
        ],
      );
      for (const part of parts) await part.read(run);
      await run.index.catchUp();
      assert.ok(parts.every(({ isRead }) => isRead()));
    });
    assert.deepEqual(asked(), [`20260730:20260801?bbox=${box}`, `20260801:20260829?bbox=${box}`]);
    const backfill = (await bench.polls()).filter(({ mode }) => mode === 'backfill');
    assert.deepEqual(
      backfill.map(({ outcome, read_through, readings }) => [outcome, read_through, readings.length]),
      [
        ['read', null, 2],
        ['read', null, 28],
      ],
    );
    assert.ok(backfill.every(({ readings }) => readings.every(({ complete }) => complete)));
    assert.equal((await bench.facts()).length, 79);

    // Resumed from the log alone: nothing is left, and the next live poll claims what it did before.
    bench.loseIndex();
    const again = await withPlan(bench, feed, period, (parts) =>
      Promise.resolve(parts.map(({ requests, isRead }) => [requests, isRead()])),
    );
    assert.deepEqual(again, [
      [0, true],
      [0, true],
    ]);
    await bench.poll(feed);
    assert.equal((await bench.polls()).at(-1)?.read_through, cursor);
  });

  it('goes on in the middle of a month, where it was ended', async () => {
    const feed = feedWith(nothing_live);
    await withPlan(bench, feed, { ...period, until: day('2026-08-10') }, async (parts, run) => {
      for (const part of parts) await part.read(run);
    });
    bench.stub.requests.length = 0;
    await withPlan(bench, feed, period, async (parts, run) => {
      for (const part of parts) if (!part.isRead()) await part.read(run);
    });
    assert.deepEqual(asked(), [`20260810:20260830?bbox=${box}`]);
  });

  it('says which days the inventory does not hold, and does not ask for them', async () => {
    const wide = { from: day('1992-05-06'), until: day('1992-05-08'), box: null };
    await withPlan(bench, feedWith(), wide, async (parts, run) => {
      assert.deepEqual(
        parts.map(({ name, requests }) => [name, requests]),
        [
          ['1992-05', 1],
          ['outside of the inventory: 1992-05-06/1992-05-07', 0],
        ],
      );
      for (const part of parts) await part.read(run);
    });
    assert.deepEqual(asked(), [`19920507:19920508?bbox=${box}`]);
    const said = (await bench.polls()).at(-1);
    assert.deepEqual([said?.mode, said?.outcome, said?.read_through], ['backfill', 'not_modified', null]);
    assert.equal(said?.detail, 'Days outside of the inventory, not asked: 1992-05-06/1992-05-07.');
    assert.deepEqual(said.readings, []);
    // The day that may still be filling is outside as well: live polls read it.
    const late = { from: day('2026-08-29'), until: day('2026-09-01'), box: null };
    const parts = await planOf(bench, feedWith(), late);
    assert.deepEqual(
      parts.map(({ name }) => name),
      ['2026-08', 'outside of the inventory: 2026-08-30/2026-09-01'],
    );
  });

  it('may be of a box of its own; what lies in the configured box and was read there is passed over', async () => {
    const feed = feedWith();
    await bench.poll(feed);
    const inner = { west: -99, south: 29.5, east: -98, north: 30.5 };
    const outer = { ...inner, east: -96 };
    const days = { from: day('2026-08-26'), until: day('2026-08-28') };
    bench.stub.requests.length = 0;
    await withPlan(bench, feed, { ...days, box: inner }, async (parts, run) => {
      for (const each of parts) if (!each.isRead()) await each.read(run);
      await run.index.catchUp();
      assert.ok(parts.every(({ isRead }) => isRead()));
    });
    assert.deepEqual(asked(), ['20260826:20260827?bbox=-99,29.5,-98,30.5']);
    // Of a box that reaches beyond the configured one nothing is known.
    await withPlan(bench, feed, { ...days, box: outer }, (parts) => {
      assert.deepEqual(
        parts.map(({ requests, isRead }) => [requests, isRead()]),
        [[1, false]],
      );
      return Promise.resolve();
    });
  });

  it('has no plan where there is no catalogue', async () => {
    bench.stub.on('/swdiws/xml', () => ({ status: 503 }));
    await assert.rejects(
      planOf(bench, feedWith(), period),
      (error) => error instanceof PollFailed && error.reason === 'http-status',
    );
  });
});

describe('an answer that may have been cut without a word', () => {
  it('is asked for in halves; a single day stands where its count agrees', async () => {
    // NOT REAL: as many rows as the ceiling that other readers guard against.
    inventory.rows = Array.from({ length: 10_000 }, (_, n) => {
      const at = new Date(day('2026-08-28') + n * 8_000).toISOString().slice(0, 19);
      return `${at}Z,KEWX,A0,100,0,0.50,29.904,-98.383`;
    });
    assert.deepEqual(await bench.poll(feedWith()), []);
    assert.deepEqual(
      asked().map((each) => each.split('?')[0]),
      [
        '20260827:20260831',
        '20260827:20260829',
        '20260827:20260828',
        '20260828:20260829',
        '20260829:20260831',
      ],
    );
    assert.equal((await bench.facts()).length, 10_000);
    assert.equal((await bench.polls()).at(-1)?.read_through, day('2026-08-30'));
  });
});
