/** Why a granule is refused, stable: each fault has a word of its own, so that a feed's failures can be counted by cause. */
export const refusals = [
  // The object around the message.
  'bad-gzip',
  'too-large',
  // The message and its sections.
  'not-grib',
  'edition',
  'length',
  'sections',
  'no-end-marker',
  'reference-time',
  'grid-template',
  'grid',
  'scan-mode',
  'product-template',
  'packing-template',
  'packing-scale',
  'packing-bits',
  'bit-map',
  // The picture that holds the cells.
  'png-signature',
  'png-chunks',
  'png-checksum',
  'png-size',
  'png-interlace',
  'png-method',
  'png-depth',
  'inflate',
  'inflated-length',
  'row-filter',
  // What the message says, held against what was asked for.
  'unknown-product',
  'other-product',
  'other-time',
  'value',
  // The decoder's own limits.
  'too-many-cells',
  'deadline',
  'decoder-ended',
] as const;

export type GranuleRefusal = (typeof refusals)[number];

/** A granule that must not be read: nothing of it may be published, for a grid that is wrong in part cannot be told from a right one. */
export class GranuleRefused extends Error {
  readonly reason: GranuleRefusal;

  constructor(reason: GranuleRefusal, detail: string, options?: { cause?: unknown }) {
    super(detail, options);
    this.name = 'GranuleRefused';
    this.reason = reason;
  }
}
