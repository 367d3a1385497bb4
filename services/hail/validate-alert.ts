import { eventKey, type AlertFact, type AlertPolygon } from './alert.ts';
import { isPlace } from './geo/place.ts';
import { max_size_in } from './size.ts';
import { isInstant } from './validate-observation.ts';

const states: readonly string[] = ['active', 'cancelled', 'expired'] satisfies AlertFact['state'][];
const message_types: readonly string[] = ['Alert', 'Update', 'Cancel'] satisfies AlertFact['message_type'][];

/**
 * Far beyond what a warning has (a handful of polygons, a few dozen corners) and far below what a message of one mebibyte can hold, so that
 * a valid fact always fits.
 */
export const most_polygons = 500;
export const most_corners = 20_000;
export const most_characters = 10_000;

/** What makes a decoded alert no valid fact, in a few words without its values; null where nothing does. */
export function alertProblem(fact: AlertFact, key: string): string | null {
  if (key !== fact.alert_key) return 'the message key is not the alert key';
  if (!/^[A-Z]{4}$/.test(fact.office)) return 'the office is none';
  if (!Number.isInteger(fact.year) || fact.year < 1900 || fact.year > 2299) return 'the year is none';
  const identity = identityProblem(fact);
  if (identity !== null) return identity;
  if (fact.event === '' || fact.message_id === '') return 'the message has no event or no id';
  if (!states.includes(fact.state)) return 'the state is unknown';
  if (!message_types.includes(fact.message_type)) return 'the type of message is unknown';
  const { sent_at, effective_at, onset_at, expires_at, ends_at, provenance } = fact;
  const times = [sent_at, effective_at, onset_at, expires_at, ends_at, provenance.retrieved_at];
  if (!times.every(isInstant)) return 'a time lies outside 1900 to 2299';
  if (fact.max_hail_in !== null && !(fact.max_hail_in > 0 && fact.max_hail_in <= max_size_in))
    return 'the size is no size of hail';
  if (fact.max_hail_in !== null && fact.hail_tag === null) return 'a size stands without its tag';
  if (textsOf(fact).some((text) => text !== null && text.length > most_characters))
    return 'a text is too long';
  if (!/^[0-9a-f]{64}$/.test(provenance.document_sha256)) return 'the document hash is no SHA-256';
  return polygonsProblem(fact.polygons);
}

/** What keeps polygons from being a warned area. */
export function polygonsProblem(polygons: readonly AlertPolygon[]): string | null {
  if (polygons.length > most_polygons) return 'there are too many polygons';
  let corners = 0;
  for (const rings of polygons) {
    if (rings.length === 0) return 'a polygon has no outline';
    for (const ring of rings) {
      corners += ring.length;
      if (corners > most_corners) return 'there are too many corners';
      if (ring.some(({ lat, lon }) => !isPlace(lat, lon))) return 'a corner is off the globe';
      const [first, last] = [ring[0], ring.at(-1)];
      if (first === undefined || last === undefined || ring.length < 4) return 'a ring encloses nothing';
      if (first.lat !== last.lat || first.lon !== last.lon) return 'a ring is not closed';
    }
  }
  return null;
}

/** A key that does not follow from its parts would give one event two identities. */
function identityProblem(fact: AlertFact): string | null {
  const { alert_key, office, phenomenon, significance, etn, year, vtec_action } = fact;
  if (phenomenon === null || significance === null || etn === null) {
    const has_none = phenomenon === null && significance === null && etn === null && vtec_action === null;
    if (!has_none) return 'the event is named in part';
    return /^[A-Z]{4}\/[A-Z0-9]{3}\/\S+$/.test(alert_key) && alert_key.startsWith(`${office}/`)
      ? null
      : 'the alert key is none';
  }
  if (!/^[A-Z]{2}$/.test(phenomenon) || !/^[A-Z]$/.test(significance)) return 'the phenomenon is none';
  if (!Number.isInteger(etn) || etn < 0 || etn > 9_999) return 'the event number is none';
  if (vtec_action === null || !/^[A-Z]{3}$/.test(vtec_action)) return 'the action is none';
  return alert_key === eventKey({ office, phenomenon, significance, etn, year })
    ? null
    : 'the alert key is not that of its event';
}

function textsOf(fact: AlertFact): (string | null)[] {
  const { alert_key, event, message_id, hail_qualifier, hail_tag, hail_threat } = fact;
  return [
    ...[alert_key, event, message_id, hail_qualifier, hail_tag, hail_threat],
    ...[fact.damage_threat, fact.area_desc, fact.replaced_by],
  ];
}
