import { unlessAborted } from './abort.ts';

export interface Readiness<Name extends string> {
  /** From now on the check says whether this part can do its work; before, it cannot. */
  set: (name: Name, check: () => boolean | Promise<boolean>) => void;
  /** Every check, by name; one that fails or is late is false. */
  look: () => Promise<Readonly<Record<Name, boolean>>>;
}

/** A part that takes longer than this to say that it is there is not there for whoever waits. */
export const readiness_patience_ms = 2_000;

/** What a process needs for its work, named before it has any of it: a process that still waits for its log says so. */
export function createReadiness<Name extends string>(
  names: readonly Name[],
  /** Begun with each look: aborts when whoever asked has waited long enough. */
  beginPatience: () => AbortSignal = () => AbortSignal.timeout(readiness_patience_ms),
): Readiness<Name> {
  const checks = new Map<Name, () => boolean | Promise<boolean>>();
  return {
    set: (name, check) => void checks.set(name, check),
    look: async () => {
      const late = beginPatience();
      const found = await Promise.all(
        names.map(async (name): Promise<[Name, boolean]> => {
          const check = checks.get(name);
          if (check === undefined) return [name, false];
          try {
            return [name, await unlessAborted(Promise.resolve().then(check), late)];
          } catch {
            return [name, false];
          }
        }),
      );
      return Object.fromEntries(found) as Record<Name, boolean>;
    },
  };
}
