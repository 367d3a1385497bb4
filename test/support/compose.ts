import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

export const infra = resolve(import.meta.dirname, '../../infra');

/** What compose.yaml says of a service, as far as tests ask. */
export interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  deploy?: { resources?: { limits?: { cpus: string; memory: string } } };
}

export interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** Infra's compose.yaml with anchors resolved and variables as they are written. */
export function readCompose(): Compose {
  return parse(readFileSync(join(infra, 'compose.yaml'), 'utf8'), { merge: true }) as Compose;
}

/** `${NAME}`, `${NAME:-default}` or `${NAME:?what to set}`, filled in as Compose does; throws with the words where a value is required. */
export function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind: string | undefined, words: string | undefined) => {
      const value = values[name] ?? '';
      if (value !== '') return value;
      if (kind === '?') throw new Error(`${name} is missing: ${words ?? ''}`);
      return words ?? '';
    },
  );
}
