import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { createCleanup } from '../../support/cleanup.ts';
import { temporaryFolder } from '../../support/local-services.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { pythonIsMissing, pythonWithPackages } from '../../foreign/python.ts';

/** Cases drawn for an operation, beside those that schemathesis always makes: 20 are some 600 cases together. */
const examples = process.env['HAILMARK_SCHEMATHESIS_EXAMPLES'] ?? '20';
const seed = process.env['HAILMARK_SCHEMATHESIS_SEED'] ?? '20261121';
/** With two, schemathesis 4.32 gives up drawing for an operation while the other is at work, and says nothing. */
const workers = '1';

/** What is read here of the report that schemathesis writes. */
interface Report {
  complete: boolean;
  operations: { total: number; tested: number };
  test_cases: { generated: number };
  failures: { type: string; operations: string[] }[];
  errors: unknown[];
  filtered: number;
}

const skip = await pythonIsMissing();

describe(
  'the running service, asked whatever its document allows and forbids',
  // Twenty cases an operation take one minute; thousands may be asked for by hand.
  { skip, timeout: 900_000 + Number(examples) * 1_500 },
  () => {
    const made = createCleanup();
    let service: TestService;
    let python: string;
    let folder: string;
    let served: string;

    before(async () => {
      python = await pythonWithPackages();
      folder = temporaryFolder();
      made.keep({ stop: () => rmSync(folder, { recursive: true, force: true }) });
      service = made.keep(await startTestService());
      served = await (await fetch(`${service.api_url}/api/v1/openapi.json`)).text();
      // Empty answers would hold little against the schemas of events.
      await service.untilQueryable();
    });
    after(() => made.stop());

    /** From a file and not from the service: the operation that serves the document would not be tested otherwise. */
    const ask = async (
      document: string,
      ...more: string[]
    ): Promise<{ code: unknown; said: string; report: Report }> => {
      const report = join(folder, 'report.json');
      writeFileSync(join(folder, 'openapi.json'), document);
      const child = spawn(
        python,
        [
          // Its own command knows the folder in which the environment was made, which has been renamed since.
          ...['-m', 'schemathesis.cli'],
          ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
          ...['run', 'openapi.json', '--url', `${service.api_url}/api/v1`],
          ...['--max-examples', examples, '--seed', seed, '--workers', workers],
          ...['--generation-database', 'none', '--request-timeout', '20', '--continue-on-failure'],
          ...['--no-color', '--report', 'json', '--report-json-path', report],
          ...more,
        ],
        {
          // It leaves folders of its own where it runs.
          cwd: folder,
          env: {
            ...process.env,
            HAILMARK_TEST_KEY: service.key,
            SCHEMATHESIS_HOOKS: 'schemathesis_rules',
            PYTHONPATH: import.meta.dirname,
            PYTHONDONTWRITEBYTECODE: '1',
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      made.keep({ stop: () => void child.kill('SIGKILL') });
      const ended = once(child, 'close');
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [code] = (await ended) as unknown[];
      const said = `${out}${err}`;
      assert.ok(!said.includes(service.key));
      assert.ok(code === 0 || code === 1, said);
      return { code, said, report: JSON.parse(readFileSync(report, 'utf8')) as Report };
    };

    it('never fails, never answers what is not documented, refuses what is malformed and only that', async (t) => {
      const { code, said, report } = await ask(served);
      const { complete, operations, test_cases, failures, errors, filtered } = report;
      const asked = [...said.matchAll(/^asked GET (\S+): (\d+)$/gm)];
      for (const [, path = '', requests = ''] of asked) {
        t.diagnostic(`requests to ${path}: ${requests}`);
        // Health takes nothing, so there is nothing to draw.
        if (path !== '/meta/health') assert.ok(Number(requests) > Number(examples), `${path}: ${requests}`);
      }
      assert.equal(asked.length, operations.total);
      t.diagnostic(
        `seed ${seed}: ${test_cases.generated} cases, ${filtered} of them refused by the words of the document; again with HAILMARK_SCHEMATHESIS_SEED=${seed}`,
      );
      assert.deepEqual({ failures, errors, code }, { failures: [], errors: [], code: 0 }, said);
      assert.equal(complete, true);
      const documented = Object.keys((JSON.parse(served) as { paths: object }).paths).length;
      assert.deepEqual(operations, { ...operations, total: documented, tested: documented });
      assert.ok(test_cases.generated >= 400, said);
    });

    it('would be found out with an answer, a status or a header that its document does not have', async () => {
      for (const [right, not_right, failure] of [
        ['"const": "v1"', '"const": "v2"', 'JsonSchemaError'],
        ['"400": {', '"418": {', 'UndefinedStatusCode'],
        ['"private, no-store",', '', 'JsonSchemaError'],
      ] as const) {
        assert.ok(served.includes(right), right);
        const { code, report } = await ask(
          served.replaceAll(right, () => not_right),
          ...[
            '--include-path',
            '/lookup',
            '--include-path',
            '/meta/methodology',
            '--phases',
            'examples,coverage',
          ],
        );
        assert.equal(code, 1);
        assert.ok(
          report.failures.some(({ type }) => type === failure),
          JSON.stringify(report.failures),
        );
      }
    });
  },
);
