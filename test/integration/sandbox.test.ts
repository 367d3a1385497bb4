import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { gazetteer } from '../../infra/sandbox/geocoder/gazetteer.ts';
import { createSandbox } from '../../infra/sandbox/server.ts';
import { eventsOf, miles } from '../support/oracle/answers.ts';
import { recordedHail, recordings, type OracleRecord } from '../support/oracle/records.ts';

const directory = '/pub/data/swdi/stormevents/csvfiles/';
const hail_of_san_antonio =
  readFileSync(
    join(recordings, 'swdi/nx3hail_san-antonio-box_2026-08-27_29.reconstructed.csv'),
    'utf8',
  ).split('\n').length - 2;

describe('the sandbox at the publishers own paths', () => {
  const server = createSandbox();
  let base: string;
  let records: OracleRecord[];
  before(async () => {
    // Reading all recordings blocks for seconds: between two requests it would outlast the server's idle connections.
    records = recordedHail();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const text = async (path: string): Promise<string> => (await fetch(base + path)).text();

  describe('Storm Events', () => {
    it('lists every recorded file, in an order that names neither the first nor the last revision as the newest', async () => {
      const page = await text(directory);
      const listed = [...page.matchAll(/href="(StormEvents_[^"]+)"/g)].map(([, name = '']) => name);
      assert.deepEqual([...listed].sort(), readdirSync(join(recordings, 'noaa_sed')).sort());
      const newest_first = (year: number): boolean => {
        const of_year = listed.filter((name) => name.includes(`_details-ftp_v1.0_d${year}_`));
        assert.equal(of_year.length, 2);
        return (of_year[0] ?? '').includes('_c2022');
      };
      assert.deepEqual(new Set([1974, 1992, 1993].map(newest_first)), new Set([true, false]));
    });

    it('serves the recorded bytes with their length, and nothing to a reader that has them', async () => {
      const name = 'StormEvents_details-ftp_v1.0_d2017_c20170616.csv.gz';
      const response = await fetch(`${base}${directory}${name}`);
      const body = Buffer.from(await response.arrayBuffer());
      assert.deepEqual(body, readFileSync(join(recordings, 'noaa_sed', name)));
      assert.equal(response.headers.get('content-length'), String(body.length));
      assert.equal(response.headers.get('last-modified'), 'Fri, 16 Jun 2017 00:00:00 GMT');
      const rows = gunzipSync(body).toString('latin1').split('\n');
      assert.equal(rows.filter((row) => row.includes(',"Hail",')).length, 1_184);

      const etag = response.headers.get('etag') ?? '';
      const again = await fetch(`${base}${directory}${name}`, { headers: { 'If-None-Match': etag } });
      assert.deepEqual([again.status, await again.text()], [304, '']);
      assert.equal((await fetch(`${base}${directory}StormEvents_none.csv.gz`)).status, 404);
    });
  });

  describe('the inventory of radar signatures', () => {
    const box = '-99,29,-97.9,30';
    const rowsOf = (csv: string): string[] => csv.split('\n').filter((line) => /^\d{4}-/.test(line));

    it('gives the recorded answer for the recorded question, trailer and all', async () => {
      const recorded = readFileSync(
        join(recordings, 'swdi/ncei_swdiws_nx3hail_point_20110524.csv'),
        'utf8',
      ).trimEnd();
      const answer = await text('/swdiws/csv/nx3hail/20110524:20110525?bbox=-97.55,35.25,-97.45,35.35');
      assert.equal(answer.trimEnd(), recorded);
      assert.equal(
        await text('/swdiws/csv/nx3hail/20110524?bbox=-97.55,35.25,-97.45,35.35'),
        answer,
        'one day needs no end',
      );
    });

    it('includes the start and excludes the end, by day, hour and minute', async () => {
      const at = (range: string): Promise<string[]> =>
        text(`/swdiws/csv/nx3hail/${range}?bbox=${box}`).then(rowsOf);
      const all = await at('20260827:20260830');
      assert.equal(all.length, hail_of_san_antonio);
      const days = await Promise.all(['20260827', '20260828', '20260829'].map(at));
      assert.deepEqual(days.flat().sort(), [...all].sort());
      assert.ok(days.every((day) => day.length > 0));
      const first = all.map((row) => row.slice(0, 16)).sort()[0] ?? '';
      const minute = first.replace(/[-T:]/g, '');
      const next = String(Number(minute) + 1);
      const of_minute = all.filter((row) => row.startsWith(first));
      assert.deepEqual(await at(`${minute}:${next}`), of_minute);
      assert.deepEqual(await at(`2026082700:${minute}`), []);
    });

    it('includes the sides of the box', async () => {
      const [, , , , , , lat, lon] = (
        rowsOf(await text(`/swdiws/csv/nx3hail/20260828?bbox=${box}`))[0] ?? ''
      ).split(',');
      const corner = `${lon},${lat},${Number(lon) + 0.001},${Number(lat) + 0.001}`;
      assert.ok(rowsOf(await text(`/swdiws/csv/nx3hail/20260828?bbox=${corner}`)).length > 0);
    });

    it('answers a quiet day with the trailer alone, and a count without rows', async () => {
      const quiet = 'summary\ncount,0\ntotalTimeInSeconds,0.0\n';
      assert.equal(await text(`/swdiws/csv/nx3hail/20260820?bbox=${box}`), quiet);
      assert.equal(
        await text(`/swdiws/csv/nx3hail/20260827:20260830?bbox=${box}&stat=count`),
        quiet.replace('0', String(hail_of_san_antonio)),
      );
    });

    it('takes 744 hours, and refuses more and what it cannot read with status 500', async () => {
      const status = async (question: string): Promise<number> =>
        (await fetch(`${base}/swdiws/csv/nx3hail/${question}`)).status;
      assert.equal(await status(`2026080100:2026090100?bbox=${box}`), 200);
      const refused = await fetch(`${base}/swdiws/csv/nx3hail/2026080100:2026090101?bbox=${box}`);
      assert.equal(refused.status, 500);
      assert.match(await refused.text(), /ERROR VALIDATING 'dateRange=startDate:endDate'.*744/);
      for (const question of [
        `20260230?bbox=${box}`,
        `20260829:20260828?bbox=${box}`,
        '20260828?bbox=1,2,3',
        '20260828?bbox=29,-99,30,-98',
        '20260828?bbox=-98,29,-99,30',
        '20260828?bbox=-99,,-98,30',
      ]) {
        assert.equal(await status(question), 500, question);
      }
    });

    it('says that the inventory reaches past its newest row, and leaves the other datasets as recorded', async () => {
      const xml = await text('/swdiws/xml');
      assert.equal(await text('/swdiws/'), xml);
      const recorded = readFileSync(join(recordings, 'swdi/ncei_swdiws_datasets.xml'), 'utf8');
      const changed = xml.split('\n').filter((line, at) => line !== recorded.split('\n')[at]);
      assert.equal(changed.length, 1);
      assert.match(changed[0] ?? '', /<endDate>20260830<\/endDate>/);
      assert.match(
        xml,
        /<dataset-url-path>nx3hail<\/dataset-url-path>\s*<begDate>19920507<\/begDate>\s*<endDate>20260830</,
      );
    });
  });

  describe('the geocoder', () => {
    interface Answer {
      result: {
        addressMatches: {
          matchedAddress: string;
          coordinates: { x: number; y: number };
          addressComponents: Record<string, string>;
        }[];
      };
    }
    const oneLine = async (address: string): Promise<Answer> =>
      JSON.parse(
        await text(
          `/geocoder/locations/onelineaddress?${new URLSearchParams({ address, benchmark: 'Public_AR_Current', format: 'json' }).toString()}`,
        ),
      ) as Answer;
    const recordedText = (name: string): string => readFileSync(join(recordings, 'geocoder', name), 'utf8');

    it('gives recorded answers byte for byte, whatever the case and blanks of the address', async () => {
      const typed = new URLSearchParams({ address: '  4600  silver hill RD, Washington, dc 20233 ' });
      assert.equal(
        await text(`/geocoder/locations/onelineaddress?${typed.toString()}`),
        recordedText('census_locations_onelineaddress_2026_match.json'),
      );
      const parts = new URLSearchParams({
        street: '1600 Pennsylvania Avenue NW',
        city: 'Washington',
        state: 'DC',
        zip: '20500',
      });
      assert.equal(
        await text(`/geocoder/geographies/address?${parts.toString()}`),
        recordedText('census_geographies_address_2017-11-10_two-matches.json'),
      );
      const line = new URLSearchParams({ address: '1600 Pennsylvania Avenue NW, Washington, DC, 20500' });
      assert.equal(
        await text(`/geocoder/geographies/onelineaddress?${line.toString()}`),
        recordedText('census_geographies_onelineaddress_2017-10-31_layer-errors.json'),
      );
    });

    it('finds a public building in the geocoder spelling, with its components apart', async () => {
      for (const typed of ['100 Military Plaza, San Antonio, TX 78205', '100 MILITARY PLZ SAN ANTONIO TX']) {
        const [match] = (await oneLine(typed)).result.addressMatches;
        assert.equal(match?.matchedAddress, '100 MILITARY PLZ, SAN ANTONIO, TX, 78205');
        assert.equal(match.addressComponents['streetName'], 'MILITARY');
        assert.equal(match.addressComponents['suffixType'], 'PLZ');
      }
      const [capitol] = (await oneLine('300 Southwest 10th Avenue, Topeka, KS 66612')).result.addressMatches;
      assert.equal(capitol?.matchedAddress, '300 SW 10TH AVE, TOPEKA, KS, 66612');
      assert.equal(capitol.addressComponents['preDirection'], 'SW');
    });

    it('finds nothing else, and refuses a question without an address', async () => {
      assert.deepEqual(
        (await oneLine('101 Military Plaza, San Antonio, TX 78205')).result.addressMatches,
        [],
      );
      const refused = await fetch(`${base}/geocoder/locations/onelineaddress?format=json`);
      assert.equal(refused.status, 400);
      assert.deepEqual(Object.keys((await refused.json()) as object), ['errors', 'status']);
    });

    it('places every building of the gazetteer within 5 miles of recorded hail, once', async () => {
      // Counted with another program: newest files, hail with a place and a size; and the radar rows.
      assert.equal(records.length, 57_339 + 83);
      assert.ok(gazetteer.length >= 40);
      for (const { street, city, state, zip, lat, lon } of gazetteer) {
        const typed = `${street}, ${city}, ${state} ${zip}`;
        const { addressMatches } = (await oneLine(typed)).result;
        assert.equal(addressMatches.length, 1, typed);
        assert.deepEqual(addressMatches[0]?.coordinates, { x: lon, y: lat });
        assert.ok(
          records.some((record) => miles(lat, lon, record.lat, record.lon) <= 5),
          typed,
        );
      }
    });

    it('has a building whose storm four radars saw', () => {
      const place = gazetteer.find(({ city }) => city === 'Somerset');
      assert.ok(place);
      const [event, ...others] = eventsOf(records, {
        lat: place.lat,
        lon: place.lon,
        radius_mi: 5,
        min_size_in: 0.75,
        from: Date.UTC(2026, 7, 26),
        until: Date.UTC(2026, 7, 30),
      });
      assert.deepEqual(others, []);
      assert.equal(new Set(event?.members.map(({ id }) => id.slice(0, 4))).size, 4);
    });
  });

  it('has nothing at other paths and takes no other methods', async () => {
    assert.equal((await fetch(`${base}/elsewhere`)).status, 404);
    assert.equal((await fetch(`${base}${directory}`, { method: 'POST' })).status, 405);
  });
});
