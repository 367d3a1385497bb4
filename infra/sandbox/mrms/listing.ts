import type { BucketObject, BuiltObject } from './bucket.ts';
import { element, xmlDocument, type Markup } from './xml.ts';

/** The most that one answer lists, whatever is asked. */
const max_keys = 1_000;

const known_parameters = new Set(['list-type', 'prefix', 'start-after', 'continuation-token', 'max-keys']);

export interface ListRefusal {
  status: number;
  code: string;
  message: string;
}

export interface ListQuestion {
  prefix: string;
  start_after: string | null;
  token: string | null;
  limit: number;
}

/** Reads a question of version 2 of the listing. What S3 knows and the sandbox does not compute is refused, not passed over. */
export function readListQuestion(parameters: URLSearchParams): ListQuestion | ListRefusal {
  const foreign = [...parameters.keys()].filter((name) => !known_parameters.has(name));
  if (foreign.length > 0 || parameters.get('list-type') !== '2') {
    const message = 'A parameter you provided implies functionality that is not implemented';
    return { status: 501, code: 'NotImplemented', message };
  }
  const limit = parameters.get('max-keys') ?? String(max_keys);
  if (!/^\d{1,9}$/.test(limit)) {
    return {
      status: 400,
      code: 'InvalidArgument',
      message: 'Provided max-keys not an integer or within integer range',
    };
  }
  const token = parameters.get('continuation-token');
  if (token !== null && keyOfToken(token) === null) {
    return { status: 400, code: 'InvalidArgument', message: 'The continuation token provided is incorrect' };
  }
  return {
    prefix: parameters.get('prefix') ?? '',
    start_after: parameters.get('start-after'),
    token,
    limit: Math.min(Number(limit), max_keys),
  };
}

export interface ListPage {
  objects: BucketObject[];
  /** The key that the next page begins after; null on the last page. */
  next_after: string | null;
}

/** The objects of one page, by key. A token wins over `start-after`, which S3 then ignores. */
export function pageOf(objects: readonly BucketObject[], question: ListQuestion): ListPage {
  const after = (question.token === null ? question.start_after : keyOfToken(question.token)) ?? '';
  const found = objects.filter(({ key }) => key.startsWith(question.prefix) && key > after);
  const page = found.slice(0, question.limit);
  const more = found.length > page.length && page.length > 0;
  return { objects: page, next_after: more ? (page.at(-1)?.key ?? null) : null };
}

/** The answer, its elements in the order in which S3 writes them. */
export function listingXml(
  question: ListQuestion,
  { objects, next_after }: ListPage,
  built: (object: BucketObject) => BuiltObject,
): string {
  const optional = (name: string, value: string | null): Markup[] =>
    value === null ? [] : [element(name, value)];
  return xmlDocument(
    element(
      'ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"',
      element('Name', 'noaa-mrms-pds'),
      element('Prefix', question.prefix),
      ...optional('StartAfter', question.start_after),
      ...optional('ContinuationToken', question.token),
      ...optional('NextContinuationToken', next_after === null ? null : tokenOf(next_after)),
      element('KeyCount', objects.length),
      element('MaxKeys', question.limit),
      element('IsTruncated', next_after !== null),
      ...objects.map((object) => contents(object, built(object))),
    ),
  );
}

function contents({ key, modified_ms }: BucketObject, { bytes, etag }: BuiltObject): Markup {
  return element(
    'Contents',
    element('Key', key),
    element('LastModified', new Date(modified_ms).toISOString()),
    element('ETag', etag),
    element('Size', bytes.length),
    element('StorageClass', 'STANDARD'),
  );
}

/** Opaque to the reader, as S3's are. */
function tokenOf(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function keyOfToken(token: string): string | null {
  const key = Buffer.from(token, 'base64url').toString();
  return key.startsWith('CONUS/') && tokenOf(key) === token ? key : null;
}
