import type { ParseArgsOptionsConfig } from 'node:util';
import { exit_codes, readWords, type Given } from './command.ts';
import { examineSettings, type Config } from './config.ts';
import { isHailmarkError } from './errors.ts';
import { shownValue, strangeNames } from './setting-names.ts';

/** What a room refuses of the settings, a sentence each; it opens no connection and writes nothing. */
export type SettingsCheck = (config: Config) => string[];

/** What the readings of settings refuse with `HAIL_CONFIG`, each once. A reading that fails otherwise is ours to mend and is thrown. */
export function refusalsOf(readings: readonly (() => unknown)[]): string[] {
  const refusals = new Set<string>();
  for (const read of readings) {
    try {
      read();
    } catch (error) {
      if (!isHailmarkError(error, 'HAIL_CONFIG')) throw error;
      refusals.add(error.message);
    }
  }
  return [...refusals];
}

export interface SettingsReport {
  ok: boolean;
  problems: string[];
  /** Names that look mistyped: nothing is wrong with what is read, but something may have been meant otherwise. */
  warnings: string[];
  /** Every setting as it is in effect, secrets masked; of a setting with a problem its default. */
  settings: Record<string, unknown>;
}

/** Everything that is wrong with the settings, at once: each by itself, then what the rooms refuse of those that are readable. */
export function checkSettings(
  environment: Readonly<Record<string, string | undefined>>,
  checks: readonly SettingsCheck[],
): SettingsReport {
  const { config, names, broken, problems } = examineSettings(environment);
  // A room's word about a setting that is broken by itself is about its default, which nobody set.
  const refusals = checks
    .flatMap((check) => check(config))
    .filter((refusal) => !broken.some((name) => refusal.startsWith(name)));
  const warnings = strangeNames(environment, names).map(({ name, nearest }) =>
    nearest === null
      ? `${name} is no setting and is not read.`
      : `${name} is no setting and is not read; is ${nearest} meant?`,
  );
  const values = config as Readonly<Record<string, unknown>>;
  return {
    ok: problems.length + refusals.length === 0,
    problems: [...problems, ...refusals],
    warnings,
    settings: Object.fromEntries(names.map((name) => [name, shownValue(name, values[name])])),
  };
}

/** Prints a report, for people or as one JSON object, and returns the exit code it stands for. */
export function printSettings(report: SettingsReport, json: boolean): number {
  if (json) {
    console.log(JSON.stringify(report));
  } else {
    for (const warning of report.warnings) console.error(warning);
    for (const problem of report.problems) console.error(problem);
    if (report.ok) {
      for (const [name, value] of Object.entries(report.settings))
        console.log(`${name.padEnd(26)}${value === null ? '(not set)' : JSON.stringify(value)}`);
    }
  }
  return report.ok ? exit_codes.done : exit_codes.configuration;
}

const check_options = {
  'check-config': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/**
 * What a process is asked about itself before it does anything: `--help`, or `--check-config`, after which it ends. Returns the words of the
 * process's own options where it is asked nothing. To be called before the process opens anything.
 */
export function answerAboutItself<T extends ParseArgsOptionsConfig>(
  name: string,
  own: { checks: readonly SettingsCheck[]; help?: string; options?: T },
): Given<T>['values'] {
  try {
    const given = readWords({ options: { ...check_options, ...own.options } }, process.argv.slice(2));
    if (given === 'help') {
      console.log(helpOf(name, own.help));
      process.exit(exit_codes.done);
    }
    const { 'check-config': check, json } = given.values as { 'check-config': boolean; json: boolean };
    if (check) process.exit(printSettings(checkSettings(process.env, own.checks), json));
    return given.values as unknown as Given<T>['values'];
  } catch (error) {
    if (!isHailmarkError(error, 'HAIL_COMMAND')) throw error;
    console.error(`${error.message} --help says more.`);
    return process.exit(exit_codes.misread);
  }
}

function helpOf(name: string, own = ''): string {
  return `The process ${name} of the service; npm start runs all of them. Settings come from the environment.
${own}
  --check-config [--json]   says everything that is wrong with the settings, or shows them as they are in effect with secrets masked, and ends;
                            opens no connection and writes nothing
  --help                    this

Example:
  node ${process.argv[1] ?? 'main.ts'} --check-config && echo "it can start"

Exit codes: 0 stopped, or the settings can be used, 1 it failed, 64 the command was not understood, 78 the settings cannot be used.`;
}
