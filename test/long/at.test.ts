import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../support/local-services.ts';
import { startScript } from '../support/scripts.ts';
import { servicePorts } from '../support/service.ts';
import { within } from '../support/within.ts';

/** Below the time of all of them: what is given up is stopped as well. */
const start_ms = 240_000;

interface Feed {
  feed: string;
  status: 'fresh' | 'stale' | 'unknown';
  last_observation_at: string | null;
  hours_since: number | null;
}

interface Health {
  status: string;
  data_freshness_ok: boolean;
  feeds: Feed[];
}

/** What health has to say of a feed: its status, and through when it was read; `now` is some instant since the start. */
type Said = readonly [status: Feed['status'], last_observation_at: string | null];

/**
 * By the decisions' thresholds and the recordings alone. The newest event of the newest Storm Events file (2017) is of 2017-04-01T04:55Z
 * (688747; 3,600 hours later it is stale, on 29 August). The inventory's catalogue ends on 2026-08-30, and today is never a whole day. A
 * granule comes three minutes after its hour, with hail or without. Storm reports and alerts are answered at any time, and an empty
 * answer was read too. A day of CoCoRaHS ends at 04:00Z in the east, in Hawaii at 10:00Z, and counts as past two hours later.
 */
const instants: Readonly<Record<string, { status: string; feeds: Readonly<Record<string, Said>> }>> = {
  // The day between the two recorded days of storm reports. No event has happened yet by this clock: nothing of the file proves anything.
  '2013-05-20T17:05:00Z': {
    status: 'degraded',
    feeds: {
      mrms_mesh: ['fresh', '2013-05-20T17:00:00.000Z'],
      radar_hail: ['fresh', '2013-05-20T00:00:00.000Z'],
      storm_events: ['unknown', null],
      local_storm_reports: ['fresh', 'now'],
      cocorahs_hail: ['fresh', '2013-05-20T04:00:00.000Z'],
      nws_alerts: ['fresh', 'now'],
    },
  },
  // Three months after the newest event.
  '2017-07-01T11:05:00Z': {
    status: 'healthy',
    feeds: {
      mrms_mesh: ['fresh', '2017-07-01T11:00:00.000Z'],
      radar_hail: ['fresh', '2017-07-01T00:00:00.000Z'],
      storm_events: ['fresh', '2017-04-01T04:55:00.000Z'],
      local_storm_reports: ['fresh', 'now'],
      // The 30th of June has been over in Hawaii for an hour only.
      cocorahs_hail: ['fresh', '2017-06-30T04:00:00.000Z'],
      nws_alerts: ['fresh', 'now'],
    },
  },
  // The instant that the help of `npm start -- --at` names, and five minutes: the evening of the recorded radar hail.
  '2026-08-29T03:05:00Z': {
    status: 'degraded',
    feeds: {
      mrms_mesh: ['fresh', '2026-08-29T03:00:00.000Z'],
      radar_hail: ['fresh', '2026-08-29T00:00:00.000Z'],
      storm_events: ['stale', '2017-04-01T04:55:00.000Z'],
      local_storm_reports: ['fresh', 'now'],
      cocorahs_hail: ['fresh', '2026-08-28T04:00:00.000Z'],
      nws_alerts: ['fresh', 'now'],
    },
  },
};

interface Started {
  get: (path: string) => Promise<Response>;
}

/** `npm start -- --at` as a process of its own; handed over once it has said that all that was read can be queried, then stopped by Ctrl-C. */
async function startedAt(at: string, test: (service: Started) => Promise<void>): Promise<void> {
  const data_dir = temporaryFolder();
  const ports = await servicePorts();
  const { child, ended } = startScript('start', ['--at', at], {
    HAILMARK_DATA_DIR: data_dir,
    API_PORT: String(ports.api),
    REGISTRY_PORT: String(ports.registry),
    CLICKHOUSE_PORT: String(ports.clickhouse),
    SANDBOX_PORT: String(ports.sandbox),
    // A recorded day of granules, and the years before the newest, say nothing about freshness.
    MRMS_HISTORY: '',
    MRMS_REREAD_HOURS: '1',
    NOAA_SED_FIRST_YEAR: '2017',
  });
  try {
    const said = new Map<string, string>();
    let last_line = '';
    const reading = async (): Promise<void> => {
      for await (const line of createInterface({ input: child.stdout })) {
        last_line = line;
        const [, name = '', value = ''] = /^(API|key) +(\S+)/.exec(line) ?? [];
        said.set(name, value);
        if (said.has('API') && said.has('key')) return;
      }
    };
    await within('npm start names its address and its key', reading(), () => last_line, start_ms);
    const [api_url, key] = [said.get('API') ?? '', said.get('key') ?? ''];
    assert.notEqual(key, '', `it ended: ${(key === '' ? await ended : null)?.stderr ?? ''}`);
    await test({
      get: (path) => fetch(api_url + path, { headers: { Authorization: `Bearer ${key}` } }),
    });
  } finally {
    child.kill('SIGINT');
    const { exit_code, stderr } = await ended;
    rmSync(data_dir, { recursive: true, force: true });
    assert.deepEqual([exit_code, stderr], [0, '']);
  }
}

async function healthOf({ get }: Started): Promise<{ health: Health; computed_at: number }> {
  const response = await get('/v1/meta/health');
  assert.equal(response.status, 200);
  const { data, meta } = (await response.json()) as { data: Health; meta: { computed_at: string } };
  return { health: data, computed_at: Date.parse(meta.computed_at) };
}

describe('npm start -- --at', { timeout: 900_000 }, () => {
  for (const [at, expected] of Object.entries(instants)) {
    it(`knows at ${at} how fresh each feed is`, async () => {
      await startedAt(at, async (service) => {
        const { health, computed_at } = await healthOf(service);
        const since_start = (text: string | null): string | null =>
          text !== null && Date.parse(text) >= Date.parse(at) && Date.parse(text) <= computed_at
            ? 'now'
            : text;
        assert.deepEqual(
          Object.fromEntries(
            health.feeds.map(({ feed, status, last_observation_at }) => [
              feed,
              [status, since_start(last_observation_at)],
            ]),
          ),
          expected.feeds,
        );
        for (const { last_observation_at, hours_since } of health.feeds) {
          const age = last_observation_at === null ? null : computed_at - Date.parse(last_observation_at);
          assert.equal(hours_since, age === null ? null : Math.floor(age / 36_000 + 0.5) / 100);
        }
        assert.equal(health.status, expected.status);
        assert.equal(health.data_freshness_ok, expected.status === 'healthy');
      });
    });
  }
});
