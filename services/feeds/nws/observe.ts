import { eventKey, statementKey, type AlertFact } from '../../hail/alert.ts';
import type { Provenance } from '../../hail/observation.ts';
import { formatInstant } from '../../hail/time.ts';
import { alertProblem } from '../../hail/validate-alert.ts';
import { readPolygons, readProperties, UnreadableAlert, type AlertProperties } from './feature.ts';
import { parseHailTag } from './hail-tag.ts';
import { parseLocalTime } from './local-time.ts';
import { parseVtec, type Vtec } from './vtec.ts';

interface Reference {
  identifier: string;
  sent: number;
}

/**
 * One feature as facts: one for each event that its VTEC names, nearly always one; one for a statement without VTEC; none where the VTEC is a
 * test's. Throws `UnreadableAlert` where it cannot be read whole: half a warning would be another warning.
 */
export function observeAlert(
  feature: { properties?: unknown; geometry?: unknown },
  provenance: Provenance,
): AlertFact[] {
  const properties = readProperties(feature.properties);
  const polygons = readPolygons(feature.geometry);
  const chain = chainOf(properties);
  const { messageType: message_type, parameters } = properties;
  const [hail_tag = null] = parameters.maxHailSize ?? [];
  const said = {
    event: properties.event,
    message_type,
    message_id: properties.id,
    sent_at: properties.sent,
    effective_at: properties.effective ?? null,
    onset_at: properties.onset ?? null,
    expires_at: properties.expires ?? null,
    ends_at: properties.ends ?? null,
    ...(hail_tag === null ? { max_hail_in: null, hail_qualifier: null } : parseHailTag(hail_tag)),
    hail_tag,
    hail_threat: parameters.hailThreat?.[0] ?? null,
    damage_threat: parameters.thunderstormDamageThreat?.[0] ?? null,
    area_desc: properties.areaDesc ?? null,
    polygons,
    // The publisher names it by its address, whose last part is the message's id.
    replaced_by: properties.replacedBy?.split('/').at(-1) ?? null,
    provenance: { ...provenance, publisher_version: formatInstant(properties.sent) },
  };
  const events = eventsOf(properties);
  const facts: AlertFact[] =
    events === null
      ? [
          {
            ...said,
            ...statementOf(properties, chain),
            state: message_type === 'Cancel' ? 'cancelled' : 'active',
          },
        ]
      : events.map((vtec) => ({ ...said, ...identityOf(vtec, chain), state: stateOf(vtec, message_type) }));
  for (const fact of facts) {
    const problem = alertProblem(fact, fact.alert_key);
    if (problem !== null) throw new UnreadableAlert(problem);
  }
  return facts;
}

/** The events of a feature but for tests; null for a statement without VTEC. */
function eventsOf({ parameters }: AlertProperties): Vtec[] | null {
  if (parameters.VTEC === undefined || parameters.VTEC.length === 0) return null;
  const events = parameters.VTEC.map((text) => {
    const vtec = parseVtec(text);
    if (vtec === null) throw new UnreadableAlert('has a VTEC of another form');
    return vtec;
  });
  return events.filter(({ product_class }) => product_class !== 'T');
}

type Identity = Pick<
  AlertFact,
  'alert_key' | 'office' | 'phenomenon' | 'significance' | 'etn' | 'year' | 'vtec_action'
>;

/**
 * The year is the one in which the event began, because event numbers begin anew every year and a warning of New Year's Eve keeps its number
 * past midnight. The start in the VTEC tells it only at first (CON, CAN and EXP write zeros there), so it is the UTC year of the event's
 * first message, which every later one refers to, or of a start before that. Should a message of the new year have lost its references, it is
 * counted to the new year: nothing in it says otherwise.
 */
function identityOf(vtec: Vtec, chain: readonly Reference[]): Identity {
  const { office, phenomenon, significance, etn, action, begins_at } = vtec;
  const began_at = Math.min(firstOf(chain).sent, begins_at ?? Infinity);
  const parts = { office, phenomenon, significance, etn, year: new Date(began_at).getUTCFullYear() };
  return { alert_key: eventKey(parts), ...parts, vtec_action: action };
}

/** A statement is known by its office, from the heading of the bulletin, its product and the first message of its chain. */
function statementOf({ parameters, eventCode }: AlertProperties, chain: readonly Reference[]): Identity {
  const [, office] = /^\w{6} ([A-Z]{4}) \d{6}/.exec(parameters.WMOidentifier?.[0] ?? '') ?? [];
  const [, product] = /^([A-Z0-9]{3})$/.exec(eventCode?.NationalWeatherService?.[0] ?? '') ?? [];
  if (office === undefined || product === undefined)
    throw new UnreadableAlert('names no office or no product');
  const first = firstOf(chain);
  return {
    alert_key: statementKey(office, product, first.identifier),
    office,
    ...{ phenomenon: null, significance: null, etn: null, vtec_action: null },
    year: new Date(first.sent).getUTCFullYear(),
  };
}

/**
 * A message that ends its event says so in the VTEC's action (an upgraded event ends too, another takes over) or in its type; the event's
 * name does not change with it.
 */
function stateOf({ action }: Vtec, message_type: AlertFact['message_type']): AlertFact['state'] {
  if (action === 'EXP') return 'expired';
  return action === 'CAN' || action === 'UPG' || message_type === 'Cancel' ? 'cancelled' : 'active';
}

/** The message itself and all that it refers to. References that have expired stand apart, as `sender,identifier,sent` with blanks between. */
function chainOf({ id, sent, references, parameters }: AlertProperties): Reference[] {
  const expired = (parameters.expiredReferences ?? [])
    .flatMap((list) => list.split(/\s+/))
    .filter((entry) => entry !== '')
    .map((entry): Reference => {
      const [, identifier = '', at = ''] = entry.split(',');
      const expired_sent = parseLocalTime(at);
      if (identifier === '' || expired_sent === null)
        throw new UnreadableAlert('has a reference of another form');
      return { identifier, sent: expired_sent };
    });
  return [{ identifier: id, sent }, ...(references ?? []), ...expired];
}

function firstOf(chain: readonly Reference[]): Reference {
  return chain.reduce((first, each) =>
    each.sent < first.sent || (each.sent === first.sent && each.identifier < first.identifier) ? each : first,
  );
}
