import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { infra, rules_file } from '../../support/alert-rules.ts';
import { why_no_prometheus } from '../../support/prometheus.ts';

/** Rejects with what the program printed where it finds anything wrong. */
const promtool = async (...words: string[]): Promise<void> => {
  await promisify(execFile)('promtool', words);
};

describe('the alert rules in made-up numbers', { skip: why_no_prometheus ?? false, timeout: 400_000 }, () => {
  it('are rules, in a configuration, as Prometheus reads them', async () => {
    await promtool('check', 'rules', '--lint-fatal', rules_file);
    await promtool('check', 'config', '--lint-fatal', join(infra, 'prometheus/prometheus.yml'));
  });

  it('fire on their causes and on nothing else', async () => {
    await promtool('test', 'rules', join(import.meta.dirname, 'cases.promtool.yml'));
  });
});
