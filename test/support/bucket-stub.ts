import type { PublisherStub } from './publisher-stub.ts';

export interface StoredObject {
  body: Buffer;
  /** As the bucket writes it: `2026-06-10T21:02:11.000Z`. */
  last_modified: string;
}

export interface ServedBucket {
  /** By key; may be changed between polls. */
  objects: Map<string, StoredObject>;
  /** Keys of one page. */
  page_keys: number;
  /** Bends each page of a listing before it is served. */
  bend: (xml: string) => string;
}

/** Serves a bucket the way S3 does: listings of `list-type=2` at `/`, objects at their keys. */
export function serveBucket(stub: PublisherStub, bucket: ServedBucket): void {
  stub.on('/', ({ pathname, searchParams }) => {
    const object = bucket.objects.get(pathname.slice(1));
    if (object !== undefined) return { content_type: 'application/gzip', body: object.body };
    if (pathname !== '/' || searchParams.get('list-type') !== '2') {
      const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>`;
      return { status: 404, content_type: 'application/xml', body: xml };
    }
    const prefix = searchParams.get('prefix') ?? '';
    const after = searchParams.get('continuation-token') ?? searchParams.get('start-after') ?? '';
    const found = [...bucket.objects.keys()].sort().filter((key) => key.startsWith(prefix) && key > after);
    const page = found.slice(0, bucket.page_keys);
    const xml = listingXml(prefix, page, bucket.objects, found.length > page.length);
    return { content_type: 'application/xml', body: bucket.bend(xml) };
  });
}

function listingXml(
  prefix: string,
  keys: readonly string[],
  objects: ReadonlyMap<string, StoredObject>,
  goes_on: boolean,
): string {
  const entries = keys.map((key) => {
    const { body, last_modified } = objects.get(key) ?? { body: Buffer.alloc(0), last_modified: '' };
    return (
      `<Contents><Key>${key}</Key><LastModified>${last_modified}</LastModified>` +
      `<ETag>&quot;9a0364b9e99bb480dd25e1f0284c8555&quot;</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
    );
  });
  const token = goes_on ? `<NextContinuationToken>${keys.at(-1)}</NextContinuationToken>` : '';
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
    `<Name>noaa-mrms-pds</Name><Prefix>${prefix}</Prefix>${token}<KeyCount>${keys.length}</KeyCount>` +
    `<MaxKeys>1000</MaxKeys><IsTruncated>${goes_on}</IsTruncated>${entries.join('')}</ListBucketResult>`
  );
}
