import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { methodology } from '../services/hail/methodology/methodology.ts';
import type { Reliability } from '../services/hail/methodology/fit-record.ts';
import type { ScoredMethodology } from '../services/hail/methodology/form.ts';
import { misread, runCommand } from '../services/runtime/command.ts';
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

Example:
  npm run calibrate -- --json

Interrupted, nothing has been written: the methodology file is replaced as a whole at the end.

Exit codes: 0 every requirement for reports of an inch is reached, and the committed file is what the fit gives; 1 it failed; 3 a requirement is
not reached, or the file differs; 64 the command was not understood; 130 interrupted.`;

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

function run(command: Command): number {
  if (command.evaluate !== undefined) {
    return show(command, evaluate(methodology, command.evaluate), (text) => text);
  }
  if (command.constant) return show(command, evaluateConstant(methodology, command.data), (text) => text);
  // From the file and not from the import: the words may have been edited just now.
  const before = readFileSync(file, 'utf8');
  const fitted = calibrate(JSON.parse(before) as ScoredMethodology, command.data);
  const after = methodologyText(fitted);
  if (command.write) {
    // Whole or not at all: half a methodology would keep the service from starting.
    writeFileSync(`${file}.part`, after);
    renameSync(`${file}.part`, file);
  }
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

await runCommand({
  help,
  options: {
    data: { type: 'string', default: recorded },
    evaluate: { type: 'string' },
    write: { type: 'boolean', default: false },
    constant: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  if_interrupted: 'Interrupted. Nothing was written.',
  run({ values }) {
    const modes = [values.write, values.constant, values.evaluate !== undefined].filter(Boolean);
    if (modes.length > 1) throw misread('--write, --constant and --evaluate do not go together.');
    // The committed file names where its data are from, so it is written from those data alone.
    if (values.data !== recorded && (values.write || values.evaluate !== undefined))
      throw misread('--data does not go with --write, which fits the recorded data, nor with --evaluate.');
    return run(values);
  },
});
