import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { appOptions, finish_ms, grace_ms } from '../../../services/api/app-options.ts';
import { readConfig } from '../../../services/runtime/config.ts';

describe("the app's options", () => {
  it('name the base of all links without a slash at its end, where it is set and where it is not', () => {
    const base = (env: Record<string, string>): string => appOptions(readConfig(env)).public_base_url;
    assert.equal(
      base({ PUBLIC_BASE_URL: 'https://hail.example.com/below//' }),
      'https://hail.example.com/below',
    );
    assert.equal(base({ API_HOST: '127.0.0.2', API_PORT: '18080' }), 'http://127.0.0.2:18080');
  });

  it('leave a stop the time that the slowest answer may take', () => {
    const { deadline_ms } = appOptions(readConfig({}));
    assert.ok(deadline_ms < finish_ms && finish_ms < grace_ms, `${deadline_ms} ${finish_ms} ${grace_ms}`);
  });
});
