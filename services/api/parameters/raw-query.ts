/** A query string as it was sent: each pair in its order, undecodable ones told apart. */
export interface RawPair {
  /** Decoded; where it cannot be, as it was sent. */
  name: string;
  /** Decoded; null where it is no valid URL encoding of UTF-8. */
  value: string | null;
  /** True where the name itself cannot be decoded. */
  name_is_malformed: boolean;
}

/**
 * Reads the query strictly. The frameworks' own readers repair what is malformed, and a repaired address is another address. A `+` is a
 * space, as forms send it.
 */
export function readRawQuery(url: string): RawPair[] {
  const at = url.indexOf('?');
  if (at < 0) return [];
  return url
    .slice(at + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name_text = equals < 0 ? pair : pair.slice(0, equals);
      const name = decode(name_text);
      return {
        name: name ?? name_text,
        value: decode(equals < 0 ? '' : pair.slice(equals + 1)),
        name_is_malformed: name === null,
      };
    });
}

/** Percent-decoding of UTF-8; null where the text is not that. */
export function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
