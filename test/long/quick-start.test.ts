import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createCleanup } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/local-services.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { pythonIsMissing } from '../foreign/python.ts';

const run = promisify(execFile);
const without_python = await pythonIsMissing();

interface Listed {
  occurred_at: string;
  size_in: number;
  distance_mi: number;
  sources: { publisher: string; record_id: string }[];
}

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
/** What the README leaves out of its answer. */
const left_out = '…';

describe('the quick starts of /docs and the README, as printed', { timeout: 600_000 }, () => {
  const made = createCleanup();
  let service: TestService;
  let folder: string;
  let printed: Map<string, string>;
  let expected: string[];

  before(async () => {
    folder = temporaryFolder();
    made.keep({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    service = made.keep(
      await startTestService({ env: { SWDI_HISTORY: '2011-05-24/2011-05-25,2026-08-27/2026-08-30' } }),
    );
    await service.untilQueryable();
    const page = await (await fetch(`${service.api_url}/docs`)).text();
    printed = new Map(
      [...page.matchAll(/<code data-run="([^"]*)">([^<]*)<\/code>/g)].map(([, command = '', text = '']) => [
        command,
        unescaped(text),
      ]),
    );
    // One page that holds all: what the small pages of the quick starts must add up to.
    const whole = await service.get('/v1/property/history', {
      address: '2300 N Lincoln Blvd, Oklahoma City, OK 73105',
      since: '1955-01-01',
      min_size_in: '1',
      limit: '5000',
    });
    const { data } = (await whole.json()) as { data: { events: { items: Listed[] } } };
    expected = data.events.items.map(({ occurred_at, size_in, distance_mi, sources: [lead] }) =>
      [occurred_at, `${size_in} in, ${distance_mi} mi,`, lead?.publisher, lead?.record_id].join(' '),
    );
  });
  after(() => made.stop());

  /** Types what the page says to type, with the text in the file that it names. */
  const typed = async (command: string): Promise<string> => {
    const [program = '', file = ''] = command.split(' ');
    writeFileSync(join(folder, file), printed.get(command) ?? '');
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    const env = { ...process.env, PATH: path, HAILMARK_API_KEY: service.key };
    return (await run(program, [file], { cwd: folder, env })).stdout;
  };
  /** Numbers alike in all languages: Python writes 2.0 where JSON has 2. */
  const lines = (text: string): string[] => text.trimEnd().replaceAll(/\.0 /g, ' ').split('\n');

  it('are three', () => {
    assert.deepEqual(
      [...printed.keys()],
      ['sh quick-start.sh', 'node quick-start.mts', 'python3 quick-start.py'],
    );
    assert.ok(expected.length > 40, `${expected.length} events are more than two pages`);
  });

  it('curl: finds the hail of the loss date', async () => {
    const { data } = JSON.parse(await typed('sh quick-start.sh')) as {
      data: { verification: { verdict: string }; events: Listed[] };
    };
    assert.equal(data.verification.verdict, 'hail_confirmed');
    assert.equal(data.events[0]?.sources[0]?.record_id, 'KEWX/2026-08-28T00:27:45Z/Y1');
  });

  it("the README's question has the README's answer", async () => {
    const [, question = '', answer = ''] =
      /```\n(curl [^`]+)```\n[^`]+```json\n([^`]+)```/.exec(readme) ?? [];
    const url = 'http://127.0.0.1:8080';
    assert.ok(question.includes(url));
    const env = { ...process.env, KEY: service.key };
    const { stdout } = await run('sh', ['-c', question.replace(url, service.api_url)], { env });
    assertShown(JSON.parse(stdout), JSON.parse(answer), 'answer');
  });

  it('TypeScript: reads every page, each event once', async () => {
    assert.deepEqual(lines(await typed('node quick-start.mts')), expected);
  });

  it('Python: reads every page, each event once', { skip: without_python }, async () => {
    assert.deepEqual(lines(await typed('python3 quick-start.py')), expected);
  });
});

/** What is shown must be there as shown; of a list its beginning, of an object all that is not left out. */
function assertShown(actual: unknown, shown: unknown, path: string): void {
  if (shown === left_out) {
    assert.notEqual(actual, undefined, path);
  } else if (Array.isArray(shown)) {
    assert.ok(Array.isArray(actual) && actual.length >= shown.length, path);
    shown.forEach((each, index) => assertShown(actual[index], each, `${path}[${index}]`));
  } else if (typeof shown === 'object' && shown !== null) {
    const entries = Object.entries(shown).filter(([name]) => name !== left_out);
    for (const [name, value] of entries) {
      assertShown((actual as Record<string, unknown>)[name], value, `${path}.${name}`);
    }
  } else assert.deepEqual(actual, shown, path);
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
