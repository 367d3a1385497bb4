import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { startTestGeocoder } from '../../support/census-shaped.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startTestService } from '../../support/service.ts';
import { until } from './waves.ts';

const made = createCleanup();
after(() => made.stop());

it('a request that is under way when the service is stopped is answered', { timeout: 400_000 }, async () => {
  const geocoder = made.keep(await startTestGeocoder());
  // As long as the API lets a geocoder take, 15 seconds: longer than any other process may take to stop.
  geocoder.fail('hang');
  const service = made.keep(await startTestService({ env: { GEOCODER_URL: geocoder.url } }));
  const answering = service.get('/v1/property/score', { address: '1 Hanging Rd, Testville, TX 00000' });
  await until(() => geocoder.requests.length > 0);
  const stopping = service.stop();
  const answer = await answering;
  assert.equal(answer.status, 500);
  const { error } = (await answer.json()) as { error: { message: string; request_id: string } };
  assert.equal(error.message, 'the geocoding service is unavailable');
  assert.equal(error.request_id, answer.headers.get('X-Request-Id'));
  await stopping;
  await assert.rejects(fetch(`${service.api_url}/healthz`), 'nothing listens any more');
});
