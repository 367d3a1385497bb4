import { formatInstant } from '../../services/hail/time.ts';
import { countLetters, matches, type Letter, type LetterFilter } from '../../services/log/letters/book.ts';
import { dissect } from '../../services/log/letters/dissect.ts';
import {
  hasOwner,
  judgeLetters,
  messageOf,
  readLetters,
  sayOfLetters,
  type LetterDeps,
} from '../../services/log/letters/manage.ts';
import { judgeMessage } from '../../services/log/letters/judge-message.ts';
import { isClosed, placeText } from '../../services/log/letters/state.ts';
import type { RegistryClient } from '../../services/log/schema-registry.ts';

interface Printing {
  json: boolean;
}

/** Counts, then each letter. */
export async function list(
  deps: LetterDeps,
  filter: LetterFilter,
  { json, limit }: Printing & { limit: number },
): Promise<number> {
  const { letters, unreadable } = await readLetters(deps);
  const found = letters.filter((letter) => matches(letter, filter));
  if (found.length === 0 && unreadable === 0) return nothing(json);
  const counts = countLetters(found);
  if (json) {
    console.log(JSON.stringify({ letters: found.length, counts, unreadable, listed: found.slice(0, limit) }));
  } else {
    for (const count of counts) {
      console.log(`${String(count.letters).padStart(8)}  ${count.state}  ${count.reason}  ${count.topic}`);
    }
    if (unreadable > 0)
      console.log(`${String(unreadable).padStart(8)}  letters that cannot be read themselves`);
    for (const letter of found.slice(0, limit)) console.log(lineOf(letter));
    if (found.length > limit) console.log(`and ${found.length - limit} more; --limit lists more of them`);
  }
  return 0;
}

/** One message with everything that can be said about it. */
export async function show(
  deps: LetterDeps,
  filter: LetterFilter,
  registry: RegistryClient,
  { json }: Printing,
): Promise<number> {
  const letter = (await readLetters(deps)).letters.find((each) => matches(each, filter));
  if (letter === undefined) return nothing(json);
  const original = await messageOf(deps, letter);
  const value = original?.value ?? null;
  const parts = await dissect(value, registry);
  const judged = await judgeMessage(deps.codec, { ...letter, value });
  const shown = {
    ...letter,
    place: placeText(letter),
    failed_at: formatInstant(letter.failed_at),
    headers: original?.headers ?? {},
    hex: value?.toString('hex') ?? null,
    ...parts,
    now: judged.outcome === 'dead' ? `${judged.reason}: ${judged.error}` : 'a valid fact',
  };
  if (json) console.log(JSON.stringify(shown));
  else for (const [name, told] of Object.entries(shown)) console.log(`${name.padEnd(11)} ${textOf(told)}`);
  return 0;
}

/** Says of every letter that matches, and of which it can be said, that it is to be retried or is dropped. */
export async function retryOrDrop(
  deps: LetterDeps,
  filter: LetterFilter,
  name: 'retry' | 'drop',
  { json, dry_run }: Printing & { dry_run: boolean },
): Promise<number> {
  const matching = (await readLetters(deps)).letters.filter((letter) => matches(letter, filter));
  if (matching.length === 0) return nothing(json);
  const open = matching.filter(({ state }) => (name === 'retry' ? state === 'dead' : !isClosed(state)));
  const chosen = name === 'retry' ? open.filter(hasOwner) : open;
  const prospects = name === 'retry' ? await judgeLetters(deps, chosen) : null;
  const done = dry_run ? 0 : await sayOfLetters(deps, chosen, name === 'retry' ? 'retry' : 'dropped');
  const report = {
    matching: matching.length,
    not_open: matching.length - open.length,
    without_owner: open.length - chosen.length,
    ...(prospects === null ? {} : { repaired: prospects.repaired, still_dead: prospects.still_dead }),
    chosen: chosen.length,
    done,
    dry_run,
  };
  if (json) console.log(JSON.stringify(report));
  else for (const line of sentencesOf(name, report)) console.log(line);
  return chosen.length > 0 ? 0 : 1;
}

interface Report {
  matching: number;
  not_open: number;
  without_owner: number;
  repaired?: number;
  still_dead?: Record<string, number>;
  chosen: number;
  done: number;
  dry_run: boolean;
}

function sentencesOf(name: 'retry' | 'drop', report: Report): string[] {
  const { matching, not_open, without_owner, repaired, still_dead = {}, chosen, done, dry_run } = report;
  const reasons = Object.entries(still_dead).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${matching} dead letters match.`,
    not_open > 0
      ? `${not_open} are left as they are: settled, dropped${name === 'retry' ? ' or asked already' : ''}.`
      : '',
    without_owner > 0
      ? `${without_owner} belong to no feed, so nobody can publish them anew: they can be dropped.`
      : '',
    repaired === undefined ? '' : `${repaired} of ${chosen} are valid facts by now.`,
    reasons.length > 0 ? `Still none: ${reasons.join(', ')}.` : '',
    dry_run ? `${chosen} would be ${name === 'retry' ? 'retried' : 'dropped'}; nothing was written.` : '',
    dry_run ? '' : name === 'retry' ? `${done} are asked to be retried.` : `${done} are dropped.`,
  ].filter((sentence) => sentence !== '');
}

function lineOf(letter: Letter): string {
  const { state, reason, error, at, failed_at, key } = letter;
  const said = [formatInstant(failed_at), state.padEnd(7), placeText(letter), key, at, reason, error];
  return said.join('  ');
}

function textOf(told: unknown): string {
  return typeof told === 'string' ? told : JSON.stringify(told);
}

function nothing(json: boolean): number {
  if (json) console.log(JSON.stringify({ matching: 0 }));
  console.error('No dead letter matches; `npm run dead-letters -- list` shows all.');
  return 1;
}
