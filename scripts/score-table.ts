import { roofTypes } from '../services/hail/roof/roof-type.ts';
import { misread, runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { HailmarkError } from '../services/runtime/errors.ts';

const help = `Asks a running service for the score of addresses with every kind of roof at four ages, and prints a table to look at.

  npm run score-table -- --key hm_live_...                  ten public buildings of the sandbox
  npm run score-table -- --key hm_live_... --address '7360 E 6th St, Somerset, TX 78069' [--address ...]

--url is the API's address (by default this machine's, at API_PORT), --json prints one object an address. Needs a key with 36 requests a minute
left for each address; the demo key of npm start has them. Asks only: an interruption leaves nothing behind.

Example:
  npm run score-table -- --key hm_live_... --address '300 SW 10th Ave, Topeka, KS 66612' --json

Exit codes: 0 done, 1 the service did not answer, 64 the command was not understood, 130 interrupted.`;

const ages = [2, 10, 15, 25] as const;
const sandbox_addresses = [
  '7360 E 6th St, Somerset, TX 78069',
  '100 E 4th St, Pecos, TX 79772',
  '16311 S Access Rd, Canyon Lake, TX 78133',
  '100 Main Plz, New Braunfels, TX 78130',
  '414 E 12th St, Kansas City, MO 64106',
  '300 SW 10th Ave, Topeka, KS 66612',
  '2300 N Lincoln Blvd, Oklahoma City, OK 73105',
  '1100 Congress Ave, Austin, TX 78701',
  '1314 Avenue K, Lubbock, TX 79401',
  '500 S Fillmore St, Amarillo, TX 79101',
];

interface Scored {
  address: string;
  storms: number;
  max_hail_size_in: number;
  /** By roof, then by age in the order of `ages`. */
  scores: Record<string, number[]>;
}

async function scoreOf(url: string, key: string, address: string): Promise<Scored> {
  const scored: Scored = { address, storms: 0, max_hail_size_in: 0, scores: {} };
  for (const roof_type of roofTypes) {
    const values: number[] = [];
    for (const roof_age of ages) {
      const query = new URLSearchParams({ address, roof_type, roof_age: String(roof_age) });
      const headers = { Authorization: `Bearer ${key}` };
      const response = await fetch(`${url}/v1/property/score?${query.toString()}`, { headers }).catch(
        (cause: unknown) => {
          const words = `No service answers at ${url}: start it with npm start, or name another with --url.`;
          throw new HailmarkError('HAIL_NOT_STARTED', words, { cause });
        },
      );
      if (!response.ok)
        throw new HailmarkError('HAIL_NOT_STARTED', `The service answered with status ${response.status}.`);
      const { data } = (await response.json()) as {
        data: { score: { value: number; max_hail_size_in: number; storm_count: number } };
      };
      values.push(data.score.value);
      // The oldest roof looks back farthest.
      scored.storms = Math.max(scored.storms, data.score.storm_count);
      scored.max_hail_size_in = Math.max(scored.max_hail_size_in, data.score.max_hail_size_in);
    }
    scored.scores[roof_type] = values;
  }
  return scored;
}

function print({ address, storms, max_hail_size_in, scores }: Scored): void {
  const aged = ages.map((age) => `${age} y`.padStart(6)).join('');
  console.log(
    `\n${address}: ${storms} days with hail in ${ages.at(-1)} years, at most ${max_hail_size_in} in`,
  );
  console.log(`${'roof'.padEnd(22)}${aged}`);
  for (const [roof, values] of Object.entries(scores))
    console.log(`${roof.padEnd(22)}${values.map((value) => String(value).padStart(6)).join('')}`);
}

await runCommand({
  help,
  options: {
    key: { type: 'string' },
    url: { type: 'string' },
    address: { type: 'string', multiple: true, default: sandbox_addresses },
    json: { type: 'boolean', default: false },
  },
  if_interrupted: 'Interrupted. The addresses that were printed are complete.',
  async run({ values }) {
    if (values.key === undefined)
      throw misread('--key is missing: npm start prints one, npm run keys makes one.');
    const url = values.url ?? `http://127.0.0.1:${readConfig().API_PORT}`;
    for (const address of values.address) {
      const scored = await scoreOf(url.replace(/\/+$/, ''), values.key, address);
      if (values.json) console.log(JSON.stringify(scored));
      else print(scored);
    }
    return 0;
  },
});
