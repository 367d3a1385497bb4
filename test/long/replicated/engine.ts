import { writeFileSync } from 'node:fs';
import { loadNative } from '../../../infra/local/gateway/native.ts';

/** One engine as a replica: runs the statements it is given, and writes what each answered or why it refused into a file, as JSON. */
const [folder = '', configuration = '', answers_file = '', ...statements] = process.argv.slice(2);
const native = loadNative();
const connection = native.CreateConnection(folder, [`--config-file=${configuration}`]);
if (connection === null) throw new Error(`the engine does not open ${folder}`);
const answers = statements.map((statement) => {
  try {
    return { answer: native.QueryWithConnection(connection, statement, 'JSONEachRow') };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
});
writeFileSync(answers_file, JSON.stringify(answers));
// Closing waits for tables that go on looking for their replicas, and these never find themselves: a replica may die at any time.
process.kill(process.pid, 'SIGKILL');
