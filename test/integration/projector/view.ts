import { liveText, type truthOf } from '../../unit/projector/history.ts';
import type { TableDump } from '../../support/store-tables.ts';

interface LiveRow {
  publisher: string;
  record_key: string;
  occurred_at: string;
  lat: number;
  lon: number;
  size_in: number;
  revision: number;
}

interface AsideRow {
  publisher: string;
  record_key: string;
  reason: string;
  revision: number;
}

/** The dumped tables in the words of `truthOf`. */
export function viewOf(dump: TableDump): ReturnType<typeof truthOf> {
  const live = dump.observations.map((line) => {
    const row = JSON.parse(line) as LiveRow;
    const began_at = Date.parse(`${row.occurred_at.replace(' ', 'T')}Z`);
    return liveText({ ...row, began_at }, row.revision);
  });
  const set_aside = dump.set_aside.map((line) => {
    const row = JSON.parse(line) as AsideRow;
    return [`${row.publisher}/${row.record_key}`, row.reason, row.revision].join(' ');
  });
  return { live: live.sort(), set_aside: set_aside.sort() };
}
