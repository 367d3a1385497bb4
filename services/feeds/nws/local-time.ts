const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/;

/**
 * An instant written with its own offset, `2026-07-09T00:23:00-05:00`, as epoch milliseconds UTC; null for anything else. Without an offset
 * it is no instant, and a day that no calendar has (30 February) is refused, which the platform's own parser takes for another.
 */
export function parseLocalTime(text: string): number | null {
  const parts = form.exec(text);
  if (parts === null) return null;
  const at = Date.parse(text);
  const as_utc = Date.parse(`${parts[1] ?? ''}Z`);
  if (Number.isNaN(at) || Number.isNaN(as_utc)) return null;
  return new Date(as_utc).toISOString().slice(0, 19) === parts[1] ? at : null;
}
