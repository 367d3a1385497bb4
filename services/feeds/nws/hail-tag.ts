import { max_size_in } from '../../hail/size.ts';

export interface HailTag {
  /** Inches; null for `0.00`, which says that no hail is tagged, and for what cannot be read. */
  max_hail_in: number | null;
  /** What stands before the number, in lower case. */
  hail_qualifier: string | null;
}

/**
 * The text of `maxHailSize`: inches as `1.75`, `0.00`, or in words of some offices `Up to .75`. A text of another kind is no size: the tag
 * is kept as it is and its size stays unknown, because a guess would be a warning nobody gave.
 */
export function parseHailTag(text: string): HailTag {
  const parts = /^(?:(up to|less than|<)\s*)?(\d+\.?\d*|\.\d+)\s*(?:in|inch|inches|")?\.?$/i.exec(
    text.trim(),
  );
  const size_in = Number(parts?.[2]);
  if (parts === null || !(size_in > 0 && size_in <= max_size_in)) {
    return { max_hail_in: null, hail_qualifier: null };
  }
  return { max_hail_in: size_in, hail_qualifier: parts[1]?.toLowerCase() ?? null };
}
