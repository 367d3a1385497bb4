import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
import { createSuspectWithdrawals } from '../services/feeds/suspect-withdrawals.ts';

const help = `Accepts a reading that was refused because too many of a slice's records had vanished from it.

  npm run accept-withdrawal                        lists what is refused
  npm run accept-withdrawal -- <feed> <slice>      accepts it, once, for at most as many records as were refused

A feed refuses a reading that lacks more than 5 % and more than 20 of the records a slice had: usually the publisher's file is broken.
Look at the file first. What was accepted is withdrawn when the feed reads the slice again: within five minutes while the feeds run, or
when they start. Reads HAILMARK_DATA_DIR (default .hailmark).

Exit codes: 0 done, 1 nothing of that name is refused, 2 the command was not understood.`;

/** The command; returns its exit code. */
function main(): number {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const suspects = createSuspectWithdrawals(resolve(readConfig().HAILMARK_DATA_DIR));
  const refused = suspects.refused();
  const list = (): void => {
    for (const { feed, slice, known, absent } of refused) {
      console.log(`${feed} ${slice}: lacks ${absent} of ${known} records`);
    }
  };
  const [feed, slice, ...more] = positionals;
  if (feed === undefined) {
    if (refused.length === 0) console.log('Nothing is refused.');
    list();
    return 0;
  }
  if (slice === undefined || more.length > 0) {
    console.error('Give a feed and a slice, or nothing to list what is refused. --help says more.');
    return 2;
  }
  if (!suspects.accept(feed, slice)) {
    console.error(`Nothing is refused under ${feed} ${slice}.${refused.length > 0 ? ' Refused are:' : ''}`);
    list();
    return 1;
  }
  console.log(`Accepted ${feed} ${slice}: its next reading may withdraw that many records.`);
  return 0;
}

try {
  process.exitCode = main();
} catch (error) {
  const is_for_people =
    (isHailmarkError(error) && error.kind === 'operator') ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  console.error(is_for_people && error instanceof Error ? error.message : error);
  process.exitCode = isHailmarkError(error) ? 1 : 2;
}
