import { hour_ms } from '../../hail/time.ts';

/**
 * Hours east of UTC of the labels without a number, as the files of 1955 to 1995 use them. Labels that stand for several zones, or for
 * none that is known (`SCT`, `UNK`), are not here: a guessed offset would move hail to another hour.
 */
const bare_labels: Readonly<Record<string, number>> = {
  AST: -4,
  EST: -5,
  CST: -6,
  MST: -7,
  PST: -8,
  AKST: -9,
  HST: -10,
  SST: -11,
  ADT: -3,
  EDT: -4,
  CDT: -5,
  MDT: -6,
  PDT: -7,
  AKDT: -8,
};

/** `CST-6`, `AKST-9`. Without a sign a number could mean either side of UTC; only Guam's `GST10` is known, and lies east. */
const numbered_label = /^(?:[A-Z]{2,5}([+-]\d{1,2})|(?:GST|CHST)(10))$/;

/**
 * Milliseconds to add to UTC for the label's clock, or null where the label has no known offset. Numbered labels mean their number
 * literally: daylight saving is never applied (Storm Events are kept in local standard time), so no zone database is asked.
 */
export function zoneOffset(label: string): number | null {
  const name = label.trim().toUpperCase();
  const numbered = numbered_label.exec(name);
  const number = numbered?.[1] ?? numbered?.[2];
  const hours = number === undefined ? bare_labels[name] : Number(number);
  return hours === undefined || Math.abs(hours) > 14 ? null : hours * hour_ms;
}
