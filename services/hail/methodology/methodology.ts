import { publishers, type CitingPublisher, type Publisher } from '../publisher.ts';
import type { Methodology, ScoredMethodology } from './form.ts';
import { scoreModel } from './score-model.ts';
import v1 from './v1.json' with { type: 'json' };
import v2 from './v2.json' with { type: 'json' };

/** The methodology that answers are made by. */
export const methodology: ScoredMethodology = v2;

/** Every version, oldest first; an older one goes on being what it was. */
export const methodologies: readonly Methodology[] = [v1, v2];

/** The numbers that scores are made by. */
export const currentScoreModel = scoreModel(methodology);

/** The order of the contract (2.4, 2.10), which is not the order in which publishers lead an event. */
export const citedPerEvent: readonly CitingPublisher[] = ['NOAA_SED', 'NEXRAD_SWDI', 'MRMS_MESH', 'COCORAHS'];

export const referencedInMethodology: readonly Publisher[] = publishers;
