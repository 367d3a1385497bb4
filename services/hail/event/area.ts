import { groupObservations } from './group.ts';
import { byLargestOfRecord } from './lead.ts';
import type { SightedObservation } from './sighted.ts';

/**
 * The hail areas among grid cells that passed the filters, each under the cell that speaks for it: it is where the area stands, for its
 * numbers and for linking. Of one granule, cells at most five miles from one another in a chain are one area; they share their span, so
 * the link rule says just that. Two granules never share an area. Point records must not be given.
 */
export function areasOf(cells: readonly SightedObservation[]): Map<SightedObservation, SightedObservation[]> {
  const granules = new Map<string, SightedObservation[]>();
  for (const cell of cells) {
    const granule = granules.get(cell.record_key);
    if (granule === undefined) granules.set(cell.record_key, [cell]);
    else granule.push(cell);
  }
  const areas = new Map<SightedObservation, SightedObservation[]>();
  for (const granule of granules.values()) {
    for (const area of groupObservations(granule)) {
      const speaker = area.reduce((best, cell) => (byLargestOfRecord(cell, best) < 0 ? cell : best));
      areas.set(speaker, area);
    }
  }
  return areas;
}
