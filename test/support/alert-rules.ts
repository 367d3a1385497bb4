import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const infra = resolve(import.meta.dirname, '../../infra');
export const rules_file = join(infra, 'prometheus/rules/hailmark.rules.yml');

const rule = z.strictObject({
  alert: z.string().optional(),
  record: z.string().optional(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});
const rules = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })),
});

export type Rule = z.infer<typeof rule>;

/** The rules as they are committed, or a text of the same form. */
export function readRules(text = readFileSync(rules_file, 'utf8')): Rule[] {
  return rules.parse(parse(text)).groups.flatMap((group) => group.rules);
}

/** The names of alerts, in the order of the file. */
export function alertNames(): string[] {
  return readRules().flatMap(({ alert }) => alert ?? []);
}

/** The metrics of the service that an expression names; what the rules record themselves has a colon in it. */
export function metricsIn(expression: string): string[] {
  return [...new Set(expression.match(/\bhailmark_[a-z0-9_]+/g) ?? [])];
}

/**
 * The same rules with a minute as a second (or a few), for tests that cannot wait for hours: `for:` and ranges in seconds, limits of so many
 * times 60 seconds with the shorter minute, and divided alike what the service itself says of how long something may take: the thresholds of
 * feeds and the rounds of loops. Nothing else is touched.
 */
export function minutesAsSeconds(text: string, minute_s = 1): string {
  const seconds = (_: string, count: string, unit: string): string =>
    `${Number(count) * (unit === 'h' ? 60 : 1) * minute_s}s`;
  return text
    .replaceAll(/(?<=\bfor: )(\d+)([mh])\b/g, seconds)
    .replaceAll(/(?<=\[)(\d+)([mh])(?=\])/g, seconds)
    .replaceAll(/\* 60\b/g, `* ${minute_s}`)
    .replaceAll(/\bhailmark_(feed_threshold|loop_within)_seconds\b/g, `$& / ${60 / minute_s}`);
}

const panel = z.looseObject({
  id: z.number(),
  type: z.string(),
  title: z.string().min(1),
  gridPos: z.strictObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  datasource: z.strictObject({ type: z.string(), uid: z.string() }).optional(),
  targets: z
    .array(z.looseObject({ refId: z.string(), expr: z.string(), legendFormat: z.string() }))
    .default([]),
});
const dashboard = z.looseObject({ uid: z.string(), schemaVersion: z.number(), panels: z.array(panel) });

export type Panel = z.infer<typeof panel>;

/** The dashboard as it is committed. */
export function readDashboard(): z.infer<typeof dashboard> {
  return dashboard.parse(JSON.parse(readFileSync(join(infra, 'dashboards/hailmark.json'), 'utf8')));
}
