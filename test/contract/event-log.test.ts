import { join } from 'node:path';
import { temporaryLog } from '../support/temporary-log.ts';
import { openTwin } from './event-log.sqlite.ts';
import { eventLogContract } from './event-log.suite.ts';

eventLogContract('SQLite', async () => {
  const { log, folder, dispose } = await temporaryLog();
  return {
    log,
    open: () => openTwin(folder),
    elsewhere: { module: join(import.meta.dirname, 'event-log.sqlite.ts'), connection: folder },
    dispose,
  };
});
