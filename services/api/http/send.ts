import type { Response } from 'express';

/** Sends JSON. The type is set first: without it the validator would choose a schema by what the client accepts. */
export function sendJson(response: Response, status: number, body: unknown): void {
  response.status(status).type('application/json').json(body);
}
