import type { EventLog } from '../../services/log/event-log.ts';
import { createSqliteLog } from '../../services/log/sqlite/sqlite-log.ts';

/** Opens the twin on SQLite from its folder, in whatever process. */
export function openTwin(folder: string): Promise<EventLog> {
  return createSqliteLog({ folder });
}
