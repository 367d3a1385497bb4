/** What one reading of mutated bytes came to. */
export interface Reading {
  /** Facts that were made of them. */
  records: number;
  /** What is impossible about those facts, as sentences; empty where all is well. */
  problems: string[];
}

/**
 * A parser with all that follows it up to the facts, and real bytes to begin from. Adding one is a value of this and a line in
 * `targets.ts`.
 */
export interface FuzzTarget {
  name: string;
  /** Small pieces of recorded files; mutations start from one and take foreign pieces from all. Read once. */
  seeds: () => readonly Buffer[];
  /**
   * Makes the outermost check hold again (a count, a checksum), in half of the runs: otherwise nearly every change would end there and what
   * lies behind it would hardly be tried. Text is Latin-1.
   */
  mend?: (text: string) => string;
  /**
   * Reads bytes as the feed does. May throw only what the parser states as its refusal, see `refusalOf`; whatever else is thrown is a
   * finding.
   */
  run: (bytes: Buffer) => Reading | Promise<Reading>;
  /** The stable reason of a refusal that the parser states, null for any other error; without it, `PollFailed` alone is a refusal. */
  refusalOf?: (error: unknown) => string | null;
}
