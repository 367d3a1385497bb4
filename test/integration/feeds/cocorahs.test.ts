import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { cocorahsHail } from '../../../services/feeds/cocorahs/feed.ts';
import { allStates } from '../../../services/feeds/cocorahs/states.ts';
import { readDocument } from '../../../services/feeds/documents/files.ts';
import type { Feed } from '../../../services/feeds/feed.ts';
import type { StubAnswer } from '../../support/publisher-stub.ts';
import { recordedExport } from '../../support/recorded-reports.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { silence_ms, startFeedBench, type FeedBench } from './bench.ts';
import { foldFacts } from './fold.ts';

const [header = '', longmont = '', black_forest = ''] = recordedExport().toString('utf8').split('\n');
const at = (text: string): number => Date.parse(text);
/** A Kansas report. NOT REAL: the Longmont row under another station, place and day. */
const wichita = longmont
  .replace('CO-BO-435, Longmont 3.0 SW, 40.1404, -105.149', 'KS-SG-9, Wichita 1.0 N, 37.7, -97.34')
  .replace('2026-06-01, 01:00 PM, 2026-06-02 07:54 AM', '2026-06-02, 01:00 PM, 2026-06-02 02:54 PM')
  .replace('2026-06-02 01:54 PM', '2026-06-02 07:54 PM');

let bench: FeedBench;
/** What the publisher has: lines by the state that they are exported for; changed between polls. */
let rows: Record<string, string[]>;
/** Answers that are none, by state. */
let broken: Map<string, StubAnswer>;

beforeEach(async () => {
  bench = await startFeedBench();
  bench.clock.now = at('2026-06-04T18:00:00Z');
  rows = { CO: [longmont, black_forest], KS: [wichita] };
  broken = new Map();
  bench.stub.on('/export/exportreports.aspx', ({ searchParams: asked }) => {
    const state = asked.get('State') ?? '';
    if (asked.get('ReportType') !== 'Hail' || asked.get('TimesInGMT') !== 'False') return null;
    return (
      broken.get(state) ?? { body: exported(rows[state] ?? [], asked.get('StartDate'), asked.get('EndDate')) }
    );
  });
});
afterEach(() => bench.stop());

/** Header and the rows of days from `first` to `last`, both inclusive, written `MM/DD/YYYY`; CRLF, as the service answers. */
function exported(lines: readonly string[], first: string | null, last: string | null): string {
  const [from = '', to = ''] = [first, last].map((day) => {
    const [, month = '', date = '', year = ''] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(day ?? '') ?? [];
    return `${year}-${month}-${date}`;
  });
  const found = lines.filter((line) => line.slice(0, 10) >= from && line.slice(0, 10) <= to);
  return [header, ...found, ''].join('\r\n');
}

const feedWith = (settings: { states?: string; reread_days?: number; history?: string } = {}): Feed =>
  cocorahsHail({
    COCORAHS_URL: bench.stub.url,
    COCORAHS_SCHEDULE: '0 0 1 1 *',
    COCORAHS_STATES: settings.states ?? '',
    COCORAHS_REREAD_DAYS: settings.reread_days ?? 7,
    COCORAHS_HISTORY: settings.history ?? '',
  });

const asked = (): string[][] =>
  bench.stub.requests.map((path) => {
    const { searchParams } = new URL(path, 'http://publisher');
    return ['State', 'StartDate', 'EndDate'].map((name) => searchParams.get(name) ?? '');
  });

describe('a poll of all states', () => {
  it('asks each once, one at a time, and publishes every report once', async () => {
    assert.deepEqual(await bench.poll(feedWith()), []);
    assert.deepEqual(
      asked(),
      allStates.map((state) => [state, '05/28/2026', '06/04/2026']),
    );
    assert.equal(bench.stub.most_at_once(), 1);
    const facts = await bench.facts();
    assert.deepEqual(facts.map(({ fact }) => [fact.record_id, fact.slice, fact.status]).sort(), [
      ['CO-BO-435/2026-06-01', '2026-06-01@US', 'final'],
      ['CO-EP-376/2026-06-01', '2026-06-01@US', 'final'],
      ['KS-SG-9/2026-06-02', '2026-06-02@US', 'final'],
    ]);
    for (const { fact } of facts) {
      assert.match(fact.provenance.document_url, new RegExp(`State=${fact.record_id.slice(0, 2)}&`));
    }
    await bench.poll(feedWith());
    bench.loseIndex();
    await bench.poll(feedWith());
    assert.equal((await bench.facts()).length, 3);
  });

  it('is one reading: a day of the whole country is a slice, whole once it is past everywhere', async () => {
    await bench.poll(feedWith());
    const [poll, ...more] = await bench.polls();
    assert.equal(more.length, 0);
    assert.match(poll?.asked ?? '', /State=\*&/);
    assert.deepEqual(
      poll?.readings.map(({ slice, complete, records, box }) => [slice, complete, records, box]),
      [
        ['2026-05-28@US', true, 0, null],
        ['2026-05-29@US', true, 0, null],
        ['2026-05-30@US', true, 0, null],
        ['2026-05-31@US', true, 0, null],
        ['2026-06-01@US', true, 2, null],
        ['2026-06-02@US', true, 1, null],
        ['2026-06-03@US', true, 0, null],
        ['2026-06-04@US', false, 0, null],
      ],
    );
    // The end of 3 June on the easternmost clock.
    assert.equal(poll.read_through, at('2026-06-04T04:00:00Z'));
    const spans = poll.readings.map(({ from, until }) => [from, until]);
    // Before the first day nothing was read, so its evening in the west is not known.
    assert.deepEqual(spans[0], [at('2026-05-28T10:00:00Z'), at('2026-05-29T04:00:00Z')]);
    assert.deepEqual(spans[1], [at('2026-05-29T04:00:00Z'), at('2026-05-30T04:00:00Z')]);
  });

  it('takes the day before 12 hours past its end on the last clock for unfinished', async () => {
    bench.clock.now = at('2026-06-04T11:59:00Z');
    await bench.poll(feedWith());
    const [poll] = await bench.polls();
    assert.deepEqual(
      poll?.readings.filter(({ complete }) => !complete).map(({ slice }) => slice),
      ['2026-06-03@US', '2026-06-04@US'],
    );
  });
});

describe('a report', () => {
  it('that comes late is published, alone', async () => {
    rows['CO'] = [longmont];
    await bench.poll(feedWith());
    rows['CO'].unshift(black_forest);
    await bench.poll(feedWith());
    assert.equal((await bench.facts()).length, 3);
    assert.equal(
      (await bench.polls()).at(-1)?.readings.reduce((sum, { published }) => sum + published, 0),
      1,
    );
  });

  it('that is corrected changes once, under the version of its stamp', async () => {
    await bench.poll(feedWith());
    const corrected = longmont.replace(' 0.750,', ' 1.250,').replace('01:54 PM', '03:07 PM');
    rows['CO'] = [corrected, black_forest];
    await bench.poll(feedWith());
    await bench.poll(feedWith());
    const revisions = (await bench.facts()).filter(({ fact }) => fact.record_id === 'CO-BO-435/2026-06-01');
    assert.deepEqual(
      revisions.map(({ fact }) => [fact.size_in, fact.provenance.publisher_version, fact.began_at]),
      [
        [0.75, '2026-06-02T13:54:00Z', at('2026-06-01T19:00:00Z')],
        [1.25, '2026-06-02T15:07:00Z', at('2026-06-01T19:00:00Z')],
      ],
    );
    assert.equal((await bench.facts()).length, 4);
    assert.equal(foldFacts(await bench.facts()).live.length, 3);
  });

  it('is not taken back by an answer that is older than what was published', async () => {
    const corrected = longmont.replace(' 0.750,', ' 1.250,').replace('01:54 PM', '03:07 PM');
    rows['CO'] = [corrected, black_forest];
    await bench.poll(feedWith());
    rows['CO'] = [longmont, black_forest];
    await bench.poll(feedWith());
    const revisions = (await bench.facts()).filter(({ fact }) => fact.record_id === 'CO-BO-435/2026-06-01');
    assert.deepEqual(
      revisions.map(({ fact }) => fact.size_in),
      [1.25],
    );
  });

  it('that stands twice counts as it was changed last', async () => {
    const corrected = longmont.replace(' 0.750,', ' 0.500,').replace('01:54 PM', '03:07 PM');
    rows['CO'] = [corrected, longmont, black_forest];
    await bench.poll(feedWith());
    rows['CO'].reverse();
    await bench.poll(feedWith());
    const facts = (await bench.facts()).filter(({ fact }) => fact.record_id === 'CO-BO-435/2026-06-01');
    assert.deepEqual(
      facts.map(({ fact }) => fact.size_in),
      [0.5],
    );
  });

  it('that is gone is withdrawn, in the name of all the answers that lack it', async () => {
    await bench.poll(feedWith());
    rows['CO'] = [black_forest];
    await bench.poll(feedWith());
    const gone = (await bench.facts()).filter(({ fact }) => fact.status === 'withdrawn');
    assert.deepEqual(
      gone.map(({ fact }) => fact.record_key),
      ['CO-BO-435/2026-06-01/13:00'],
    );
    assert.match(gone[0]?.fact.provenance.document_url ?? '', /State=\*&/);
    assert.equal(foldFacts(await bench.facts()).live.length, 2);
  });

  it('cites a document that was kept, the one of its state', async () => {
    await bench.poll(feedWith());
    rows['CO'] = [black_forest];
    await bench.poll(feedWith());
    for (const { fact } of await bench.facts()) {
      const kept = await readDocument(bench.data_dir, fact.provenance.document_sha256);
      assert.equal(kept.outcome, 'found', fact.record_key);
      const text = kept.bytes.toString('utf8');
      if (fact.status !== 'withdrawn') {
        assert.ok(text.includes(fact.record_id.split('/')[0] ?? ''));
        continue;
      }
      // The list of all the answers, and each of those is there too.
      const named = text.trimEnd().split('\n');
      assert.equal(named.length, allStates.length);
      for (const line of named) {
        assert.equal((await readDocument(bench.data_dir, line.slice(0, 64))).outcome, 'found');
      }
    }
  });

  it('that is moved to another time is another record, and the former one is withdrawn', async () => {
    await bench.poll(feedWith());
    rows['CO'] = [longmont.replace('2026-06-01, 01:00 PM', '2026-05-31, 01:00 PM'), black_forest];
    await bench.poll(feedWith());
    const facts = await bench.facts();
    assert.equal(facts.length, 5);
    assert.equal(foldFacts(facts).live.length, 3);
  });

  it('without a size is set aside, and leaves its place when the size is taken back', async () => {
    await bench.poll(feedWith());
    rows['CO'] = [longmont.replace(' 0.750,', ' NA,'), black_forest];
    await bench.poll(feedWith());
    const views = foldFacts(await bench.facts());
    assert.equal(views.live.length, 2);
    assert.deepEqual(views.set_aside, ['CO-BO-435/2026-06-01/13:00']);
  });

  it('never brings the name of a station into the log', async () => {
    await bench.poll(feedWith());
    assert.ok(!JSON.stringify(await bench.facts()).includes('Longmont'));
  });
});

describe('a state that cannot be read', () => {
  it('costs its own reports: the others are published, nothing is withdrawn and nothing claimed', async () => {
    await bench.poll(feedWith());
    rows['KS']?.push(wichita.replace('KS-SG-9', 'KS-SG-10'));
    for (const [answer, reason] of [
      [{ status: 500, body: 'Server Error' }, 'http-status'],
      [{ content_type: 'text/html', body: '<html><body>Runtime Error</body></html>' }, 'not-the-format'],
      [{ body: '' }, 'truncated'],
      // The whole country, or other days: the answer of another question.
      [{ body: [header, wichita, ''].join('\r\n') }, 'not-the-format'],
      [{ body: [header, longmont.replace('2026-06-01', '2026-07-01'), ''].join('\r\n') }, 'not-the-format'],
    ] as const) {
      broken.set('CO', answer);
      assert.deepEqual(await bench.poll(feedWith()), [reason]);
      const [read, failed] = (await bench.polls()).slice(-2);
      assert.deepEqual([read?.outcome, read?.detail], ['read', 'Not read: CO.']);
      // No more than the first poll had claimed.
      assert.equal(read?.read_through, at('2026-06-04T04:00:00Z'));
      assert.ok(read.readings.every(({ complete }) => !complete));
      assert.deepEqual([failed?.outcome, failed?.reason], ['failed', reason]);
      assert.match(failed?.asked ?? '', /State=CO&/);
    }
    const facts = await bench.facts();
    assert.equal(facts.length, 4);
    assert.ok(facts.every(({ fact }) => fact.status === 'final'));
    broken.clear();
    assert.deepEqual(await bench.poll(feedWith()), []);
    assert.equal((await bench.facts()).length, 4);
  });

  it('and does not answer at all ends the poll: the next would wait as long', async () => {
    broken.set('AZ', { fault: 'hang' });
    assert.deepEqual(await bench.poll(feedWith(), { timeout_ms: silence_ms }), ['unreachable']);
    assert.deepEqual(
      asked().map(([state]) => state),
      allStates.slice(0, allStates.indexOf('AZ') + 1),
    );
    const [read] = await bench.polls();
    assert.match(read?.detail ?? '', /^Not read: AZ, CA, CO, /);
  });

  it('is one of three at most: then the publisher is left alone', async () => {
    for (const state of allStates) broken.set(state, { status: 403, body: 'Forbidden' });
    assert.deepEqual(await bench.poll(feedWith()), ['http-status']);
    assert.equal(asked().length, 3);
    const polls = await bench.polls();
    assert.deepEqual(
      polls.map(({ outcome, reason, read_through }) => [outcome, reason, read_through]),
      [['failed', 'http-status', null]],
    );
  });
});

describe('the recorded reports in the sandbox', () => {
  it('appear as they were entered', async () => {
    const sandbox = await startTestSandbox('2026-06-01T23:00:00Z');
    const feed = cocorahsHail({
      COCORAHS_URL: sandbox.url,
      COCORAHS_SCHEDULE: '0 0 1 1 *',
      COCORAHS_STATES: 'CO,KS',
      COCORAHS_REREAD_DAYS: 7,
      COCORAHS_HISTORY: '',
    });
    try {
      const counts: number[] = [];
      for (const time of ['2026-06-01T23:00:00Z', '2026-06-01T23:20:00Z', '2026-06-02T14:00:00Z']) {
        sandbox.setTime(time);
        bench.clock.now = at(time);
        assert.deepEqual(await bench.poll(feed), []);
        counts.push(foldFacts(await bench.facts()).live.length);
      }
      assert.deepEqual(counts, [0, 1, 2]);
    } finally {
      await sandbox.stop();
    }
  });
});

describe('some states only', () => {
  it('are slices of their own, each with the box around its state', async () => {
    await bench.poll(feedWith({ states: 'KS,CO', reread_days: 3 }));
    assert.deepEqual(
      asked().map(([state]) => state),
      ['CO', 'KS'],
    );
    const [poll] = await bench.polls();
    assert.deepEqual(
      poll?.readings
        .filter(({ records }) => records > 0)
        .map(({ slice, box, records }) => [slice, box?.west, records]),
      [
        ['2026-06-01@CO', -109.07, 2],
        ['2026-06-02@KS', -102.06, 1],
      ],
    );
    assert.equal(poll.readings.length, 8);
    assert.equal(poll.read_through, at('2026-06-04T04:00:00Z'));
  });

  it('go on without one another', async () => {
    const feed = feedWith({ states: 'CO,KS', reread_days: 3 });
    await bench.poll(feed);
    broken.set('CO', { status: 500 });
    rows['KS'] = [];
    assert.deepEqual(await bench.poll(feed), ['http-status']);
    const gone = (await bench.facts()).filter(({ fact }) => fact.status === 'withdrawn');
    assert.deepEqual(
      gone.map(({ fact }) => fact.record_key),
      ['KS-SG-9/2026-06-02/13:00'],
    );
    assert.equal(foldFacts(await bench.facts()).live.length, 2);
  });
});

describe('an outage', () => {
  it('longer than what is read again is made up for from the cursor on, and asked by month', async () => {
    await bench.poll(feedWith({ reread_days: 2 }));
    bench.clock.now = at('2026-08-10T18:00:00Z');
    bench.stub.requests.length = 0;
    await bench.poll(feedWith({ reread_days: 2 }));
    const stretches = [...new Set(asked().map(([, first, last]) => `${first}-${last}`))];
    assert.deepEqual(stretches, ['06/04/2026-06/30/2026', '07/01/2026-07/31/2026', '08/01/2026-08/10/2026']);
    assert.equal((await bench.polls()).at(-1)?.read_through, at('2026-08-10T04:00:00Z'));
  });

  it('claims nothing past days that could not be read', async () => {
    await bench.poll(feedWith({ reread_days: 2 }));
    bench.clock.now = at('2026-08-10T18:00:00Z');
    bench.stub.on('/export/', ({ searchParams }) =>
      searchParams.get('StartDate') === '07/01/2026' && searchParams.get('State') === 'CO'
        ? { status: 500 }
        : null,
    );
    assert.deepEqual(await bench.poll(feedWith({ reread_days: 2 })), ['http-status']);
    const claims = (await bench.polls()).flatMap(({ read_through }) => read_through ?? []);
    assert.equal(claims.at(-1), at('2026-07-01T04:00:00Z'));
  });
});

describe('history of hail reports', () => {
  beforeEach(() => {
    bench.clock.now = at('2026-08-10T18:00:00Z');
  });

  it('is read once, as backfill, and never moves the cursor', async () => {
    const feed = feedWith({ states: 'CO', history: '2026-06-01/2026-06-03,2026-06-02/2026-06-04' });
    assert.deepEqual(await bench.poll(feed), []);
    assert.deepEqual(asked().at(-1), ['CO', '06/01/2026', '06/03/2026']);
    assert.equal((await bench.facts()).length, 2);
    const backfill = (await bench.polls()).filter(({ mode }) => mode === 'backfill');
    assert.deepEqual(
      backfill.map(({ read_through, readings }) => [read_through, readings.length]),
      [[null, 3]],
    );
    bench.loseIndex();
    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.equal(asked().length, 1);
    assert.equal((await bench.facts()).length, 2);
  });

  it('meets what was read before it without a gap', async () => {
    bench.clock.now = at('2026-06-04T18:00:00Z');
    await bench.poll(feedWith({ states: 'CO', reread_days: 2 }));
    await bench.poll(feedWith({ states: 'CO', reread_days: 2, history: '2026-05-30/2026-06-02' }));
    const spans = (await bench.polls())
      .flatMap(({ readings }) => readings)
      .filter(({ complete }) => complete)
      .map(({ from, until }) => [from, until] as const)
      .sort(([a], [b]) => a - b);
    assert.equal(spans[0]?.[0], at('2026-05-30T10:00:00Z'));
    assert.equal(spans.at(-1)?.[1], at('2026-06-04T04:00:00Z'));
    for (const [n, [from]] of spans.slice(1).entries()) assert.ok(from <= (spans[n]?.[1] ?? 0));
  });

  it('is planned by month, from the beginning of the network, and goes on where it ended', async () => {
    const feed = feedWith({ states: 'CO,KS' });
    const runner = await bench.runner({
      ...feed,
      poll: async (run) => {
        const plan = async (from: string, until: string) =>
          (await feed.plan?.(run, {
            from: at(`${from}T00:00:00Z`),
            until: at(`${until}T00:00:00Z`),
            box: null,
          })) ?? [];
        const parts = await plan('2026-05-30', '2026-06-05');
        // The evening of 29 May lies on 30 May UTC.
        assert.deepEqual(
          parts.map(({ name, requests }) => [name, requests]),
          [
            ['2026-05', 2],
            ['2026-06', 2],
          ],
        );
        await parts[1]?.read(run);
        await run.index.catchUp();
        assert.deepEqual(
          parts.map((part) => part.isRead()),
          [false, true],
        );
        assert.deepEqual(
          (await plan('1997-06-01', '1998-02-01')).map(({ name }) => name),
          ['1998-01'],
        );
        assert.deepEqual(await plan('2027-01-01', '2027-02-01'), []);
      },
    });
    assert.deepEqual(await runner.pollOnce(), []);
    await runner.close();
    assert.equal((await bench.facts()).length, 3);
  });
});
