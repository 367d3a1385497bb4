import type { Publisher } from '../hail/publisher.ts';

/** The feeds by the names that people know, for answers that name no publisher. */
export const publisherNames: Readonly<Record<Publisher, string>> = {
  NOAA_SED: 'NOAA Storm Events Database',
  NEXRAD_SWDI: 'NEXRAD hail signatures (NOAA Severe Weather Data Inventory)',
  MRMS_MESH: 'MRMS maximum estimated size of hail (NOAA)',
  NWS_ALERT: 'National Weather Service active alerts',
  SPC_LSR: 'National Weather Service local storm reports (Storm Prediction Center)',
  COCORAHS: 'CoCoRaHS hail reports',
};
