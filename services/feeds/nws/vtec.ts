/**
 * What a message does to an event, as its VTEC says it: `/O.CAN.KTOP.SV.W.0347.000000T0000Z-260709T0600Z/`. Source: NWS Directive 10-1703,
 * "Valid Time Event Code".
 */
export interface Vtec {
  /** `O` operational, `T` test, `E` and `X` experimental. */
  product_class: string;
  /** `NEW`, `CON`, `EXT`, `EXA`, `EXB`, `UPG`, `CAN`, `EXP`, `COR` or `ROU`. */
  action: string;
  office: string;
  phenomenon: string;
  significance: string;
  etn: number;
  /** Epoch milliseconds UTC; null for all zeros, which says "has begun already" or "until further notice". */
  begins_at: number | null;
  ends_at: number | null;
}

const form =
  /^\/([A-Z])\.([A-Z]{3})\.([A-Z]{4})\.([A-Z]{2})\.([A-Z])\.(\d{4})\.(\d{6}T\d{4}Z)-(\d{6}T\d{4}Z)\/$/;

/** Parses one VTEC string; null where it is none. */
export function parseVtec(text: string): Vtec | null {
  const parts = form.exec(text.trim());
  if (parts === null) return null;
  const [product_class = '', action = '', office = '', phenomenon = '', significance = ''] = parts.slice(1);
  const [begins_at, ends_at] = [parseTime(parts[7] ?? ''), parseTime(parts[8] ?? '')];
  if (begins_at === undefined || ends_at === undefined) return null;
  return {
    ...{ product_class, action, office, phenomenon, significance },
    etn: Number(parts[6]),
    begins_at,
    ends_at,
  };
}

/** `260709T0523Z`; the years have two digits and the code is younger than 2000. Null for all zeros, undefined for no time. */
function parseTime(text: string): number | null | undefined {
  if (text === '000000T0000Z') return null;
  const pairs = [0, 2, 4, 7, 9].map((from) => text.slice(from, from + 2));
  const [year = '', month = '', day = '', hour = '', minute = ''] = pairs;
  const iso = `20${year}-${month}-${day}T${hour}:${minute}:00.000Z`;
  const at = Date.parse(iso);
  // The platform's parser takes 30 February for 2 March.
  return Number.isNaN(at) || new Date(at).toISOString() !== iso ? undefined : at;
}
