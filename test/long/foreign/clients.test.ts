import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createCleanup } from '../../support/cleanup.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { pythonIsMissing, pythonWithPackages } from '../../foreign/python.ts';

const run = promisify(execFile);
const project = resolve(import.meta.dirname, '../../..');
const modules = join(project, 'node_modules');
const sources = join(import.meta.dirname, 'clients');
const without_python = (await pythonIsMissing()) || (await pythonIsOld());

const somerset = '7360 E 6th St, Somerset, TX 78069';
const oklahoma_city = '2300 N Lincoln Blvd, Oklahoma City, OK 73105';

/** What both programs print: what they read by the names of their types, and the answers as their types give them back. */
interface Printed {
  said: Record<string, unknown>;
  answers: Record<string, unknown>;
}

/** Read off the recorded files and the contract, not off the service: the numbers of Somerset stand in the contract's table too. */
const said = {
  verdict: 'hail_confirmed',
  event_count: 1,
  bearing: 'ENE',
  lead: 'KEWX/2026-08-28T00:27:45Z/Y1',
  score_max_size_in: 1.25,
  roof_type: 'slate',
  last_size_in: 1.25,
  feeds: ['mrms_mesh', 'radar_hail', 'storm_events', 'local_storm_reports', 'cocorahs_hail', 'nws_alerts'],
  first_feed_was_read: true,
  cited: ['NOAA_SED', 'NEXRAD_SWDI', 'MRMS_MESH', 'COCORAHS'],
  openapi: '3.1.0',
  refused: {
    status: 400,
    code: 'bad_request',
    problems: [{ parameter: 'window_days', message: 'must be <= 180' }],
  },
};

describe('clients that foreign generators make from openapi.json as served', { timeout: 900_000 }, () => {
  const made = createCleanup();
  let service: TestService;
  let folder: string;
  let expected: Record<string, unknown>;

  before(async () => {
    // Below the project, so that the programs find its node_modules.
    mkdirSync(join(project, 'target'), { recursive: true });
    folder = mkdtempSync(join(project, 'target', 'clients-'));
    made.keep({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    service = made.keep(
      await startTestService({
        env: {
          HAILMARK_HOLD_CLOCK_AT: '2026-11-21T23:30:00.000Z',
          SWDI_HISTORY: '2026-08-27/2026-08-30',
        },
      }),
    );
    await service.untilQueryable();
    const ask = async (path: string, parameters: Record<string, string> = {}): Promise<unknown> =>
      (await service.get(`/api/v1${path}`, parameters)).json();
    const whole = (await ask('/property/history', {
      address: oklahoma_city,
      since: '1955-01-01',
      min_size_in: '1',
      limit: '5000',
    })) as { data: { events: { items: unknown[] } } };
    expected = {
      verify: await ask('/property/verify', {
        address: somerset,
        date_of_loss: '2026-08-28',
        window_days: '2',
      }),
      score: await ask('/property/score', { address: somerset, roof_type: 'slate' }),
      lookup: await ask('/lookup', { address: somerset }),
      health: await ask('/meta/health'),
      history: whole.data.events.items,
    };
    assert.ok(whole.data.events.items.length > 40, 'the history is more than two pages');
  });
  after(() => made.stop());

  const document_url = (): string => `${service.api_url}/api/v1/openapi.json`;
  const asPartner = (): NodeJS.ProcessEnv => ({
    ...process.env,
    HAILMARK_URL: `${service.api_url}/api/v1`,
    HAILMARK_API_KEY: service.key,
  });
  const check = (stdout: string): void => {
    const printed = JSON.parse(stdout) as Printed;
    const { pages, ...rest } = printed.said;
    assert.deepEqual(rest, said);
    assert.ok(Number(pages) > 2, `${String(pages)} pages`);
    assert.deepEqual(alike(printed.answers), alike(expected));
  };

  it('openapi-typescript and openapi-fetch: compiles strictly and answers', async () => {
    // A source and no .d.ts, because the compiler skips what is wrong inside those.
    await run(process.execPath, [
      join(modules, 'openapi-typescript/bin/cli.js'),
      document_url(),
      '--output',
      join(folder, 'hailmark-api.ts'),
    ]);
    copyFileSync(join(sources, 'questions.ts.txt'), join(folder, 'questions.ts'));
    const settings = { extends: '../../tsconfig.json', include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const { stdout: complaints } = await run(process.execPath, [
      join(modules, 'typescript/bin/tsc'),
      '--noEmit',
      '--project',
      folder,
    ]).catch((error: unknown) => error as { stdout: string });
    assert.equal(complaints, '');
    const { stdout } = await run(process.execPath, [join(folder, 'questions.ts')], { env: asPartner() });
    check(stdout);
  });

  it('openapi-python-client: compiles, imports and answers', { skip: without_python }, async () => {
    const python = await pythonWithPackages();
    const config = join(folder, 'python-client.json');
    writeFileSync(config, JSON.stringify({ post_hooks: [] }));
    const { stdout: told, stderr } = await run(python, [
      ...['-m', 'openapi_python_client', 'generate', '--url', document_url(), '--meta', 'none'],
      ...['--output-path', join(folder, 'hailmark_client'), '--config', config, '--fail-on-warning'],
    ]);
    // A warning names an operation or a type that the generator left out.
    assert.doesNotMatch(told + stderr, /warning|unable|skip/i);
    await run(python, ['-m', 'compileall', '-q', join(folder, 'hailmark_client')]);
    copyFileSync(join(sources, 'questions.py'), join(folder, 'questions.py'));
    const { stdout } = await run(python, [join(folder, 'questions.py')], { env: asPartner() });
    check(stdout);
  });
});

/**
 * Answers without what differs by the request, and instants as one writer would write them. Feeds go on polling between two askings, so
 * what health says of time is not held against an earlier answer.
 */
function alike(answers: unknown): unknown {
  const moves = new Set(['request_id', 'last_observation_at', 'hours_since', 'status', 'data_freshness_ok']);
  return JSON.parse(JSON.stringify(answers), (name: string, value: unknown) => {
    if (moves.has(name)) return undefined;
    const is_instant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)$/.test(value);
    return is_instant ? new Date(value).toISOString() : value;
  }) as unknown;
}

/** Why the Python at hand cannot carry the generator, in words; false where it can. */
async function pythonIsOld(): Promise<string | false> {
  const { stdout } = await run('python3', ['-c', 'import sys; print(sys.version_info >= (3, 11))']);
  return stdout.trim() === 'True' ? false : 'openapi-python-client needs Python 3.11 or newer';
}
