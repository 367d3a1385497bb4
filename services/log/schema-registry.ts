import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import avro from 'avsc';
import { HailmarkError } from '../runtime/errors.ts';

const default_timeout_ms = 5_000;
const bad_gateway = 502;

export interface RegistryClient {
  /** Registers a topic's schema under FULL_TRANSITIVE and returns its id. */
  register: (topic: string, schema: string) => Promise<number>;
  /** The type that wrote messages of this id; `unknown` where the registry has none, `not-avro` where it is none that can be read here. */
  writer: (id: number) => Promise<avro.Type | 'unknown' | 'not-avro'>;
}

/**
 * The registry's client with its failures told apart: a schema that is refused is the operator's, an id that is not known is the message's,
 * and everything else is the registry being away, `HAIL_REGISTRY_UNAVAILABLE`. They are told by status and Confluent's error code, never by
 * text: a proxy's own 404 or an HTML page under 200 is no answer of a registry.
 */
export function createRegistryClient(registry_url: string, timeout_ms = default_timeout_ms): RegistryClient {
  const registry = new SchemaRegistry({
    host: registry_url,
    retry: { retries: 2 },
    middlewares: [registryAnswers(timeout_ms)],
  });
  return {
    register: async (topic, schema) => {
      const subject = `${topic}-value`;
      try {
        const { id } = await registry.register(
          { type: SchemaType.AVRO, schema },
          { subject, compatibility: COMPATIBILITY.FULL_TRANSITIVE },
        );
        return id;
      } catch (error) {
        throw refusal(error, subject);
      }
    },
    writer: async (id) => {
      try {
        const type: unknown = await registry.getSchema(id);
        return avro.Type.isType(type) ? (type as avro.Type) : 'not-avro';
      } catch (error) {
        const status = statusOf(error);
        // Without a status it is the client's judgement of the schema itself.
        if (status === null) return 'not-avro';
        const url = `${registry_url}/schemas/ids/${id}`;
        const is_unknown = status === 404 && (await isRegistryAnswer(url, timeout_ms).catch(() => false));
        if (!is_unknown) throw unavailable(error);
        return 'unknown';
      } finally {
        // The client keeps whatever it has fetched, without bound; the codec has a cache of its own.
        registry.cache.clear();
      }
    },
  };
}

type Middleware = NonNullable<ConstructorParameters<typeof SchemaRegistry>[0]['middlewares']>[number];

/** Bounds every request in time, and makes a failure of what is no JSON: the client would take a page for a schema it cannot read. */
const registryAnswers =
  (timeout_ms: number): Middleware =>
  () => ({
    prepareRequest: async (next) => (await next()).enhance({ timeout: timeout_ms }),
    response: async (next) => {
      const response = await next();
      if (typeof response.data() === 'object') return response;
      throw Object.assign(new Error('the answer is not JSON'), { status: bad_gateway });
    },
  });

/** True when a 404 is the registry's own. The client keeps an answer's status only, and a proxy in between has 404s too. */
async function isRegistryAnswer(url: string, timeout_ms: number): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeout_ms) });
  const body: unknown = await response.json();
  return response.status === 404 && typeof body === 'object' && body !== null && 'error_code' in body;
}

function refusal(error: unknown, subject: string): unknown {
  const status = statusOf(error);
  if (status === 409 || status === 422) {
    return new HailmarkError(
      'HAIL_SCHEMA_CHANGED',
      `The registry refuses the schema of ${subject} as incompatible with the versions it has: a fact's schema may only gain or lose ` +
        'fields with defaults.',
      { cause: error },
    );
  }
  if (error instanceof Error && error.name === 'ConfluentSchemaRegistryCompatibilityError') {
    return new HailmarkError(
      'HAIL_SCHEMA_CHANGED',
      `The registry does not hold ${subject} to FULL_TRANSITIVE: set that subject's compatibility to FULL_TRANSITIVE, then start again.`,
      { cause: error },
    );
  }
  return status === null ? error : unavailable(error);
}

function unavailable(cause: unknown): HailmarkError {
  return new HailmarkError(
    'HAIL_REGISTRY_UNAVAILABLE',
    'The schema registry does not answer, or not as a schema registry does.',
    { cause },
  );
}

/** The status of the client's own error for an answer or a failed connection; null for anything else. */
function statusOf(error: unknown): number | null {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : null;
}
