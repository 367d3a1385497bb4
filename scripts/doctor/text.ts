import type { Finding, State } from './finding.ts';

const marks: Readonly<Record<State, string>> = {
  ok: 'ok',
  warning: 'WARNING',
  broken: 'BROKEN',
  'not-checked': 'not checked',
};

/** One line a finding, and below what is not right the way to mend it. */
export function findingText({ check, state, says, remedy }: Finding): string {
  const line = `${marks[state].padEnd(13)}${check.padEnd(30)}${says}`;
  return remedy === null ? line : `${line}\n${' '.repeat(13)}-> ${remedy}`;
}

export function summaryText(findings: readonly Finding[]): string {
  const count = (state: State): number => findings.filter((each) => each.state === state).length;
  return `${count('broken')} broken, ${count('warning')} warnings, ${count('ok')} ok, ${count('not-checked')} not checked.`;
}
