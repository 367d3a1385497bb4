import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { recordings } from '../support/oracle/records.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

interface Feature {
  id: string;
  properties: { id: string; event: string; messageType: string; sent: string };
}
interface Collection {
  type: string;
  features: Feature[];
  pagination?: { next: string };
}

const national = readFileSync(
  join(recordings, 'nws_alert/nws_alerts_active_2026-07-15T2000Z.dates-restored.json'),
  'utf8',
);
const { features } = JSON.parse(national) as Collection;
const recordedFeature = (file: string): Feature =>
  JSON.parse(readFileSync(join(recordings, 'nws_alert', file), 'utf8')) as Feature;
const active = '/alerts/active?status=actual';

describe('the alerts in the sandbox', () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox('2026-07-15T20:00:37Z');
  });
  after(() => sandbox.stop());
  const collection = async (path: string): Promise<Collection> =>
    JSON.parse(await sandbox.text(path)) as Collection;
  const at = (time: string, path = active): Promise<Collection> => {
    sandbox.setTime(time);
    return collection(path);
  };
  const statusOf = async (path: string): Promise<number> => (await sandbox.get(path)).status;

  it('serves the recorded collection byte for byte at its time', async () => {
    sandbox.setTime('2026-07-15T20:00:37Z');
    const response = await sandbox.get(active);
    assert.equal(response.headers.get('content-type'), 'application/geo+json');
    assert.equal(await response.text(), national);
    const etag = response.headers.get('etag') ?? '';
    assert.equal((await sandbox.get(active, { 'If-None-Match': etag })).status, 304);
    assert.equal(features.length, 396);
  });

  it('lets every alert live from when it was sent to when its event ends, else its message', async () => {
    // Read off the file by hand: the first to end is the warning of Tucson, at 20:15; the newest were sent at 20:00.
    const tucson = (all: Collection): Feature[] =>
      all.features.filter(({ properties }) => properties.event === 'Severe Thunderstorm Warning');
    assert.equal(tucson(await at('2026-07-15T20:14:59Z')).length, 2);
    assert.equal(tucson(await at('2026-07-15T20:15:00Z')).length, 1);
    const early = await at('2026-07-15T19:59:59Z');
    const sent_at_20 = features.filter(
      ({ properties }) => properties.sent === '2026-07-15T20:00:00+00:00',
    ).length;
    assert.ok(sent_at_20 > 0);
    assert.equal(early.features.length, features.length - sent_at_20);
  });

  it('is a complete answer without alerts at any other time', async () => {
    for (const time of ['2013-05-20T20:00:00Z', '2026-08-29T03:00:00Z', '2026-11-21T20:00:00Z']) {
      const empty = await at(time);
      assert.deepEqual([empty.type, empty.features, 'pagination' in empty], ['FeatureCollection', [], false]);
    }
  });

  it('serves the single recordings at their times, and a replaced warning no longer', async () => {
    const hail = recordedFeature('nws_alert_feature_SVR_KEAX_2026-06-10_1.75in.json');
    const tornado = recordedFeature('nws_alert_feature_TOR_KEAX_2026-06-10_1.50in.json');
    assert.deepEqual((await at('2026-06-10T21:28:00Z')).features, [hail]);
    const both = (await at('2026-06-10T21:31:00Z')).features;
    assert.deepEqual(new Set(both.map(({ id }) => id)), new Set([hail.id, tornado.id]));
    assert.deepEqual((await at('2026-06-10T22:00:00Z')).features, [hail]);
    assert.deepEqual((await at('2026-06-10T22:30:00Z')).features, []);

    const kinds = async (time: string): Promise<string[]> =>
      (await at(time)).features.map(({ properties }) => properties.messageType).sort();
    assert.deepEqual(await kinds('2026-07-09T05:23:00Z'), ['Alert']);
    assert.deepEqual(await kinds('2026-07-09T05:38:00Z'), ['Alert', 'Alert']);
    assert.deepEqual(await kinds('2026-07-09T05:39:00Z'), ['Alert', 'Cancel']);
  });

  it('narrows by event and refuses what it does not know, limit above all', async () => {
    const events = async (names: string): Promise<number> =>
      (await at('2026-07-15T20:00:37Z', `${active}&event=${encodeURIComponent(names)}`)).features.length;
    assert.equal(await events('Severe Thunderstorm Warning'), 2);
    assert.equal(await events('severe thunderstorm warning,Special Weather Statement'), 12);
    assert.equal(await events('Tornado Warning'), 0);
    assert.equal((await at('2026-07-15T20:00:37Z', '/alerts/active?status=test')).features.length, 0);

    const refused = await sandbox.get(`${active}&limit=500`);
    assert.equal(refused.status, 400);
    assert.equal(
      await refused.text(),
      '{"parameterErrors":[{"parameter":"query.limit","message":"Query parameter \\"limit\\" is not recognized"}],' +
        '"title":"Bad Request","status":400}',
    );
    assert.equal(await statusOf(`${active}&toString=1`), 400);
    assert.equal(await statusOf(`${active}&area=TX`), 501);
  });

  it('wants to know who asks', async () => {
    const statusWith = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((done, fail) => {
        // Unlike fetch, this client names itself only when told to.
        const asked = request(sandbox.url + active, { headers }, (response) => {
          response.resume().on('end', () => done(response.statusCode));
        });
        asked.on('error', fail).end();
      });
    assert.equal(await statusWith({}), 403);
    assert.equal(await statusWith({ 'User-Agent': 'Hailmark tests' }), 200);
  });

  it('serves one alert by its id, from when it was sent', async () => {
    const hail = recordedFeature('nws_alert_feature_SVR_KEAX_2026-06-10_1.75in.json');
    const path = `/alerts/${hail.properties.id}`;
    sandbox.setTime('2026-11-21T20:00:00Z');
    assert.partialDeepStrictEqual(JSON.parse(await sandbox.text(path)), hail);
    assert.equal(await statusOf('/alerts/urn:oid:0'), 404);
    assert.equal(await statusOf('/alerts/%E0%A4%A'), 404);
    sandbox.setTime('2026-06-10T21:27:59Z');
    assert.equal(await statusOf(path), 404);
  });

  it('serves the alerts of the last week in pages that lead on at its own host', async () => {
    sandbox.setTime('2026-07-17T00:00:00Z');
    const asked = '/alerts?status=actual&start=2026-07-09T00:00:00Z&end=2026-07-16T00:00:00Z';
    const ids: string[] = [];
    let pages = 0;
    for (let next: string | undefined = `${sandbox.url}${asked}&limit=150`; next !== undefined; pages += 1) {
      assert.ok(next.startsWith(`${sandbox.url}/alerts?`));
      const page = (await (await fetch(next)).json()) as Collection;
      ids.push(...page.features.map(({ id }) => id));
      next = page.pagination?.next;
    }
    // The three of 9 July are more than a week old; three features stand twice in the recorded collection.
    assert.deepEqual([pages, ids.length, new Set(ids).size], [3, 396, 393]);
    assert.equal((await at('2026-07-10T00:00:00Z', asked)).features.length, 3);
    assert.equal((await at('2026-09-01T00:00:00Z', asked)).features.length, 0);
    for (const wrong of ['limit=501', 'limit=0', 'limit=x', 'start=soon', 'other=1']) {
      assert.equal(await statusOf(`/alerts?${wrong}`), 400, wrong);
    }
  });
});
