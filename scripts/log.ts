import { createCodec } from '../services/log/codec.ts';
import { readLines, type LogQuery } from '../services/log/log-lines.ts';
import { openLog } from '../services/log/open-log.ts';
import { exit_codes, runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { createLineWriter } from '../services/runtime/line-writer.ts';
import { createStore } from '../services/store/store.ts';
import { readerText, readReaders } from './log/positions.ts';
import { commandOf, log_options } from './log/query.ts';

const help = `Reads the log: a topic as decoded JSON lines, or where its readers are. Writes nothing.

  npm run -s log -- <topic> [--from WHERE] [--to WHERE] [--partition N] [--key KEY] [--follow]
  npm run -s log -- positions [--json]     offsets and lag of every group, and of every projection's version in the store

WHERE is an offset of each partition, an ISO time of appending with its zone, a day (UTC), or end. --from is included (default 0), --to is
not. A line has partition, offset, appended_at, key, headers if there are any, and fact; of a message that is no fact, undecodable (why),
error and value. Bytes are base64. Partitions come one after another, each in its order. --key and times look at every message.
--follow waits for more until Ctrl-C. Needs the log (HAILMARK_DATA_DIR and so on); a topic needs the registry (SCHEMA_REGISTRY_URL) too.

Example:
  npm run -s log -- hail.observation.v1 --key NOAA_SED/679888 | tail -1

Exit codes: 0 done, 1 it failed, 64 the command was not understood, 130 it was interrupted before it was done; what was printed is whole lines.`;

const store_timeout_ms = 5_000;

async function read(query: LogQuery, interrupted: AbortSignal): Promise<number> {
  const output = createLineWriter(process.stdout);
  const config = readConfig();
  const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
  const log = await openLog(config, { make: 'nothing' });
  try {
    const ended = AbortSignal.any([interrupted, output.closed]);
    for await (const line of readLines({ log, codec }, query, ended))
      await output.write(JSON.stringify(line));
    await output.flush();
    return interrupted.aborted && !query.follow ? exit_codes.interrupted : 0;
  } finally {
    await log.close();
  }
}

async function positions(json: boolean): Promise<number> {
  const output = createLineWriter(process.stdout);
  const config = readConfig();
  const log = await openLog(config, { make: 'nothing' });
  const store = createStore(config, { timeout_ms: store_timeout_ms });
  try {
    const readers = readReaders(log, store);
    for (;;) {
      const next = await readers.next();
      if (next.done === true) {
        await output.flush();
        if (next.value !== null) console.error(next.value);
        return 0;
      }
      await output.write(json ? JSON.stringify(next.value) : readerText(next.value));
    }
  } finally {
    await store.close();
    await log.close();
  }
}

await runCommand({
  help,
  options: log_options,
  takes_words: true,
  lets_go: true,
  if_interrupted: 'Interrupted. What was printed is whole lines; there is more in the log.',
  run({ values, positionals, signal }) {
    const command = commandOf({ values, positionals });
    return command.name === 'read' ? read(command.query, signal) : positions(command.json);
  },
});
