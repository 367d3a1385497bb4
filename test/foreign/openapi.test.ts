import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { readOpenApiDocument } from '../../services/api/openapi-document.ts';
import { pythonIsMissing, pythonWithPackages } from './python.ts';

const skip = await pythonIsMissing();
const served = readOpenApiDocument({ public_base_url: 'https://hail.test' }).bytes.toString('utf8');

describe('openapi.json as served, before validators that others wrote', { skip, timeout: 240_000 }, () => {
  let python: string;
  before(async () => {
    python = await pythonWithPackages();
  });

  const check = async (document: string): Promise<{ code: unknown; out: string; err: string }> => {
    const child = spawn(python, [join(import.meta.dirname, 'check_openapi.py')]);
    const ended = once(child, 'close');
    child.stdin.end(document);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await ended) as unknown[];
    return { code, out, err };
  };

  it('is OpenAPI 3.1, and every example fits its schema', async () => {
    const { code, out, err } = await check(served);
    assert.equal(err, '');
    assert.equal(code, 0);
    assert.ok((JSON.parse(out) as { examples: number }).examples > 60, out);
  });

  it('would be refused with an example that does not fit, or a parameter in no place', async () => {
    for (const [right, not_right, says] of [
      ['"verdict": "hail_confirmed"', '"verdict": "confirmed"', /\/property\/verify 200 answer: 'confirmed'/],
      ['"in": "query"', '"in": "nowhere"', /document: /],
    ] as const) {
      assert.ok(served.includes(right));
      const { code, err } = await check(served.replace(right, () => not_right));
      assert.equal(code, 1);
      assert.match(err, says);
    }
  });
});
