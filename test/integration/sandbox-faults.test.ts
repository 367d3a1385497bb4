import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { get, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, before, describe, it } from 'node:test';
import {
  fault_kinds,
  sandbox_feeds,
  switchFault,
  type Faults,
  type SandboxFeed,
} from '../../infra/sandbox/faults.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

/** One path of each feed with an answer of status 200 at the time of the sandbox. */
const paths: Record<SandboxFeed, string> = {
  mrms_mesh: '/CONUS/MESH_00.50/20260610/MRMS_MESH_00.50_20260610-213040.grib2.gz',
  radar_hail: '/swdiws/csv/nx3hail/20260828?bbox=-99,29,-97.9,30',
  storm_events: '/pub/data/swdi/stormevents/csvfiles/',
  local_storm_reports: '/climo/reports/130519_rpts_hail.csv',
  cocorahs_hail: '/export/exportreports.aspx?ReportType=Hail&State=CO&StartDate=6/1/2026&EndDate=6/1/2026',
  nws_alerts: '/alerts/active?status=actual',
  geocoder: '/geocoder/locations/onelineaddress?address=100+Main+Plz,+New+Braunfels,+TX+78130',
};

describe('faults of the sandbox', () => {
  const faults: Faults = new Map();
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox('2026-07-15T20:00:37Z', { faults, slow_byte_ms: 1 });
  });
  after(() => sandbox.stop());
  afterEach(() => faults.clear());

  /** The head of an answer, with a body that is not read yet and a connection of its own. */
  const ask = (path: string): Promise<IncomingMessage> =>
    new Promise((done, fail) => {
      get(sandbox.url + path, { agent: false, headers: { 'User-Agent': 'Hailmark tests' } }, done).on(
        'error',
        fail,
      );
    });
  /** The bytes that come, and whether they came to their end. */
  const read = async (response: IncomingMessage): Promise<{ bytes: Buffer; whole: boolean }> => {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of response) pieces.push(piece as Buffer);
    } catch {
      return { bytes: Buffer.concat(pieces), whole: false };
    }
    return { bytes: Buffer.concat(pieces), whole: response.complete };
  };

  it('cost only the feed that they are switched for', async () => {
    for (const feed of sandbox_feeds) {
      faults.clear();
      faults.set(feed, '500');
      for (const [other, path] of Object.entries(paths)) {
        const response = await ask(path);
        await read(response);
        assert.equal(response.statusCode, other === feed ? 500 : 200, `${other} while ${feed} fails`);
      }
    }
  });

  it('403, 500, html and retry-after are whole answers that are none of the publishers', async () => {
    for (const [kind, status] of [
      ['403', 403],
      ['500', 500],
      ['html', 200],
      ['retry-after', 429],
    ] as const) {
      faults.set('local_storm_reports', kind);
      const response = await ask(paths.local_storm_reports);
      const { bytes, whole } = await read(response);
      assert.deepEqual(
        [response.statusCode, response.headers['content-type'], whole],
        [status, 'text/html', true],
      );
      assert.match(bytes.toString(), /^<!DOCTYPE html>/);
      assert.equal(response.headers['retry-after'], kind === 'retry-after' ? '1' : undefined);
    }
  });

  it('dead resets the connection of every feed', async () => {
    for (const feed of sandbox_feeds) {
      faults.set(feed, 'dead');
      await assert.rejects(ask(paths[feed]), { code: 'ECONNRESET' }, feed);
    }
  });

  it('hang answers nothing, and goes on to answer others', async () => {
    faults.set('radar_hail', 'hang');
    const hanging = ask(paths.radar_hail);
    const answered = await Promise.race([
      hanging.then(() => 'radar_hail'),
      ask(paths.storm_events).then(async (response) => (await read(response)).whole && 'storm_events'),
    ]);
    assert.equal(answered, 'storm_events');
    await sandbox.stop();
    await assert.rejects(hanging, { code: 'ECONNRESET' }, 'it hung until the sandbox stopped');
    sandbox = await startTestSandbox('2026-07-15T20:00:37Z', { faults, slow_byte_ms: 1 });
  });

  it('truncated promises the whole and cuts it in the middle', async () => {
    const { bytes: whole_body } = await read(await ask(paths.local_storm_reports));
    faults.set('local_storm_reports', 'truncated');
    const response = await ask(paths.local_storm_reports);
    assert.deepEqual(
      [response.statusCode, response.headers['content-length']],
      [200, String(whole_body.length)],
    );
    const { bytes, whole } = await read(response);
    assert.equal(whole, false);
    assert.deepEqual(bytes, whole_body.subarray(0, whole_body.length / 2));
  });

  it('slow gives the true answer byte by byte', async () => {
    const path = '/swdiws/csv/nx3hail/20260101';
    faults.set('radar_hail', 'slow');
    const response = await ask(path);
    const sizes: number[] = [];
    for await (const piece of response) sizes.push((piece as Buffer).length);
    // The trailer of a day without hail. Bytes may meet on their way, but not all of them.
    const body = 'summary\ncount,0\ntotalTimeInSeconds,0.0\n';
    assert.equal(response.headers['content-length'], String(body.length));
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      body.length,
    );
    assert.ok(sizes.length > 5, `${sizes.length} pieces`);
  });

  it('endless goes on past any length, and ends with its reader', async () => {
    faults.set('nws_alerts', 'endless');
    const response = await ask(paths.nws_alerts);
    assert.equal(response.headers['content-length'], undefined);
    let size = 0;
    for await (const piece of response) {
      size += (piece as Buffer).length;
      if (size > 20_000_000) break;
    }
    assert.ok(size > 20_000_000);
    faults.clear();
    assert.equal((await read(await ask(paths.nws_alerts))).whole, true);
  });

  it('are switched over HTTP, one of a feed, and refused with the reason when they are none', async () => {
    const post = async (query: string): Promise<[number, string]> => {
      const response = await fetch(`${sandbox.url}/sandbox/faults?${query}`, { method: 'POST' });
      return [response.status, await response.text()];
    };
    assert.deepEqual(await post('feed=radar_hail&kind=500'), [200, '{"radar_hail":"500"}\n']);
    assert.deepEqual(await post('feed=radar_hail&kind=dead'), [200, '{"radar_hail":"dead"}\n']);
    await post('feed=geocoder&kind=403');
    assert.equal(await sandbox.text('/sandbox/faults'), '{"radar_hail":"dead","geocoder":"403"}\n');
    assert.equal((await ask(paths.geocoder)).statusCode, 403);
    for (const query of [
      'feed=none&kind=500',
      'feed=geocoder&kind=odd',
      'feed=geocoder',
      'feed=geocoder&kind=stale-listing',
    ]) {
      const [status, reason] = await post(query);
      assert.equal(status, 400, query);
      assert.match(reason, /: (one of|stale-listing is for) /);
    }
    await post('feed=geocoder&kind=none');
    assert.deepEqual(await post('feed=radar_hail&kind=none'), [200, '{}\n']);
    assert.equal((await ask(paths.radar_hail)).statusCode, 200);
    assert.equal((await fetch(`${sandbox.url}/sandbox/faults`, { method: 'PUT' })).status, 405);
  });

  it('knows a stale listing for the feeds that have one', () => {
    for (const feed of sandbox_feeds) {
      for (const kind of fault_kinds) {
        const on: Faults = new Map();
        const refused = switchFault(on, feed, kind) !== null;
        const has_listing = ['mrms_mesh', 'radar_hail', 'storm_events'].includes(feed);
        assert.equal(refused, kind === 'stale-listing' && !has_listing);
        assert.deepEqual([...on], refused ? [] : [[feed, kind]]);
      }
    }
  });
});

describe('the sandbox as a process', () => {
  const main = resolve(import.meta.dirname, '../../infra/sandbox/main.ts');
  const children: ChildProcess[] = [];
  const start = (words: readonly string[], environment: Record<string, string> = {}): ChildProcess => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
      env: { ...process.env, SANDBOX_PORT: '0', HAILMARK_STOP_WITH_PARENT: '1', ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.push(child);
    return child;
  };
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const ended = (child: ChildProcess): Promise<{ exit_code: number | null; out: string; words: string }> =>
    new Promise((done) => {
      let [out, words] = ['', ''];
      child.stdout?.on('data', (bytes: Buffer) => (out += bytes.toString()));
      child.stderr?.on('data', (bytes: Buffer) => (words += bytes.toString()));
      child.once('close', (exit_code) => done({ exit_code, out, words }));
    });

  it('begins with faults from the command line and with its time moved', async () => {
    const offset_ms = Date.parse('2013-05-20T02:00:00Z') - Date.now();
    const child = start(['--fault', 'radar_hail=500', '--fault', 'storm_events=dead'], {
      HAILMARK_CLOCK_OFFSET_MS: String(offset_ms),
    });
    const port = await new Promise<number>((done, fail) => {
      child.once('close', () => fail(new Error('the sandbox ended before it was ready')));
      if (child.stdout === null) throw new Error('no output');
      createInterface({ input: child.stdout }).on('line', (text) => {
        const line = JSON.parse(text) as { msg?: string; port: number };
        if (line.msg === 'ready') done(line.port);
      });
    });
    const url = `http://127.0.0.1:${port}`;
    assert.deepEqual(await (await fetch(`${url}/sandbox/faults`)).json(), {
      radar_hail: '500',
      storm_events: 'dead',
    });
    assert.equal((await fetch(url + paths.radar_hail)).status, 500);
    const today = await (await fetch(`${url}/climo/reports/today_hail.csv`)).text();
    assert.equal(today.split('\n').length - 2, 160);
  });

  it('ends with a sentence when it is told what it does not know', async () => {
    for (const words of [['--fault', 'radar_hail=odd'], ['--fault', 'radar_hail'], ['--other'], ['word']]) {
      const { exit_code, words: sentence } = await ended(start(words));
      assert.deepEqual([exit_code, sentence.split('\n').length], [64, 2], sentence);
    }
    const { exit_code, out } = await ended(start(['--help']));
    assert.equal(exit_code, 0);
    for (const name of [...sandbox_feeds, ...fault_kinds]) assert.ok(out.includes(name), name);
  });
});
