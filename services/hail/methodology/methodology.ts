import { publishers, type CitingPublisher, type Publisher } from '../publisher.ts';
import v1 from './v1.json' with { type: 'json' };

export interface Methodology {
  /** Opaque to clients; a new file for each version, and a released file never changes. */
  version: string;
  /** `YYYY-MM-DD`. */
  last_updated: string;
  changelog: readonly { version: string; published: string; summary: string }[];
  /** What the methodology says, in paragraphs. */
  summary: readonly string[];
  notes: Readonly<Record<string, string>>;
}

/** The methodology that answers are made by. */
export const methodology: Methodology = v1;

/** The order of the contract (2.4, 2.10), which is not the order in which publishers lead an event. */
export const citedPerEvent: readonly CitingPublisher[] = ['NOAA_SED', 'NEXRAD_SWDI', 'MRMS_MESH', 'COCORAHS'];

export const referencedInMethodology: readonly Publisher[] = publishers;
