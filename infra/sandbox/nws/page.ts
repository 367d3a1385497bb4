import { day_ms } from '../../../services/hail/time.ts';
import type { ParameterProblem } from './question.ts';

const week_ms = 7 * day_ms;
/** The longest page of `/alerts`. */
const max_page = 500;

export interface Page {
  start_ms: number;
  end_ms: number;
  limit: number;
  from: number;
  problems: ParameterProblem[];
}

/** The real service holds the last days only; its cursors say nothing to a reader, and neither do these. */
export function readPage(parameters: URLSearchParams, now_ms: number): Page {
  const time = (name: string, otherwise: number): number => {
    const text = parameters.get(name);
    return text === null ? otherwise : Date.parse(text);
  };
  const number = (name: string, otherwise: number): number => {
    const text = parameters.get(name);
    return text === null ? otherwise : /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  };
  const read = {
    start: time('start', now_ms - week_ms),
    end: time('end', now_ms),
    limit: number('limit', max_page),
    cursor: number('cursor', 0),
  };
  const problems = Object.entries(read)
    .filter(([name, value]) => Number.isNaN(value) || (name === 'limit' && (value < 1 || value > max_page)))
    .map(([name]) => ({ parameter: `query.${name}`, message: `Query parameter "${name}" is invalid` }));
  return {
    start_ms: Math.max(read.start, now_ms - week_ms),
    end_ms: Math.min(read.end, now_ms),
    limit: read.limit,
    from: read.cursor,
    problems,
  };
}

/** The whole address, as the publisher writes it, at the host that was asked: a reader of the sandbox must not end at the live service. */
export function nextPage({ pathname, searchParams }: URL, host: string | undefined, from: number): string {
  const next = new URL(pathname, `http://${host ?? 'sandbox'}`);
  for (const [name, value] of searchParams) if (name !== 'cursor') next.searchParams.append(name, value);
  next.searchParams.set('cursor', String(from));
  return next.href;
}
