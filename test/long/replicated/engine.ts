import { loadNative } from '../../../infra/local/gateway/native.ts';

/** One engine as a replica: runs the statements it is given, and prints what each answered or why it refused, as JSON. */
const [folder = '', configuration = '', ...statements] = process.argv.slice(2);
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
native.CloseConnection(connection);
console.log(JSON.stringify(answers));
