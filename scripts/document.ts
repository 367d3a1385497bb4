import { resolve } from 'node:path';
import { readDocument } from '../services/feeds/documents/files.ts';
import { misread, runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';

const help = `Writes a kept document to standard output: the bytes that a publisher served, which observations cite by their SHA-256.

  npm run --silent document -- <sha256> > file

Reads HAILMARK_DATA_DIR (default .hailmark). The bytes are checked against the hash before any is written. Interrupted, the file may be short.

Example:
  npm run --silent document -- 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 > details.csv.gz

Exit codes: 0 done, 1 there is no such document or its file is broken, 64 the command was not understood, 130 interrupted.`;

await runCommand({
  help,
  options: {},
  takes_words: true,
  if_interrupted: 'Interrupted. What was written may not be the whole document.',
  async run({ positionals }) {
    const [sha256 = '', ...more] = positionals;
    if (!/^[0-9a-f]{64}$/.test(sha256) || more.length > 0)
      throw misread('Give one SHA-256 of 64 lower-case hexadecimal digits.');
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
  },
});
