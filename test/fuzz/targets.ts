import type { FuzzTarget } from './target.ts';
import { granuleListing, granules } from './targets/mrms.ts';
import { stormEventDetails, stormEventListing } from './targets/noaa_sed.ts';
import { alerts } from './targets/nws.ts';
import { stormReports, volunteerReports } from './targets/reports.ts';
import { radarCatalogue, radarSignatures } from './targets/swdi.ts';

/** Every parser of what publishers send. */
export const targets: readonly FuzzTarget[] = [
  stormEventDetails,
  stormEventListing,
  radarSignatures,
  radarCatalogue,
  granules,
  granuleListing,
  stormReports,
  volunteerReports,
  alerts,
];
