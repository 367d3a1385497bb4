/**
 * Answers in the documented shape of Pelias' `/v1/search`, written by hand. NOT REAL: no instance has given them, the places and ids are
 * made up.
 */
export interface PeliasProperties {
  layer: string;
  match_type: string;
  accuracy: string;
  confidence: number;
  housenumber: string;
  street: string;
  postalcode: string;
  locality: string;
  localadmin: string;
  region: string;
  region_a: string;
  country_a: string;
  dependency_a: string;
  label: string;
}

/** A house found at its point, with the properties that a case is about. Longitude comes first, as GeoJSON has it. */
export function peliasFeature(
  change: Partial<PeliasProperties> = {},
  [lon, lat]: readonly [lon: number, lat: number] = [-98.495142, 29.424351],
): unknown {
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [lon, lat] },
    properties: {
      id: 'us/tx/not-real:1',
      gid: 'openaddresses:address:us/tx/not-real:1',
      layer: 'address',
      source: 'openaddresses',
      source_id: 'us/tx/not-real:1',
      name: '100 Military Plaza',
      housenumber: '100',
      street: 'Military Plaza',
      postalcode: '78205',
      confidence: 1,
      match_type: 'exact',
      accuracy: 'point',
      country: 'United States',
      country_gid: 'whosonfirst:country:85633793',
      country_a: 'USA',
      region: 'Texas',
      region_a: 'TX',
      county: 'Bexar County',
      locality: 'San Antonio',
      label: '100 Military Plaza, San Antonio, TX, USA',
      ...change,
    },
  };
}

export function peliasAnswer(features: readonly unknown[], geocoding: Record<string, unknown> = {}): string {
  return JSON.stringify({
    geocoding: {
      version: '0.2',
      attribution: 'NOT REAL',
      query: {},
      engine: { name: 'Pelias' },
      ...geocoding,
    },
    type: 'FeatureCollection',
    features,
  });
}
