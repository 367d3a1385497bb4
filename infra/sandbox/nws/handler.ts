import { join } from 'node:path';
import { textResponse, type Handler, type SandboxResponse } from '../handler.ts';
import { validated } from '../validators.ts';
import { nextPage, readPage } from './page.ts';
import { readAlertQuestion, type AlertQuestion, type ParameterProblem } from './question.ts';
import { readRecordedAlerts, type AlertFeature, type RecordedAlert } from './recorded.ts';

/**
 * The alerts that were recorded, at their own times: `/alerts/active` holds those that live at the request's time, and `/alerts` those
 * sent within the last week. At any other time both are complete answers without alerts. The whole national collection, where all of it
 * lives and nothing else is asked, is served byte for byte.
 */
export function weatherAlerts(recordings: string): Handler {
  const { context, national, alerts } = readRecordedAlerts(join(recordings, 'nws_alert'));

  return ({ url, headers, now_ms }) => {
    if (url.pathname !== '/alerts' && !url.pathname.startsWith('/alerts/')) return null;
    if ((headers['user-agent'] ?? '').trim() === '') return problem(403, 'Forbidden');
    const collection = (features: AlertFeature[], next: string | null): SandboxResponse => {
      const body = {
        '@context': context,
        type: 'FeatureCollection',
        features,
        title: 'Current watches, warnings, and advisories',
        updated: new Date(now_ms).toISOString().replace(/\.\d+Z$/, '+00:00'),
        ...(next === null ? {} : { pagination: { next } }),
      };
      return geojson(Buffer.from(JSON.stringify(body, null, 1)));
    };

    if (url.pathname === '/alerts/active') {
      const question = readAlertQuestion(url.searchParams, []);
      const refused = refusal(question);
      if (refused !== null) return refused;
      const living = alerts
        .filter(({ sent_ms, over_ms }) => sent_ms <= now_ms && now_ms < over_ms)
        .map(({ feature }) => feature)
        .filter(question.matches);
      const whole =
        living.length === national.alerts.size && living.every((each) => national.alerts.has(each));
      return validated({ headers }, whole ? geojson(national.bytes) : collection(living, null));
    }
    if (url.pathname === '/alerts') {
      const question = readAlertQuestion(url.searchParams, ['start', 'end', 'limit', 'cursor']);
      const page = readPage(url.searchParams, now_ms);
      const refused = refusal({ ...question, problems: [...question.problems, ...page.problems] });
      if (refused !== null) return refused;
      const found = alerts
        .filter(({ sent_ms }) => sent_ms >= page.start_ms && sent_ms <= page.end_ms)
        .filter(({ feature }) => question.matches(feature))
        .sort((a, b) => b.sent_ms - a.sent_ms || a.feature.id.localeCompare(b.feature.id, 'en'));
      const features = found.slice(page.from, page.from + page.limit).map(({ feature }) => feature);
      const more = found.length > page.from + page.limit;
      return collection(features, more ? nextPage(url, headers.host, page.from + page.limit) : null);
    }
    const id = url.pathname.slice('/alerts/'.length);
    const alert = alerts.find(({ feature, sent_ms }) => feature.properties.id === id && sent_ms <= now_ms);
    return alert === undefined ? problem(404, 'Not Found') : validated({ headers }, single(context, alert));
  };
}

function refusal({ problems, not_computed }: AlertQuestion): SandboxResponse | null {
  if (problems.length > 0) return problem(400, 'Bad Request', problems);
  if (not_computed.length === 0) return null;
  return textResponse(501, 'text/plain', `The sandbox does not compute: ${not_computed.join(', ')}.\n`);
}

function single(context: unknown, { feature }: RecordedAlert): SandboxResponse {
  return geojson(Buffer.from(JSON.stringify({ '@context': context, ...feature }, null, 1)));
}

function geojson(body: Buffer): SandboxResponse {
  return { status: 200, headers: { 'Content-Type': 'application/geo+json' }, body };
}

function problem(status: number, title: string, parameterErrors?: ParameterProblem[]): SandboxResponse {
  const body = { ...(parameterErrors === undefined ? {} : { parameterErrors }), title, status };
  return textResponse(status, 'application/problem+json', JSON.stringify(body));
}
