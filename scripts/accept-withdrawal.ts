import { resolve } from 'node:path';
import { misread, runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { createSuspectWithdrawals } from '../services/feeds/suspect-withdrawals.ts';

const help = `Accepts a reading that was refused because too many of a slice's records had vanished from it.

  npm run accept-withdrawal [-- --json]            lists what is refused
  npm run accept-withdrawal -- <feed> <slice>      accepts it, once, for at most as many records as were refused

A feed refuses a reading that lacks more than 5 % and more than 20 of the records a slice had: usually the publisher's file is broken.
Look at the file first. What was accepted is withdrawn when the feed reads the slice again: within five minutes while the feeds run, or
when they start. Reads HAILMARK_DATA_DIR (default .hailmark). --json prints one object a line. Interrupted, it has accepted or it has not.

Example:
  npm run accept-withdrawal -- storm_events 2017

Exit codes: 0 done, 1 nothing of that name is refused, 64 the command was not understood, 130 interrupted.`;

await runCommand({
  help,
  options: { json: { type: 'boolean', default: false } },
  takes_words: true,
  if_interrupted: 'Interrupted. `npm run accept-withdrawal` lists what is still refused.',
  run({ values: { json }, positionals }) {
    const suspects = createSuspectWithdrawals(resolve(readConfig().HAILMARK_DATA_DIR));
    const refused = suspects.refused();
    const list = (): void => {
      for (const each of refused) {
        const { feed, slice, known, absent } = each;
        console.log(json ? JSON.stringify(each) : `${feed} ${slice}: lacks ${absent} of ${known} records`);
      }
    };
    const [feed, slice, ...more] = positionals;
    if (feed === undefined) {
      if (refused.length === 0 && !json) console.log('Nothing is refused.');
      list();
      return 0;
    }
    if (slice === undefined || more.length > 0)
      throw misread('Give a feed and a slice, or nothing to list what is refused.');
    if (!suspects.accept(feed, slice)) {
      console.error(`Nothing is refused under ${feed} ${slice}.${refused.length > 0 ? ' Refused are:' : ''}`);
      list();
      return 1;
    }
    if (json) console.log(JSON.stringify({ feed, slice, accepted: true }));
    else console.log(`Accepted ${feed} ${slice}: its next reading may withdraw that many records.`);
    return 0;
  },
});
