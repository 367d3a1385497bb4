import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readDocument } from '../services/feeds/documents/files.ts';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';

const help = `Writes a kept document to standard output: the bytes that a publisher served, which observations cite by their SHA-256.

  npm run --silent document -- <sha256> > file

Reads HAILMARK_DATA_DIR (default .hailmark). The bytes are checked against the hash before any is written.

Exit codes: 0 done, 1 there is no such document or its file is broken, 2 the command was not understood.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const [sha256 = '', ...more] = positionals;
  if (!/^[0-9a-f]{64}$/.test(sha256) || more.length > 0) {
    console.error('Give one SHA-256 of 64 lower-case hexadecimal digits. --help says more.');
    return 2;
  }
  const document = await readDocument(resolve(readConfig().HAILMARK_DATA_DIR), sha256);
  if (document.outcome === 'found') {
    await new Promise<void>((done, fail) => {
      process.stdout.write(document.bytes, (error) => (error ? fail(error) : done()));
    });
    return 0;
  }
  console.error(
    document.outcome === 'missing'
      ? 'No document of this hash is kept: it yielded no fact, or it was among the oldest when DOCUMENTS_MAX_BYTES was reached.'
      : 'The file of this document is broken: it does not hold the bytes of its name.',
  );
  return 1;
}

main()
  .then((exit_code) => {
    process.exitCode = exit_code;
  })
  .catch((error: unknown) => {
    const is_for_people =
      isHailmarkError(error) ||
      (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
    console.error(is_for_people && error instanceof Error ? error.message : error);
    process.exitCode = isHailmarkError(error) ? 1 : 2;
  });
