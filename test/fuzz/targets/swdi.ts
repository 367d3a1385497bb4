import { parseCatalogue } from '../../../services/feeds/swdi/catalogue.ts';
import { signaturesOf } from '../../../services/feeds/swdi/ask.ts';
import { parseBox } from '../../../services/feeds/swdi/slices.ts';
import { inventoryAnswer } from '../../support/publisher-stub.ts';
import { recordedInventory, sanAntonioRows } from '../../support/recorded.ts';
import { judged, provenance } from '../judge.ts';
import type { FuzzTarget } from '../target.ts';

const box = parseBox('-125,24,-66.5,50');
const days = { from: Date.UTC(2011, 4, 1), until: Date.UTC(2026, 8, 1) };

/** Answers of the radar inventory, with rows and without. */
export const radarSignatures: FuzzTarget = {
  name: 'swdi',
  seeds: () => {
    const some = sanAntonioRows().slice(0, 8);
    const no_cell = some.map((row) => row.replace(/,[A-Z]\d,/, ',,'));
    return [
      recordedInventory('ncei_swdiws_nx3hail_point_20110524.csv'),
      Buffer.from(inventoryAnswer(some, '20260827', '20260830')),
      Buffer.from(inventoryAnswer(no_cell, '20260827', '20260830')),
      Buffer.from(inventoryAnswer([], '20260827', '20260830')),
    ];
  },
  mend: (text) => {
    const at = text.lastIndexOf('summary');
    const lines = (at < 0 ? text : text.slice(0, at)).split('\n').filter((line) => line.trim() !== '');
    return [...lines, 'summary', `count,${Math.max(0, lines.length - 1)}`, 'totalTimeInSeconds,0.0', ''].join(
      '\n',
    );
  },
  run: (bytes) => {
    const reading = judged([...signaturesOf(bytes, days, box, provenance)]);
    const lines = bytes.reduce((sum, byte) => sum + Number(byte === 0x0a), 1);
    if (reading.records > lines) reading.problems.push(`${reading.records} rows of ${lines} lines`);
    return reading;
  },
};

/** The list of datasets. */
export const radarCatalogue: FuzzTarget = {
  name: 'swdi-catalogue',
  seeds: () => [recordedInventory('ncei_swdiws_datasets.xml')],
  run: (bytes) => {
    const { begins_ms, ends_ms } = parseCatalogue(bytes.toString('utf8'), 'nx3hail');
    const [first, last] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T00:00:00Z')];
    const is_period = begins_ms >= first && ends_ms <= last && begins_ms <= ends_ms;
    return { records: 1, problems: is_period ? [] : [`no period: ${begins_ms} to ${ends_ms}`] };
  },
};
