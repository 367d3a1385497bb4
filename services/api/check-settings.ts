import type { SettingsCheck } from '../runtime/check-config.ts';

/** What the API refuses of its settings: a geocoder that is named and has no address. */
export const apiSettings: SettingsCheck = ({ GEOCODERS, PELIAS_URL }) =>
  GEOCODERS.split(',').includes('pelias') && PELIAS_URL === undefined
    ? ['PELIAS_URL: is needed, because GEOCODERS names pelias.']
    : [];
