import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { EventLog } from '../../services/log/event-log.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';

/** What a child process is told to do with the log, as one JSON argument. */
export type ChildTask =
  | { task: 'append'; topic: string; prefix: string; count: number; batch: number }
  | { task: 'append-until-killed'; topic: string; prefix: string }
  | { task: 'own'; topic: string; resource: string }
  | { task: 'consume'; topic: string; group: string; hold: boolean };

/** What it says, as lines of JSON. */
export type ChildWord =
  | { said: 'ready' }
  | { said: 'appended'; count: number }
  | { said: 'owns'; epoch: number }
  | { said: 'late append'; code: string | null }
  | { said: 'batch'; partition: number; first_offset: number; end_offset: number }
  | { said: 'released'; partition: number; stale: boolean }
  | { said: 'done' };

const say = (word: ChildWord): void => void process.stdout.write(`${JSON.stringify(word)}\n`);

const tasks: {
  [K in ChildTask['task']]: (log: EventLog, task: Extract<ChildTask, { task: K }>) => Promise<void>;
} = {
  append: async (log, { topic, prefix, count, batch }) => {
    for (let from = 0; from < count; from += batch) {
      const messages = Array.from({ length: batch }, (_, index) => ({
        key: `${prefix}-${(from + index) % 7}`,
        value: Buffer.from(`${prefix}/${from + index}`),
      }));
      await log.append(topic, messages);
    }
    await log.close();
  },
  'append-until-killed': async (log, { topic, prefix }) => {
    for (let count = 0; ;) {
      const messages = Array.from({ length: 10 }, (_, index) => ({
        key: `${prefix}-${index}`,
        value: Buffer.from(`${prefix}/${count + index}`),
      }));
      await log.append(topic, messages);
      count += messages.length;
      say({ said: 'appended', count });
    }
  },
  own: async (log, { topic, resource }) => {
    const owner = await log.claim(resource);
    await log.append(topic, [{ key: 'owned', value: Buffer.from('by the child') }], owner);
    say({ said: 'owns', epoch: owner.epoch });
    await nextLine();
    await log.append(topic, [{ key: 'owned', value: Buffer.from('by the child, late') }], owner).then(
      () => say({ said: 'late append', code: null }),
      (error: unknown) =>
        say({ said: 'late append', code: isHailmarkError(error) ? error.code : String(error) }),
    );
  },
  consume: async (log, { topic, group, hold }) => {
    const member = await log.join({
      group,
      topics: [topic],
      batch_messages: 10,
      startAt: async (_, partition) => (await log.committed(group, topic))[partition] ?? 0,
      onBatch: async (batch) => {
        const { partition, first_offset, end_offset } = batch;
        say({ said: 'batch', partition, first_offset, end_offset });
        if (hold) await nextLine();
        say({ said: 'released', partition, stale: batch.isStale() });
      },
    });
    process.once('SIGTERM', () => void member.leave());
    await member.done;
  },
};

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Resolves with the parent's next line; ends the process when the parent is gone. */
async function nextLine(): Promise<void> {
  if ((await lines.next()).done === true) process.exit(1);
}

const [module, connection, text] = process.argv.slice(2);
if (module === undefined || connection === undefined || text === undefined)
  throw new Error('three arguments');
const { openTwin } = (await import(pathToFileURL(module).href)) as {
  openTwin: (connection: string) => Promise<EventLog>;
};
const task = JSON.parse(text) as ChildTask;
const log = await openTwin(connection);
say({ said: 'ready' });
await (tasks[task.task] as (log: EventLog, task: ChildTask) => Promise<void>)(log, task);
say({ said: 'done' });
process.exit(0);
