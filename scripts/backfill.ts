import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { allFeeds } from '../services/feeds/all-feeds.ts';
import {
  createBackfillShelf,
  isOver,
  type BackfillProgress,
  type BackfillRequest,
  type BackfillShelf,
} from '../services/feeds/backfill/shelf.ts';
import { pause } from '../services/runtime/clock.ts';
import { exit_codes, runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { endText, progressText } from './backfill/text.ts';
import { backfill_options, commandOf, type BackfillCommand } from './backfill/words.ts';

const help = `Reads a stretch of a feed's past. The feeds process does it, in turns with its live polls; this command asks, and follows.

  npm run backfill -- <feed> --from 2015-01-01 --to 2016-01-01       reads days from the first up to, not with, the last
  npm run backfill -- <feed> --from ... --to ... --dry-run           says what there would be to read: requests and bytes
  npm run backfill -- <feed>                                         follows what is being read
  npm run backfill -- <feed> --cancel                                ends it; what was read stays

--bbox=west,south,east,north narrows the region where a publisher can be asked for one; files of the whole country are read whole.
--json prints the progress as JSON, one object a line. Ctrl-C ends this command and not the reading. Killed or stopped in the middle, the
feeds go on where they were once they run again; asked for again, a period costs only what is not read yet.

Works on HAILMARK_DATA_DIR (default .hailmark), on the machine that the feeds run on; they must be running (npm start).

Example:
  npm run backfill -- storm_events --from 2015-01-01 --to 2016-01-01 --dry-run

Exit codes: 0 done, 1 it failed, was cancelled or not all could be read, 64 the command was not understood, 130 left by Ctrl-C.`;

const look_ms = 250;
/** Without a sign of life for so long, the feeds may not be running. */
const silent_ms = 15_000;

/** The request that the command is about: the one that stands, or a new one. */
function take(shelf: BackfillShelf, command: BackfillCommand): BackfillRequest | null {
  const standing = shelf.asked(command.feed);
  if (command.name !== 'read') {
    if (standing === null) {
      console.error(`No history of ${command.feed} is being read.`);
      return null;
    }
    if (command.name === 'cancel') shelf.cancel(standing);
    return standing;
  }
  const { feed, from, until, box, dry_run } = command;
  const asked = { feed, from, until, box, dry_run };
  if (standing === null) {
    const request = { id: randomUUID(), ...asked };
    shelf.ask(request);
    return request;
  }
  const { id, ...same } = standing;
  if (JSON.stringify(same) === JSON.stringify(asked)) return standing;
  console.error(
    `Another period of ${feed} is being read (request ${id}). Follow it: npm run backfill -- ${feed}; or end it with --cancel.`,
  );
  return null;
}

async function follow(
  shelf: BackfillShelf,
  request: BackfillRequest,
  json: boolean,
  leaving: AbortSignal,
): Promise<number> {
  const is_terminal = process.stdout.isTTY && !json;
  const since = Date.now();
  let shown = '';
  let is_silence_said = false;
  const show = (progress: BackfillProgress): void => {
    const text = json ? JSON.stringify(progress) : progressText(progress);
    if (text === shown) return;
    shown = text;
    if (is_terminal) process.stdout.write(`\r\x1b[K${text}`);
    else console.log(text);
  };
  for (;;) {
    // In this order: a request that is over is taken away after its last progress was written.
    const is_standing = shelf.asked(request.feed)?.id === request.id;
    const newest = shelf.progress(request.feed);
    const progress = newest?.id === request.id ? newest : null;
    if (progress !== null && isOver(progress)) {
      if (is_terminal) process.stdout.write('\r\x1b[K');
      console.log(json ? JSON.stringify(progress) : endText(progress));
      return progress.state === 'done' || progress.state === 'planned' ? 0 : 1;
    }
    if (!is_standing) {
      console.error('The request was taken away and is not being read.');
      return 1;
    }
    if (progress !== null) show(progress);
    const silence_ms = Date.now() - Math.max(since, progress?.updated_at ?? 0);
    if (silence_ms >= silent_ms && !is_silence_said) {
      is_silence_said = true;
      console.error(
        '\nNo word from the feeds: are they running on this data folder? The request stands until they take it up.',
      );
    }
    if (leaving.aborted) {
      console.error(
        `\nThe reading goes on without this command. Follow it: npm run backfill -- ${request.feed}; end it: --cancel.`,
      );
      return exit_codes.interrupted;
    }
    await pause(look_ms, leaving);
  }
}

await runCommand({
  help,
  options: backfill_options,
  takes_words: true,
  lets_go: true,
  if_interrupted: 'Interrupted. What was asked for stands: the feeds read it without this command.',
  run({ values, positionals, signal }) {
    const config = readConfig();
    const feeds = allFeeds(config).flatMap(({ feed, plan }) => (plan === undefined ? [] : [feed]));
    const command = commandOf({ values, positionals }, feeds);
    const shelf = createBackfillShelf(resolve(config.HAILMARK_DATA_DIR));
    const request = take(shelf, command);
    return request === null ? exit_codes.failed : follow(shelf, request, command.json, signal);
  },
});
