import { exit_codes } from './command.ts';
import { isHailmarkError, isTransient } from './errors.ts';
import type { LogOutput } from './log-output.ts';

/** A started part of a process: `stop` ends it and resolves when it holds nothing any more. */
export interface Part {
  name: string;
  stop: () => Promise<void> | void;
}

export interface ProcessContext {
  /** Aborts when the process is asked to stop. */
  signal: AbortSignal;
  /** Registers what must be stopped; parts stop in reverse order of their start. */
  onStop: (part: Part) => void;
}

/**
 * Runs a process: `main` builds the parts and returns when they run, or resolves late when the process has an end of its own. SIGINT and
 * SIGTERM stop the parts in reverse order, raced with `grace_ms`; a second signal ends at once. An error of the `operator` kind is
 * printed as its sentence alone, because the reader is a person who must act; everything else is logged with its stack.
 */
export async function runProcess(
  log: LogOutput,
  main: (context: ProcessContext) => Promise<void>,
  grace_ms = 8_000,
): Promise<void> {
  const stopping = new AbortController();
  const parts: Part[] = [];
  let ending: Promise<never> | undefined;

  const stopParts = async (): Promise<void> => {
    for (const part of parts.reverse()) {
      try {
        await part.stop();
      } catch (error) {
        log.warn({ err: error, part: part.name }, 'a part did not stop cleanly');
      }
    }
  };
  const end = (exit_code: number): Promise<never> => {
    stopping.abort();
    ending ??= Promise.race([
      stopParts(),
      new Promise<void>((resolve) => setTimeout(resolve, grace_ms).unref()),
    ]).then(() => process.exit(exit_code));
    return ending;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (ending !== undefined) process.exit(130);
      void end(0);
    });
  }
  const fail = (error: unknown): void => {
    // Asked to stop while something was away: given up, not failed.
    if (stopping.signal.aborted && isTransient(error)) return;
    if (isHailmarkError(error) && error.kind === 'operator') {
      process.stderr.write(`${error.message}\n`);
    } else {
      log.fatal({ err: error }, 'the process ends on an error it cannot handle');
    }
    void end(exitCodeOf(error));
  };
  if (process.env['HAILMARK_STOP_WITH_PARENT'] === '1') {
    // A parent that was killed closes the pipe; without this its children would live on and hold the ports and the data.
    process.stdin.on('end', () => void end(0)).resume();
  }
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  try {
    await main({ signal: stopping.signal, onStop: (part) => parts.push(part) });
  } catch (error) {
    fail(error);
  }
}

/** 78 tells a supervisor that starting the process again mends nothing. */
function exitCodeOf(error: unknown): number {
  if (isHailmarkError(error, 'HAIL_COMMAND')) return exit_codes.misread;
  return isHailmarkError(error, 'HAIL_CONFIG') ? exit_codes.configuration : exit_codes.failed;
}
