import express, { type Express, type RequestHandler, type Response } from 'express';
import type { Clock } from '../runtime/clock.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { Readiness } from '../runtime/readiness.ts';
import { createDocs } from './docs/page.ts';
import { badRequest, internalError, methodNotAllowed, notFound, unauthorized } from './errors/api-error.ts';
import { errorHandler } from './errors/error-handler.ts';
import { admission } from './http/admission.ts';
import { securityHandlers } from './http/authenticate.ts';
import { createCompression } from './http/compress.ts';
import { decideConditionsHere } from './http/conditional.ts';
import { createGate } from './http/gate.ts';
import { contextOf } from './http/request-context.ts';
import { sendJson } from './http/send.ts';
import { createValidation } from './http/validation.ts';
import type { KeyDirectory } from './keys/directory.ts';
import { keyedRequests } from './limits/keyed-requests.ts';
import type { Limiter } from './limits/limiter.ts';
import { methodologyPage } from './methodology-page.ts';
import { readOpenApiDocument } from './openapi-document.ts';
import { createHealth } from './operations/health.ts';
import { createHistory } from './operations/history.ts';
import { createLookup } from './operations/lookup.ts';
import { createMethodology } from './operations/methodology.ts';
import { createScore } from './operations/score.ts';
import { createVerify } from './operations/verify.ts';
import { cleanQuery } from './parameters/clean-query.ts';
import { decode } from './parameters/raw-query.ts';
import type { ApiObserver } from './observer.ts';
import type { AskerPatience, Geocoder, HailQuestion, HailReader } from './ports.ts';
import type { Usage } from './usage/usage.ts';
import { documentRoute, operationRoutes, pageRoute, type Route } from './routes.ts';

export interface AppDeps {
  hail: HailReader;
  geocoder: Geocoder;
  keys: KeyDirectory;
  clock: Clock;
  createId: () => string;
  output: LogOutput;
  limiter: Limiter;
  usage: Pick<Usage, 'record'>;
  /** Runs on also where `clock` is held: the days of limits and the times of usage. */
  wall_clock: Clock;
  /** True once the process was asked to stop. */
  isStopping: () => boolean;
  /** What `/readyz` says, the same as the operations page of that name: each part is given a short while to answer. */
  readiness: Pick<Readiness<'keys' | 'store'>, 'look'>;
  observer?: ApiObserver;
}

export interface AppOptions {
  /** Without a slash at its end; links and the methodology's URL begin with it. */
  public_base_url: string;
  /** A request that takes longer is answered 503. */
  deadline_ms: number;
  /** Readings of the views at once, and how many requests may wait for theirs; beyond that 503. */
  concurrency: { in_flight: number; queue: number };
  /** Express' `trust proxy`. */
  trust_proxy: false | number | string[];
}

/**
 * The API as one function of a request. Every request goes the same way: admission, path and method, key, parameters, answer; and
 * whatever fails on that way ends in one error handler.
 */
export function createApp(deps: AppDeps, options: AppOptions): Express {
  const document = readOpenApiDocument(options);
  // What is expensive waits for its turn: the views. A slow geocoder has turns of its own, so neither takes the other's.
  const turn = createGate(options.concurrency, deps.observer?.waiting);
  const reading = {
    geocoder: deps.geocoder,
    hail: {
      ...deps.hail,
      observationsNear: (question: HailQuestion, patience: AskerPatience) =>
        turn(() => deps.hail.observationsNear(question, patience), patience.signal),
    },
  };
  const operations = [
    createVerify(reading),
    createScore(reading),
    createHistory(reading, { default_since: document.defaultOf('/property/history', 'since') }),
    createLookup(reading, options),
    createHealth(deps),
    createMethodology(options),
  ];
  const page = methodologyPage();
  const routes: ReadonlyMap<string, Route> = new Map([
    ...operationRoutes(operations, document),
    documentRoute(document),
    ...createDocs(document, options).map(({ path, send }) =>
      pageRoute(path, (response, request) => send(request, response)),
    ),
    pageRoute('/methodology', (response) => void response.type('html').send(page)),
    pageRoute('/healthz', (response) => sendJson(response, 200, { status: 'alive' })),
    pageRoute('/readyz', (response) => sendReadiness(deps, response)),
  ]);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  decideConditionsHere(app);
  app.set('trust proxy', options.trust_proxy);
  app.use(admission(deps, options));
  app.use(createCompression());
  app.use(findRoute(routes, deps.keys));
  app.use(
    ...createValidation(document, securityHandlers(deps.keys, options.public_base_url), keyedRequests(deps)),
  );
  app.use(respond(routes));
  const structured = errorHandler(
    deps.output,
    (request, now_ms, problems) =>
      routes.get(request.path)?.problems(request.originalUrl, now_ms, problems) ?? [...problems],
    (request) => isFlat(routes, request.path),
    deps.observer,
  );
  // Twice: the second answers where the first one's own answer did not fit the document. Express's would print the URL.
  app.use(structured, structured);
  return app;
}

/** The legacy shape holds for everything under a legacy path, what is not there among it. */
function isFlat(routes: ReadonlyMap<string, Route>, path: string): boolean {
  const below = /^(?:\/[^/]+){3}(?=\/)/.exec(path)?.[0];
  return (routes.get(path) ?? routes.get(below ?? ''))?.flat === true;
}

/** Path and method come before everything: the validator meets only what it knows, and pages never meet it. */
function findRoute(routes: ReadonlyMap<string, Route>, keys: KeyDirectory): RequestHandler {
  return async (request, response, next) => {
    if (decode(request.path) === null) {
      throw badRequest([{ parameter: 'path', message: 'is not valid URL encoding' }]);
    }
    // Readers of URLs disagree on what comes after it: the validator would not recognise the operation.
    if (/^[^?]*#/.test(request.originalUrl)) {
      throw badRequest([{ parameter: 'path', message: 'must not hold a # (send it as %23)' }]);
    }
    const route = routes.get(request.path);
    if (route === undefined) throw notFound();
    contextOf(response).operation = route.name;
    if (route.keyed) response.setHeader('Cache-Control', 'private, no-store');
    for (const link of route.links) response.append('Link', link);
    if (request.method !== 'GET') throw methodNotAllowed();
    // Before the keys are read, "unknown key" would deny a partner for our own ignorance.
    if (route.keyed && !keys.isLoaded()) throw internalError();
    if (!route.documented) {
      await route.respond(request, response);
      return;
    }
    cleanQuery(request, route.declared);
    next();
  };
}

function respond(routes: ReadonlyMap<string, Route>): RequestHandler {
  return async (request, response) => {
    const route = routes.get(request.path);
    if (route === undefined) throw notFound();
    const context = contextOf(response);
    // The validator has asked for the key already. This holds even where it should not have recognised the operation.
    if (route.keyed && context.key === null) throw unauthorized();
    const problems = route.problems(request.originalUrl, context.computed_at_ms, []);
    if (problems.length > 0) throw badRequest(problems);
    await route.respond(request, response);
  };
}

/**
 * Ready is: keys are known and the store answers soon. Not ready is 503 on this page alone. Beside it stands how far the keys' topic has been
 * read, which `scripts/keys` waits on, and where limits are counted: that a Redis is away is said here and by the metric
 * `hailmark_limits_redis_up`, not in health, whose fields the contract fixes and which speaks of data. It makes nobody unready, because each
 * process counts for itself meanwhile.
 */
async function sendReadiness(deps: AppDeps, response: Response): Promise<void> {
  const { keys, store } = await deps.readiness.look();
  sendJson(response, keys && store ? 200 : 503, {
    keys,
    store,
    keys_next_offset: deps.keys.position(),
    limits_counted_in: deps.limiter.countedIn(),
  });
}
