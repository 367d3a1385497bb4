import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { alertNames, infra, minutesAsSeconds, readRules, rules_file } from '../../support/alert-rules.ts';

const project = resolve(import.meta.dirname, '../../..');
const textOf = (...path: string[]): string => readFileSync(join(...path), 'utf8');
const alerts = readRules().filter(({ alert }) => alert !== undefined);

/** The sections of a page by their headings. */
function sectionsOf(page: string): Map<string, string> {
  const [, ...parts] = page.split(/^## /m);
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'))] as const),
  );
}

describe('an alert', () => {
  it('says how urgent it is, what has happened, and where it stands what to do', () => {
    assert.ok(alerts.length >= 20);
    assert.equal(new Set(alertNames()).size, alerts.length);
    for (const { alert = '', labels, annotations } of alerts) {
      assert.ok(['critical', 'warning'].includes(labels['severity'] ?? ''), alert);
      assert.deepEqual(Object.keys(annotations).sort(), ['description', 'runbook_url', 'summary'], alert);
      assert.equal(annotations['runbook_url'], `runbook.md#${alert.toLowerCase()}`);
    }
  });

  it('has a section of the runbook, with what users notice, where to look, what to do and when it ends; no section is without', () => {
    const sections = sectionsOf(textOf(infra, 'runbook.md'));
    const of_alerts = [...sections.keys()].filter((heading) => heading.startsWith('Hailmark'));
    assert.deepEqual(of_alerts.sort(), alertNames().sort());
    for (const alert of alertNames()) {
      const section = sections.get(alert) ?? '';
      for (const word of ['**Users:**', '**Look:**', '**Do:**', '**Ends**'])
        assert.ok(section.includes(word), `${alert}: ${word}`);
    }
  });

  it('has a case in which it fires and one in which it must not', () => {
    const cases = textOf(project, 'test/long/alerts/cases.promtool.yml');
    const spoken = (pattern: RegExp): string[] => [...cases.matchAll(pattern)].map(([, name = '']) => name);
    const firing = new Set(spoken(/labels:\s*'ALERTS\{alertname="(\w+)",alertstate="firing"/g));
    const silent =
      cases.match(/name: .*\b(is|are|and is|and are) silent\b.*|name: .*, and (never|ends|go)\b.*/g) ?? [];
    for (const alert of alertNames()) {
      assert.ok(firing.has(alert), `${alert} fires in no case`);
      assert.ok(
        silent.some((name) => name.includes(alert)),
        `${alert} is silent in no case`,
      );
    }
  });
});

describe('the runbook', () => {
  it('names commands that there are', () => {
    const { scripts } = JSON.parse(textOf(project, 'package.json')) as { scripts: Record<string, string> };
    const named = [...textOf(infra, 'runbook.md').matchAll(/npm run (?:-s )?([a-z:-]+)/g)];
    assert.ok(named.length > 10);
    for (const [, name = ''] of named) assert.ok(name in scripts, name);
  });
});

describe('rules with a minute as a second', () => {
  it('have nothing left that lasts minutes, and else stand as they are', () => {
    const text = textOf(rules_file);
    const shrunk = minutesAsSeconds(text);
    assert.deepEqual(
      readRules(shrunk).map(({ alert, record }) => alert ?? record),
      readRules(text).map(({ alert, record }) => alert ?? record),
    );
    for (const { expr, for: span = '0s' } of readRules(shrunk)) {
      assert.match(span, /^\d+s$/);
      for (const [, range = ''] of expr.matchAll(/\[([^\]]+)\]/g)) assert.match(range, /^\d+s$/);
      // A limit in seconds that is written without its 60 would stay as long as it is.
      const limits = expr.replaceAll(/\[\d+s\]|hailmark[\w:]*|\/ 60\b|\b\d+ \* 1\b/g, '');
      assert.doesNotMatch(limits, /(?<![\d.])\d{2,}(?![\d.])/, expr);
    }
    const back = (expr: string): string => expr.replaceAll(/\[(\d+)(s|m|h)\]| (\*|\/) (1|60)\b/g, '');
    assert.deepEqual(
      readRules(shrunk).map(({ expr }) => back(expr)),
      readRules(text).map(({ expr }) => back(expr)),
    );
  });
});
