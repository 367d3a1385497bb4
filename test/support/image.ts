import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const project = resolve(import.meta.dirname, '../..');

export interface Instruction {
  word: string;
  /** Options such as `--from=dependencies`. */
  options: string[];
  /** What follows, in one line. */
  rest: string;
}

/** One `FROM … AS …` and what it does. */
export interface Stage {
  name: string;
  base: string;
  instructions: Instruction[];
}

/** The stages of infra/Dockerfile, as far as the file goes: comments, continued lines, options. */
export function readDockerfile(): Stage[] {
  const lines = readFileSync(join(project, 'infra/Dockerfile'), 'utf8')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Stage[] = [];
  for (const line of lines) {
    const [word = '', ...words] = line.trim().split(/\s+/);
    const options = word === 'COPY' ? words.filter((each) => each.startsWith('--')) : [];
    const rest = words.filter((each) => !options.includes(each)).join(' ');
    if (word === 'FROM') {
      const [, base = '', name = ''] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ name, base, instructions: [] });
    } else stages.at(-1)?.instructions.push({ word, options, rest });
  }
  return stages;
}

/** Sets of the last stage's ENV lines. */
export function imageEnvironment(stages: readonly Stage[]): Record<string, string> {
  const lines = stages.at(-1)?.instructions.filter(({ word }) => word === 'ENV') ?? [];
  return Object.fromEntries(
    lines.flatMap(({ rest }) =>
      rest.split(' ').map((each): [string, string] => {
        const at = each.indexOf('=');
        return [each.slice(0, at), each.slice(at + 1)];
      }),
    ),
  );
}

/** The files of the checkout that .dockerignore lets into the build, by their paths from the top: of several rules the last counts. */
export function buildContext(): string[] {
  const rules = readFileSync(join(project, '.dockerignore'), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const lets_in = line.startsWith('!');
      const pattern = (lets_in ? line.slice(1) : line)
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '[^/]*');
      // A rule for a folder is one for what is in it.
      return { lets_in, matches: new RegExp(`^${pattern}(?:/|$)`) };
    });
  const isIn = (path: string): boolean =>
    rules.findLast(({ matches }) => matches.test(path))?.lets_in ?? true;
  const walk = (folder: string): string[] =>
    readdirSync(join(project, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (['.git', 'node_modules'].includes(path)) return [];
      return entry.isDirectory() ? walk(path) : [path];
    });
  return walk('').filter(isIn);
}

/** What the COPY lines of a stage take from the checkout: source and place in the image, file by file. */
export function copiedFiles(stage: Stage | undefined, context: readonly string[]): [string, string][] {
  const copies =
    stage?.instructions.filter(({ word, options }) => word === 'COPY' && options.length === 0) ?? [];
  return copies.flatMap(({ rest }) => {
    const words = rest.split(' ');
    const target = (words.at(-1) ?? '').replace(/^\.\//, '');
    return words.slice(0, -1).flatMap((source) => {
      const found = context.filter((path) => path === source || path.startsWith(`${source}/`));
      if (found.length === 0) throw new Error(`COPY ${source}: no file of the build context`);
      const is_folder = statSync(join(project, source)).isDirectory();
      return found.map((path): [string, string] => [
        path,
        is_folder ? join(target, path.slice(source.length)) : join(target, path.split('/').at(-1) ?? ''),
      ]);
    });
  });
}

/** Lays a stage's files of the checkout into a folder. */
export function layFiles(stage: Stage | undefined, folder: string): void {
  for (const [source, target] of copiedFiles(stage, buildContext())) {
    mkdirSync(dirname(join(folder, target)), { recursive: true });
    cpSync(join(project, source), join(folder, target));
  }
}
