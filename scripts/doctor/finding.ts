/**
 * What a check found. `broken` costs answers now or will soon; a `warning` is something a person should know and may accept; `not-checked`
 * says why nothing is known, which is no good news either.
 */
export type State = 'ok' | 'warning' | 'broken' | 'not-checked';

export interface Outcome {
  state: State;
  /** What was found, a sentence. Never an address, a key or a password. */
  says: string;
  /** What to do: a command or a setting. Null where there is nothing to do. */
  remedy: string | null;
}

/** An outcome under the name of its check; names are stable, programs match on them. */
export interface Finding extends Outcome {
  check: string;
}

export function ok(says: string): Outcome {
  return { state: 'ok', says, remedy: null };
}

export function warning(says: string, remedy: string): Outcome {
  return { state: 'warning', says, remedy };
}

export function broken(says: string, remedy: string): Outcome {
  return { state: 'broken', says, remedy };
}

export function notChecked(says: string, remedy: string | null = null): Outcome {
  return { state: 'not-checked', says, remedy };
}
