import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { methodology } from '../services/hail/methodology/methodology.ts';
import type { Reliability } from '../services/hail/methodology/fit-record.ts';
import type { ScoredMethodology } from '../services/hail/methodology/form.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
import { calibrate, evaluate, evaluateConstant, methodologyText } from './calibrate/calibrate.ts';
import { fitText, reliabilityText, roofText, spreadText } from './calibrate/text.ts';

const help = `Fits the hail part of the score on paired radar and ground data, each year judged by a fit on the others, and prints how it did.

  npm run calibrate                        fits, prints, and says whether the committed methodology file is what the fit gives
  npm run calibrate -- --write             puts the fit into the methodology file; its words and priors stay
  npm run calibrate -- --evaluate <folder> applies the committed methodology, without fitting, to hail-<year>.json and reports-<year>.json there
  npm run calibrate -- --constant          judges a forecaster that tells everybody the same; it must fail

  --data <folder>  fits on other files of the same form, or judges a constant on them, instead of scripts/calibrate/data/north-ms
  --json           the figures as one JSON object
  --help           this text

Exit codes: 0 every requirement for reports of an inch is reached, and the committed file is what the fit gives; 1 it failed; 2 the command was
not understood; 3 a requirement is not reached, or the file differs.`;

const project = resolve(import.meta.dirname, '..');
const recorded = join(project, 'scripts/calibrate/data/north-ms');
const file = join(project, `services/hail/methodology/${methodology.version}.json`);

interface Command {
  data: string;
  evaluate?: string | undefined;
  write: boolean;
  constant: boolean;
  json: boolean;
}

function readCommand(): Command | 'help' | null {
  try {
    const { values } = parseArgs({
      options: {
        data: { type: 'string', default: recorded },
        evaluate: { type: 'string' },
        write: { type: 'boolean', default: false },
        constant: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    const modes = [values.write, values.constant, values.evaluate !== undefined].filter(Boolean);
    // The committed file names where its data are from, so it is written from those data alone.
    const elsewhere = values.data !== recorded && (values.write || values.evaluate !== undefined);
    return modes.length > 1 || elsewhere ? null : values;
  } catch {
    return null;
  }
}

function run(command: Command): number {
  if (command.evaluate !== undefined) {
    return show(command, evaluate(methodology, command.evaluate), (text) => text);
  }
  if (command.constant) return show(command, evaluateConstant(methodology, command.data), (text) => text);
  // From the file and not from the import: the words may have been edited just now.
  const before = readFileSync(file, 'utf8');
  const fitted = calibrate(JSON.parse(before) as ScoredMethodology, command.data);
  const after = methodologyText(fitted);
  if (command.write) writeFileSync(file, after);
  const same = command.write || after === before;
  const shown = show(command, fitted.fit.reliability, (text) =>
    [
      fitText(fitted),
      text,
      spreadText(fitted),
      roofText(fitted),
      command.write
        ? `Written: ${methodology.version}.json`
        : `The committed ${methodology.version}.json ${same ? 'is what this fit gives, byte for byte.' : 'DIFFERS from what this fit gives.'}`,
    ].join('\n'),
  );
  return same ? shown : 3;
}

function show(command: Command, reports: readonly Reliability[], around: (text: string) => string): number {
  const text = reports.map(reliabilityText).join('\n');
  process.stdout.write(command.json ? `${JSON.stringify(reports)}\n` : `${around(text)}\n`);
  return reports[0]?.requirements.every(({ reached }) => reached) === true ? 0 : 3;
}

const command = readCommand();
if (command === 'help') process.stdout.write(`${help}\n`);
else if (command === null) {
  process.stderr.write(`${help}\n`);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = run(command);
  } catch (error) {
    process.stderr.write(`${isHailmarkError(error) ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
