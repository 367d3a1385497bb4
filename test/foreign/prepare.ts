import { parseArgs } from 'node:util';
import { pythonIsMissing, pythonWithPackages, requirement_files } from './python.ts';

const help = `Fetches what the tests' foreign clients need ahead of the tests, as CI does: Python packages, kept below test/foreign/target.

Example:
  npm run prepare:foreign && npm run test:long

Interrupted, it begins again the next time.

Exit codes: 0 ready, or there is no Python and it says so, 1 it failed, 64 the command was not understood, 130 interrupted.`;

/** Read here and not by the service's own commands: whatever stands in this folder shares no line with the service. */
function isHelpAsked(): boolean {
  try {
    return parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } }).values.help;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)} --help says more.`);
    process.exit(64);
  }
}

process.on('SIGINT', () => process.exit(130));
if (isHelpAsked()) {
  console.log(help);
} else {
  const missing = await pythonIsMissing();
  if (missing === false) for (const file of requirement_files) await pythonWithPackages(file);
  else console.log(`The foreign client's tests will be skipped: ${missing}.`);
}
