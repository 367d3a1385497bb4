import type { FuzzTarget } from './target.ts';
import { hailReports } from './targets/cocorahs.ts';
import { granuleListing, hailGranules, hailRows } from './targets/mrms.ts';
import { stormEventDetails, stormEventListing } from './targets/noaa_sed.ts';
import { stormReportFiles } from './targets/spc.ts';
import { weatherAlerts } from './targets/nws.ts';
import { radarCatalogue, radarSignatures } from './targets/swdi.ts';

/** Every parser of what publishers send. */
export const targets: readonly FuzzTarget[] = [
  stormEventDetails,
  stormEventListing,
  radarSignatures,
  radarCatalogue,
  weatherAlerts,
  stormReportFiles,
  hailReports,
  hailGranules,
  hailRows,
  granuleListing,
];
