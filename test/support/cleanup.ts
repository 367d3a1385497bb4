interface Stoppable {
  stop: () => Promise<void> | void;
}

/** What a test has started, to be stopped in reverse order whatever became of the test: a `before` that fails must leave nothing running. */
export function createCleanup(): Stoppable & { keep: <T extends Stoppable>(part: T) => T } {
  const parts: Stoppable[] = [];
  return {
    keep: (part) => {
      parts.push(part);
      return part;
    },
    stop: async () => {
      for (const part of parts.splice(0).reverse()) await part.stop();
    },
  };
}
