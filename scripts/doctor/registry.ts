import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { topics } from '../../services/log/topics.ts';
import type { Around } from './around.ts';
import type { Check } from './examine.ts';
import { broken, notChecked, ok, warning, type Outcome } from './finding.ts';

const schemas = join(import.meta.dirname, '../../schemas/avro');
const content_type = 'application/vnd.schemaregistry.v1+json';
const level = 'FULL_TRANSITIVE';

interface Answer {
  status: number;
  /** Null where the answer is no JSON object or list: then it is not a registry's. */
  body: Record<string, unknown> | null;
}

/** Asks the registry; null where nothing answers. A lookup is a POST and changes nothing. */
async function ask(
  { config }: Around,
  path: string,
  signal: AbortSignal,
  body?: object,
): Promise<Answer | null> {
  try {
    const response = await fetch(`${config.SCHEMA_REGISTRY_URL.replace(/\/+$/, '')}${path}`, {
      signal,
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'Content-Type': content_type }, body: JSON.stringify(body) }),
    });
    const parsed: unknown = await response.json().catch(() => null);
    const is_object = typeof parsed === 'object' && parsed !== null;
    return { status: response.status, body: is_object ? (parsed as Record<string, unknown>) : null };
  } catch {
    return null;
  }
}

const away = broken(
  'The schema registry does not answer, or not as a schema registry does: nothing new can be published or decoded.',
  'Start it (npm start runs one on one machine), or set SCHEMA_REGISTRY_URL to where it is.',
);

const registry: Check = {
  name: 'registry',
  look: async (around, signal) => {
    const answer = await ask(around, '/subjects', signal);
    if (answer?.status !== 200 || !Array.isArray(answer.body)) return away;
    return ok(`The schema registry answers; it has ${answer.body.length} subjects.`);
  },
  if_late: () => away,
};

const registered: Check = {
  name: 'schemas',
  look: async (around, signal) => {
    const states = await Promise.all(Object.values(topics).map(({ name }) => stateOf(around, name, signal)));
    const away_at = states.find(({ state }) => state === 'not-checked');
    if (away_at !== undefined) return away_at;
    const worst =
      states.find(({ state }) => state === 'broken') ?? states.find(({ state }) => state !== 'ok');
    if (worst === undefined) return ok(`The schemas of all ${states.length} topics are registered.`);
    const odd = states.filter(({ state, remedy }) => state === worst.state && remedy === worst.remedy);
    return { ...worst, says: odd.map(({ says }) => says).join(' ') };
  },
};

/** How the registry has the committed schema of a topic. */
async function stateOf(around: Around, topic: string, signal: AbortSignal): Promise<Outcome> {
  const subject = `${topic}-value`;
  const schema = readFileSync(join(schemas, `${topic}.avsc`), 'utf8');
  const path = `/subjects/${encodeURIComponent(subject)}`;
  const known = await ask(around, path, signal, { schema });
  if (known?.body === null || known === null)
    return notChecked('The schema registry is away: see `registry`.');
  if (known.status === 200) return levelOf(around, subject, signal);
  const compatible = await ask(around, `/compatibility${path}/versions`, signal, { schema });
  if (compatible?.status === 200 && compatible.body?.['is_compatible'] === false) {
    return broken(
      `${subject} has versions that the committed schema is incompatible with.`,
      'Is SCHEMA_REGISTRY_URL the registry of this service? If it is, put schemas/avro back as released: npm run check:schemas',
    );
  }
  return warning(
    `${subject} is not registered yet.`,
    'The feeds and the projector register all schemas when they start: start them (npm start).',
  );
}

/** A registered schema that is not guarded lets the next incompatible one in. */
async function levelOf(around: Around, subject: string, signal: AbortSignal): Promise<Outcome> {
  const own = await ask(around, `/config/${encodeURIComponent(subject)}`, signal);
  const answer = own?.status === 200 ? own : await ask(around, '/config', signal);
  const found = answer?.body?.['compatibilityLevel'];
  if (found === level) return ok(subject);
  return broken(
    `${subject} is held to ${typeof found === 'string' ? found : 'nothing'} instead of ${level}.`,
    `curl -X PUT -H 'Content-Type: ${content_type}' -d '{"compatibility":"${level}"}' $SCHEMA_REGISTRY_URL/config/${subject}`,
  );
}

export const registryChecks: readonly Check[] = [registry, registered];
