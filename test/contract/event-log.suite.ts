import { after, before, describe } from 'node:test';
import { groupContract } from './event-log.groups.ts';
import { messageContract } from './event-log.messages.ts';
import { ownershipContract } from './event-log.ownership.ts';
import type { CreateTwin, LogTwin } from './event-log.support.ts';

/**
 * The contract of the log's port. Every twin runs all of it, and nothing here knows which one it is. `skip` says what the twin needs where
 * it cannot run.
 */
export function eventLogContract(name: string, createTwin: CreateTwin, skip: string | false = false): void {
  describe(`the event log on ${name}`, { skip }, () => {
    let twin: LogTwin | undefined;
    const current = (): LogTwin => {
      if (twin === undefined) throw new Error('the twin is made before the tests');
      return twin;
    };
    before(async () => {
      twin = await createTwin();
    });
    after(() => twin?.dispose());
    describe('messages', () => messageContract(current));
    describe('groups', () => groupContract(current));
    describe('ownership', () => ownershipContract(current));
  });
}
