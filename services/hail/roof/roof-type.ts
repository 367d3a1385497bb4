/** The nine roof types of the contract (4.2), in its order. */
export const roofTypes = [
  'asphalt_shingle',
  'metal_standing_seam',
  'metal_corrugated',
  'tile_concrete',
  'tile_clay',
  'slate',
  'flat_tpo',
  'flat_epdm',
  'wood_shake',
] as const;

export type RoofType = (typeof roofTypes)[number];

export function isRoofType(name: string): name is RoofType {
  return (roofTypes as readonly string[]).includes(name);
}
