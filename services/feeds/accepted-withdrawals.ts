import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../runtime/config.ts';

/** An operator's word that a slice may lose as many records as its next reading says; used up by that reading. */
export interface AcceptedWithdrawals {
  accept: (feed: string, slice: string) => void;
  isAccepted: (feed: string, slice: string) => boolean;
  use: (feed: string, slice: string) => void;
  list: () => string[];
}

/** Kept as empty files below the data folder, where the command and the feed's process both reach them. */
export function createAcceptedWithdrawals(data_dir: string): AcceptedWithdrawals {
  const folder = join(data_dir, 'accepted-withdrawals');
  const path = (feed: string, slice: string): string => join(folder, encodeURIComponent(`${feed} ${slice}`));
  return {
    accept: (feed, slice) =>
      writeFileSync(join(dataFolder(folder), encodeURIComponent(`${feed} ${slice}`)), ''),
    isAccepted: (feed, slice) => existsSync(path(feed, slice)),
    use: (feed, slice) => rmSync(path(feed, slice), { force: true }),
    list: () => (existsSync(folder) ? readdirSync(folder).map(decodeURIComponent) : []),
  };
}
