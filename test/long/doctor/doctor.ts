import assert from 'node:assert/strict';
import { pause } from '../../../services/runtime/clock.ts';
import type { Finding, State } from '../../../scripts/doctor/finding.ts';
import { runScript } from '../../support/scripts.ts';

export interface Diagnosis {
  exit_code: number | null;
  checks: Finding[];
  /** The finding of a check, which there must be. */
  of: (check: string) => Finding;
  in_state: (state: State) => string[];
}

/** Runs `npm run doctor` as a process of its own with the environment of the processes, as an operator does. */
export async function diagnose(
  environment: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<Diagnosis> {
  const { exit_code, stdout, stderr } = await runScript('doctor', ['--json', ...words], environment);
  assert.equal(stderr, '');
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Finding[] };
  assert.equal(exit_code, ok ? 0 : 2);
  return {
    exit_code,
    checks,
    of: (check) => {
      const finding = checks.find((each) => each.check === check);
      assert.ok(finding, `there is no check ${check} among ${checks.map((each) => each.check).join(', ')}`);
      return finding;
    },
    in_state: (state) =>
      checks.filter((each) => each.state === state).map(({ check, says }) => `${check}: ${says}`),
  };
}

/** That one check says one thing and names one remedy. */
export function assertFinding(
  diagnosis: Diagnosis,
  check: string,
  expected: { state: State; says: RegExp; remedy: RegExp },
): void {
  const { state, says, remedy } = diagnosis.of(check);
  assert.equal(state, expected.state, `${check}: ${says}`);
  assert.match(says, expected.says);
  assert.match(remedy ?? '', expected.remedy);
}

/** Asks again until the check is in a state: a fault that was planted takes its way through the processes. */
export async function untilState(
  check: string,
  state: State,
  ask: () => Promise<Diagnosis>,
): Promise<Diagnosis> {
  for (;;) {
    const diagnosis = await ask();
    if (diagnosis.checks.find((each) => each.check === check)?.state === state) return diagnosis;
    await pause(200);
  }
}
