import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { HailmarkError, isHailmarkError } from './errors.ts';

/** What every command ends with. A command may have codes of its own from 2 to 63, which its help names. */
export const exit_codes = {
  done: 0,
  failed: 1,
  /** EX_USAGE of sysexits: nothing was done, because the words of the command make no sense. */
  misread: 64,
  /** EX_CONFIG of sysexits: the settings cannot be used. */
  configuration: 78,
  interrupted: 130,
} as const;

/** Every command has these without naming them. */
const common_options = { help: { type: 'boolean', short: 'h', default: false } } as const;

export interface Given<T extends ParseArgsOptionsConfig> {
  values: ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>['values'];
  positionals: string[];
  /** Aborts at the first Ctrl-C or SIGTERM of a command that lets go; the others have ended by then. */
  signal: AbortSignal;
}

export interface Command<T extends ParseArgsOptionsConfig> {
  /** What it does, an example, and what its exit codes mean. */
  help: string;
  options: T;
  /** Words beside the options; a command that takes none refuses them. */
  takes_words?: boolean;
  /** What an interruption leaves behind, a sentence for whoever pressed Ctrl-C in the middle. */
  if_interrupted: string;
  /** True where the work watches `signal` and puts things in order itself; otherwise the command ends where it stands. */
  lets_go?: boolean;
  run: (given: Given<T>) => Promise<number> | number;
}

/** The sentence for a command line that cannot be meant; thrown anywhere in a command it ends it with `exit_codes.misread`. */
export function misread(sentence: string): HailmarkError {
  return new HailmarkError('HAIL_COMMAND', sentence);
}

/**
 * Runs a command to its exit code. Results go to standard output, everything else to standard error, so that a program can read the
 * first. An error of the catalogue is printed as its sentence alone; what is nobody's fault but ours with its stack.
 */
export async function runCommand<T extends ParseArgsOptionsConfig>(
  command: Command<T>,
  words: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      const is_second = stopping.signal.aborted;
      stopping.abort();
      if (command.lets_go === true && !is_second) return;
      console.error(command.if_interrupted);
      process.exit(exit_codes.interrupted);
    });
  }
  try {
    const given = readWords(command, words);
    if (given === 'help') {
      console.log(command.help);
      return;
    }
    process.exitCode = await command.run({ ...given, signal: stopping.signal });
  } catch (error) {
    if (stopping.signal.aborted) {
      console.error(command.if_interrupted);
      process.exitCode = exit_codes.interrupted;
      return;
    }
    const is_ours = !isHailmarkError(error) || error.kind === 'bug';
    if (isHailmarkError(error, 'HAIL_COMMAND')) console.error(`${error.message} --help says more.`);
    else console.error(is_ours ? error : error.message);
    process.exitCode = isHailmarkError(error, 'HAIL_COMMAND') ? exit_codes.misread : exit_codes.failed;
  }
}

/** The words as options and positionals, or `help`, which wins over whatever else was said. Throws `HAIL_COMMAND`. */
export function readWords<T extends ParseArgsOptionsConfig>(
  command: Pick<Command<T>, 'options' | 'takes_words'>,
  words: readonly string[],
): 'help' | Omit<Given<T>, 'signal'> {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...words],
      options: { ...common_options, ...command.options },
      allowPositionals: true,
    });
  } catch (error) {
    if (words.includes('--help')) return 'help';
    // The parser's own sentence: it names the option.
    if (isParseError(error)) throw misread(`${error.message.replace(/\.?$/, '')}.`);
    throw error;
  }
  if ((parsed.values as { help?: boolean }).help === true) return 'help';
  const [first] = parsed.positionals;
  if (command.takes_words !== true && first !== undefined)
    throw misread(`"${first}" is no option of this command, and it takes nothing else.`);
  return parsed;
}

/** An option's text as a whole number within bounds, or a sentence that names the option. */
export function wholeNumber(
  option: string,
  text: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw misread(`--${option} is a whole number ${bounds}.`);
}

/** One of several words, or a sentence that names the option and them. */
export function oneOf<T extends string>(option: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw misread(`--${option} is one of: ${choices.join(', ')}.`);
}

function isParseError(error: unknown): error is TypeError {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
