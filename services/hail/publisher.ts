/**
 * The six publishers of the contract (2.1), in the order of its catalogue. The names appear in answers, facts and tables as they are.
 */
export const publishers = [
  'NOAA_SED',
  'NEXRAD_SWDI',
  'MRMS_MESH',
  'NWS_ALERT',
  'SPC_LSR',
  'COCORAHS',
] as const;

export type Publisher = (typeof publishers)[number];

/** The name of each publisher's feed, as health and the facts of its polls have it. */
export const feedOf = {
  NOAA_SED: 'storm_events',
  NEXRAD_SWDI: 'radar_hail',
  MRMS_MESH: 'mrms_mesh',
  NWS_ALERT: 'nws_alerts',
  SPC_LSR: 'local_storm_reports',
  COCORAHS: 'cocorahs_hail',
} as const satisfies Record<Publisher, string>;

export const feedNames: readonly string[] = Object.values(feedOf);

/**
 * The four publishers an event may cite, in the order in which they lead an event where size and distance are equal: people at the place
 * before radars, the mosaic of all radars before one of them (decisions, "Events").
 */
export const citingPublishers = ['NOAA_SED', 'COCORAHS', 'MRMS_MESH', 'NEXRAD_SWDI'] as const;

export type CitingPublisher = (typeof citingPublishers)[number];

export function isPublisher(name: string): name is Publisher {
  return (publishers as readonly string[]).includes(name);
}

export function isCitingPublisher(name: string): name is CitingPublisher {
  return (citingPublishers as readonly string[]).includes(name);
}
