import type { AlertFeature } from './recorded.ts';

/** Parameters of both paths that the sandbox answers by. */
const filters = new Map<string, (feature: AlertFeature) => string>([
  ['status', ({ properties }) => properties.status],
  ['message_type', ({ properties }) => properties.messageType],
  ['event', ({ properties }) => properties.event],
  ['severity', ({ properties }) => properties.severity],
  ['certainty', ({ properties }) => properties.certainty],
  ['urgency', ({ properties }) => properties.urgency],
]);

/** Parameters that the real service knows and the sandbox does not compute: refused, not passed over. */
const not_computed = new Set(['code', 'area', 'point', 'region', 'region_type', 'zone', 'active']);

export interface ParameterProblem {
  parameter: string;
  message: string;
}

export interface AlertQuestion {
  /** Problems as the real service names them; with any, nothing is answered. */
  problems: ParameterProblem[];
  /** Known parameters that nothing here computes. */
  not_computed: string[];
  matches: (feature: AlertFeature) => boolean;
}

/** Reads the parameters but those in `others`. Values are lists separated by commas; case does not matter. */
export function readAlertQuestion(parameters: URLSearchParams, others: readonly string[]): AlertQuestion {
  const names = [...new Set(parameters.keys())].filter((name) => !others.includes(name));
  const wanted = names.flatMap((name) => {
    const property = filters.get(name);
    return property === undefined
      ? []
      : [{ property, values: new Set(parameters.getAll(name).flatMap(list)) }];
  });
  return {
    problems: names
      .filter((name) => !filters.has(name) && !not_computed.has(name))
      .map((name) => ({
        parameter: `query.${name}`,
        message: `Query parameter "${name}" is not recognized`,
      })),
    not_computed: names.filter((name) => not_computed.has(name)),
    matches: (feature) => wanted.every(({ property, values }) => values.has(property(feature).toLowerCase())),
  };
}

function list(value: string): string[] {
  return value.split(',').map((each) => each.trim().toLowerCase());
}
