import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folded } from './folded.ts';

type Typed = { address: string } | { street: string; city: string; state: string; zip: string };

interface CensusAnswer {
  result: { input: { address: Typed } };
}

/** The recorded answers by service (`locations`, `geographies`), form (`onelineaddress`, `address`) and typed address, byte for byte. */
export type RecordedAnswers = ReadonlyMap<string, string>;

export function answerKey(service: string, form: string, typed: string): string {
  return `${service}/${form}/${folded(typed)}`;
}

/**
 * Reads `census_<service>_<form>_….json`. An answer that was recorded for an address in parts stands for its one-line spelling too,
 * unless that was recorded itself.
 */
export function readRecordedAnswers(folder: string): RecordedAnswers {
  const answers = new Map<string, string>();
  const in_one_line = new Map<string, string>();
  for (const file of readdirSync(folder).sort()) {
    const [, service = '', form = ''] = /^census_([a-z]+)_([a-z]+)_/.exec(file) ?? [];
    const text = readFileSync(join(folder, file), 'utf8');
    const typed = (JSON.parse(text) as CensusAnswer).result.input.address;
    if ('address' in typed) {
      answers.set(answerKey(service, form, typed.address), text);
      continue;
    }
    const line = [typed.street, typed.city, typed.state, typed.zip].join(' ');
    answers.set(answerKey(service, form, line), text);
    in_one_line.set(answerKey(service, 'onelineaddress', line), text);
  }
  return new Map([...in_one_line, ...answers]);
}
