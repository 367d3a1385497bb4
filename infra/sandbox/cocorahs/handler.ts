import { join } from 'node:path';
import { textResponse, type Handler } from '../handler.ts';
import { readQuestion, type HailQuestion } from './question.ts';
import { readHailExport, type HailRow } from './rows.ts';

const states = new Set(
  `AL AK AZ AR CA CO CT DC DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT
VA WA WV WI WY PR VI GU`.split(/\s/),
);

/**
 * The export of hail reports over the recorded rows: by state and days of observation, or what was entered or changed since a time. A row
 * is there from its entry on. As at the real service a state that is none is answered with the whole country, and the format is CSV
 * whatever is asked.
 */
export function cocorahsExport(recordings: string): Handler {
  const { header, rows } = readHailExport(join(recordings, 'cocorahs'));

  return ({ url, now_ms }) => {
    if (!/^(\/cocorahs)?\/export\/exportreports\.aspx$/i.test(url.pathname)) return null;
    const asked = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]));
    const ask = (name: string): string => asked.get(name.toLowerCase()) ?? '';
    if (ask('ReportType').toLowerCase() !== 'hail') {
      return textResponse(404, 'text/plain', 'Nothing but hail reports is recorded.\n');
    }
    const question = readQuestion(ask);
    // How the real service words this is not recorded.
    if (question === null) return textResponse(500, 'text/html', '<h1>Server Error</h1>');
    const state = ask('State').toUpperCase();
    const in_utc = ask('TimesInGMT').toLowerCase() === 'true';
    const lines = rows
      .filter((row) => row.changed_ms <= now_ms && (row.state === state || !states.has(state)))
      .filter((row) => isAskedFor(row, question))
      .map((row) => (in_utc ? row.line_in_utc : row.line));
    return textResponse(200, 'text/csv', [header, ...lines, ''].join('\r\n'));
  };
}

function isAskedFor(row: HailRow, question: HailQuestion): boolean {
  return question.kind === 'days'
    ? row.observed_day >= question.first && row.observed_day <= question.last
    : row.changed_ms >= question.since_ms;
}
