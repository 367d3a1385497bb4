import type { FuzzTarget } from './target.ts';
import { hailReports } from './targets/cocorahs.ts';
import { granuleListing, granules } from './targets/mrms.ts';
import { stormEventDetails, stormEventListing } from './targets/noaa_sed.ts';
import { weatherAlerts } from './targets/nws.ts';
import { stormReportFiles } from './targets/spc.ts';
import { radarCatalogue, radarSignatures } from './targets/swdi.ts';

/** Every parser of what publishers send. */
export const targets: readonly FuzzTarget[] = [
  stormEventDetails,
  stormEventListing,
  radarSignatures,
  radarCatalogue,
  granules,
  granuleListing,
  weatherAlerts,
  stormReportFiles,
  hailReports,
];
