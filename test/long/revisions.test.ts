import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pause } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { startTestGeocoder, type TestGeocoder } from '../support/census-shaped.ts';
import { createCleanup } from '../support/cleanup.ts';
import { stormEventsOf, type OracleRecord } from '../support/oracle/records.ts';
import { startPublisherStub, type PublisherStub } from '../support/publisher-stub.ts';
import { recordedYear } from '../support/recorded.ts';
import { revised2017 } from '../support/revised-2017.ts';
import { assertSameRows, liveRows } from '../support/rows.ts';
import { startTestService, type TestService } from '../support/service.ts';

const folder = '/pub/data/swdi/stormevents/csvfiles/';
const first = recordedYear(2017, '20170616');
// NOT REAL: 20 hail rows of 2017 moved, resized, blanked or gone.
const second = revised2017();
const text = (bytes: Buffer): string => gunzipSync(bytes).toString('latin1');

describe('a correction of Storm Events (2017, NOT REAL)', { timeout: 500_000 }, () => {
  const made = createCleanup();
  const before_it = new Map(stormEventsOf(text(first.bytes)).map((record) => [record.id, record]));
  const after_it = stormEventsOf(text(second.bytes));
  let listed: { name: string; bytes: Buffer }[] = [first];
  let publisher: PublisherStub;
  let geocoder: TestGeocoder;
  let service: TestService;
  let store: Store;

  const start = async (): Promise<{ service: TestService; store: Store }> => {
    const started = made.keep(
      await startTestService({
        env: { NOAA_SED_URL: publisher.url, GEOCODER_URL: geocoder.url, FEEDS_RETRY_MS: '500' },
      }),
    );
    const of = createStore({ ...readConfig({}), CLICKHOUSE_URL: started.clickhouse_url });
    made.keep({ stop: () => of.close() });
    await started.untilQueryable();
    return { service: started, store: of };
  };
  /** Has the feed poll again, as after any restart of its process, and waits until it has settled the listing once more. */
  const pollAgain = async (): Promise<void> => {
    const polls = await countPolls(store);
    await service.kill9('feeds');
    while ((await countPolls(store)) <= polls || (await openPolls(store))) await pause(50);
    await service.untilQueryable();
  };

  before(async () => {
    publisher = made.keep(await startPublisherStub());
    geocoder = made.keep(await startTestGeocoder());
    publisher.on(folder, (url) => {
      const file = listed.find(({ name }) => url.pathname === folder + name);
      if (file !== undefined) return { body: file.bytes };
      return url.pathname === folder
        ? { body: listed.map(({ name }) => `<a href="${name}">${name}</a>`).join('\n') }
        : null;
    });
    ({ service, store } = await start());
  });
  after(() => made.stop());

  it('shows once in rows, and leaves nothing at the old place', async () => {
    assertSameRows(await liveRows(store, 'NOAA_SED'), [...before_it.values()]);
    listed = [first, second];
    await pollAgain();
    assertSameRows(await liveRows(store, 'NOAA_SED'), after_it);
    const aside = await store.rows<{ id: string }>(
      'SELECT record_id AS id FROM set_aside_v1 FINAL ORDER BY id',
    );
    assert.deepEqual(
      aside.map(({ id }) => id),
      second.blanked.toSorted(),
    );
  });

  it('shows once in answers: at the new place, at no other, with the new size', async () => {
    const changed = [...second.moved, ...second.resized, ...second.blanked, ...second.vanished];
    assert.equal(changed.length, 20);
    for (const id of changed) {
      const [old, now] = [before_it.get(id), after_it.find((record) => record.id === id)];
      assert.ok(old !== undefined);
      const moved = now === undefined || now.lat !== old.lat || now.lon !== old.lon;
      assert.equal(await sizeCitedAt(old, id), moved ? null : now.size, `${id} at its old place`);
      if (now !== undefined) assert.equal(await sizeCitedAt(now, id), now.size, `${id} at its new place`);
    }
  });

  it('is not taken back by the older file alone, nor by a file cut to half its rows', async () => {
    listed = [first];
    await pollAgain();
    assertSameRows(await liveRows(store, 'NOAA_SED'), after_it);

    const lines = text(second.bytes).split('\n');
    const half = `${lines.slice(0, Math.floor(lines.length / 2)).join('\n')}\n`;
    listed = [
      { name: first.name.replace('20170616', '20171001'), bytes: gzipSync(Buffer.from(half, 'latin1')) },
    ];
    await pollAgain();
    assertSameRows(await liveRows(store, 'NOAA_SED'), after_it);
    const failed = await store.rows(
      `SELECT outcome FROM feed_status_v1 FINAL WHERE reason = 'suspicious-withdrawal'`,
    );
    assert.equal(failed.length > 0, true);
  });

  it('ends the same where both files are there from the beginning', async () => {
    listed = [second, first];
    const together = await start();
    assertSameRows(await liveRows(together.store, 'NOAA_SED'), after_it);
  });

  /** The size of the event that cites a record at a place and its time, or null where none does. */
  async function sizeCitedAt(place: OracleRecord, id: string): Promise<number | null> {
    const address = `${id} ${place.lat} Corrected Rd, Testville, TX 00000`;
    geocoder.add(address, place.lat, place.lon);
    const response = await service.get('/v1/property/verify', {
      address,
      date_of_loss: new Date(place.began).toISOString().slice(0, 10),
      window_days: '1',
      radius_mi: '0.5',
      min_size_in: '0',
    });
    const { data } = (await response.json()) as {
      data: { events: { size_in: number; sources: { record_id: string }[] }[] };
    };
    // Another record may lead the event; alone within half a mile it is this one, and a lead is never smaller than its followers.
    const event = data.events.find(({ sources }) => sources.some(({ record_id }) => record_id === id));
    return event?.size_in ?? null;
  }
});

async function countPolls(store: Store): Promise<number> {
  const [row] = await store.rows<{ n: number }>(
    `SELECT count() AS n FROM feed_status_v1 FINAL WHERE feed = 'storm_events' AND endsWith(asked, '/')`,
  );
  return Number(row?.n);
}

/** True while a file that the newest listing showed as news has not been settled yet. */
async function openPolls(store: Store): Promise<boolean> {
  const newest = await store.rows<{ asked: string; outcome: string }>(
    `SELECT asked, outcome FROM feed_status_v1 FINAL WHERE feed = 'storm_events' ORDER BY revision DESC LIMIT 1`,
  );
  return newest.some(({ asked, outcome }) => asked.endsWith('/') && outcome === 'read');
}
