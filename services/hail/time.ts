export const minute_ms = 60_000;
export const hour_ms = 3_600_000;
export const day_ms = 86_400_000;

/**
 * The day of hail science: from 12:00:00Z to 12Z, numbered by its start, so that an evening's storms and the night that follows are one
 * day in every US time zone. Input epoch milliseconds, output days since 1970-01-01T12:00Z.
 */
export function convectiveDay(began_ms: number): number {
  return Math.floor((began_ms - 12 * hour_ms) / day_ms);
}

const calendar_day = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Midnight UTC of a real calendar day written `YYYY-MM-DD`, as epoch milliseconds; null for anything else (2023-02-29 is no day). */
export function parseDay(text: string): number | null {
  const parts = calendar_day.exec(text);
  if (parts === null) return null;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  return at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
    ? at.getTime()
    : null;
}

/** `YYYY-MM-DD` of an instant, UTC. */
export function formatDay(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, 10);
}

/** ISO 8601 UTC with milliseconds, the contract's timestamp. */
export function formatInstant(at_ms: number): string {
  return new Date(at_ms).toISOString();
}

/** ISO 8601 UTC to the second, the form of times inside record ids. */
export function formatSecond(at_ms: number): string {
  return `${new Date(at_ms).toISOString().slice(0, 19)}Z`;
}

/** The same instant `years` calendar years earlier, UTC; 29 February becomes the 28th where the year has none. */
export function yearsBefore(at_ms: number, years: number): number {
  const at = new Date(at_ms);
  const month = at.getUTCMonth();
  at.setUTCFullYear(at.getUTCFullYear() - years);
  if (at.getUTCMonth() !== month) at.setUTCDate(0);
  return at.getTime();
}
