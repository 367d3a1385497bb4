import { join } from 'node:path';
import {
  notReal,
  textResponse,
  type Handler,
  type SandboxRequest,
  type SandboxResponse,
} from '../handler.ts';
import { validated } from '../validators.ts';
import { readBucket, type Bucket, type BucketObject } from './bucket.ts';
import { listingXml, pageOf, readListQuestion } from './listing.ts';
import { element, xmlDocument } from './xml.ts';

/** The first folders of the bucket's keys. */
const roots = /^\/(CONUS|ALASKA|CARIB|GUAM|HAWAII|CONUS_5KM|ANC|ConvectProb|ProbSevere)\//;

/** The bucket of the radar mosaic, as S3 lists and serves it. What holds derived granules says so in a header. */
export function mrmsBucket(recordings: string): Handler {
  const bucket = readBucket(join(recordings, 'mrms'));
  return (request) => {
    const { url } = request;
    if (url.pathname === '/' && url.searchParams.has('list-type')) return list(bucket, request);
    return roots.test(url.pathname) ? serve(bucket, request) : null;
  };
}

function list(bucket: Bucket, { url, now_ms, without_newest }: SandboxRequest): SandboxResponse {
  const question = readListQuestion(url.searchParams);
  if ('code' in question) return refused(question.status, question.code, question.message);
  const objects = bucket.objectsAt(now_ms);
  const newest = objects.filter(isNewest);
  const listed = without_newest ? objects.filter((object) => !newest.includes(object)) : objects;
  const page = pageOf(listed, question);
  const response = textResponse(200, 'application/xml', listingXml(question, page, bucket.built));
  return page.objects.some(({ derived }) => derived) ? notReal(response, 'derived') : response;
}

/** True for the last of each product: keys sort by product, then by time. */
function isNewest({ key }: BucketObject, at: number, all: readonly BucketObject[]): boolean {
  const product = (each: string | undefined): string | undefined => each?.split('/')[1];
  return product(all[at + 1]?.key) !== product(key);
}

function serve(bucket: Bucket, request: SandboxRequest): SandboxResponse {
  const key = request.url.pathname.slice(1);
  const object = bucket.objectsAt(request.now_ms).find((each) => each.key === key);
  if (object === undefined) return refused(404, 'NoSuchKey', 'The specified key does not exist.', key);
  const { bytes, etag } = bucket.built(object);
  const whole = { status: 200, headers: { 'Content-Type': 'binary/octet-stream' }, body: bytes };
  const response = validated(request, whole, { etag, modified_ms: object.modified_ms });
  return object.derived ? notReal(response, 'derived') : response;
}

function refused(status: number, code: string, message: string, key?: string): SandboxResponse {
  const named = key === undefined ? [] : [element('Key', key)];
  const error = element('Error', element('Code', code), element('Message', message), ...named);
  return textResponse(status, 'application/xml', xmlDocument(error));
}
