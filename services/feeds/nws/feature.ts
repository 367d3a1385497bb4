import { z } from 'zod';
import type { AlertPolygon } from '../../hail/alert.ts';
import { latToMicro, lonToMicro, microToDegrees } from '../../hail/geo/place.ts';
import { most_characters, polygonsProblem } from '../../hail/validate-alert.ts';
import { parseLocalTime } from './local-time.ts';

/** A feature that concerns hail and cannot be read; costs itself only. The message names what is wrong, never its values. */
export class UnreadableAlert extends Error {}

/** Half of a character would come back from the log as another text, and so be news at every poll. */
const text = z
  .string()
  .max(most_characters)
  .refine((value) => value.isWellFormed());
/** Part of keys. */
const identifier = text.regex(/^[!-~]+$/);
const instant = z.string().transform((value, context) => {
  const at = parseLocalTime(value);
  if (at !== null) return at;
  context.addIssue({ code: 'custom', message: 'is no time with an offset' });
  return z.NEVER;
});
/** Parameters are lists of texts, whatever they hold; a single text is taken as a list of one. */
const texts = z.union([z.array(text), text.transform((one) => [one])]);

const parameters = z.object({
  VTEC: texts.optional(),
  WMOidentifier: texts.optional(),
  maxHailSize: texts.optional(),
  hailThreat: texts.optional(),
  thunderstormDamageThreat: texts.optional(),
  expiredReferences: texts.optional(),
});

const properties = z.object({
  id: identifier,
  messageType: z.enum(['Alert', 'Update', 'Cancel']),
  event: text.min(1),
  sent: instant,
  effective: instant.nullish(),
  onset: instant.nullish(),
  expires: instant.nullish(),
  ends: instant.nullish(),
  areaDesc: text.nullish(),
  references: z.array(z.object({ identifier, sent: instant })).nullish(),
  eventCode: z.object({ NationalWeatherService: texts.optional() }).nullish(),
  replacedBy: text.nullish(),
  parameters,
});

export type AlertProperties = z.infer<typeof properties>;

/** The properties of a feature that concerns hail. Throws `UnreadableAlert`. */
export function readProperties(value: unknown): AlertProperties {
  const result = properties.safeParse(value);
  if (result.success) return result.data;
  const paths = result.error.issues.map(({ path }) => path.join('.'));
  throw new UnreadableAlert(`cannot be read at ${[...new Set(paths)].join(', ')}`);
}

const corner = z.tuple([z.number(), z.number()]).rest(z.number());
const polygon = z.array(z.array(corner));
const geometry = z.union([
  z
    .object({ type: z.literal('Polygon'), coordinates: polygon })
    .transform(({ coordinates }) => [coordinates]),
  z
    .object({ type: z.literal('MultiPolygon'), coordinates: z.array(polygon) })
    .transform((it) => it.coordinates),
]);

/**
 * The warned area in whole micro-degrees: coordinates may carry the noise of floating point, and a warning whose noise differed from answer
 * to answer would be published again each time. Without a geometry (alerts for whole zones) there are no polygons. Throws `UnreadableAlert`.
 */
export function readPolygons(value: unknown): AlertPolygon[] {
  if (value === null || value === undefined) return [];
  const result = geometry.safeParse(value);
  if (!result.success) throw new UnreadableAlert('has a geometry of another kind');
  const problem = polygonsProblem(result.data.map((rings) => rings.map((ring) => ring.map(exactly))));
  if (problem !== null) throw new UnreadableAlert(problem);
  return result.data.map((rings) => rings.map((ring) => ring.map(rounded)));
}

type Position = z.infer<typeof corner>;

function exactly([lon, lat]: Position): { lon: number; lat: number } {
  return { lon, lat };
}

function rounded([lon, lat]: Position): { lon: number; lat: number } {
  return { lon: microToDegrees(lonToMicro(lon)), lat: microToDegrees(latToMicro(lat)) };
}
