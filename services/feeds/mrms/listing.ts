import { PollFailed } from '../poll-failure.ts';

/** One object of a bucket's listing. */
export interface ListedObject {
  key: string;
  /** ISO 8601 UTC with milliseconds: text order is the order of time. */
  last_modified: string;
  /** How long the object is. */
  bytes: number;
}

export interface ListingPage {
  objects: ListedObject[];
  /** With this the next page is asked for; null on the last one. */
  continuation: string | null;
}

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

/**
 * One page of an S3 bucket's listing (`ListBucketResult`, `list-type=2`). A page that is cut, is an error, counts otherwise than it lists or
 * holds a key outside of what was asked for fails: half a listing would look like granules that do not exist.
 */
export function parseListing(xml: string, prefix: string): ListingPage {
  const text = xml.trim();
  if (/^(<\?xml[^>]*\?>\s*)?<Error>/.test(text)) {
    const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? 'no code';
    throw new PollFailed('error-body', `The bucket answered with an error (${code}).`);
  }
  if (text === '') throw new PollFailed('truncated', 'The listing is empty of anything.');
  const [, body] = /^(?:<\?xml[^>]*\?>\s*)?<ListBucketResult(?:\s[^>]*)?>([^]*)$/.exec(text) ?? [];
  if (body === undefined) throw new PollFailed('not-the-format', 'The answer is no listing of a bucket.');
  if (!body.endsWith('</ListBucketResult>'))
    throw new PollFailed('truncated', 'The listing ends without its end.');

  const entries = [...body.matchAll(/<Contents>([^]*?)<\/Contents>/g)].map(([, entry = '']) => entry);
  const head = body.replaceAll(/<Contents>[^]*?<\/Contents>/g, '');
  // An entry that lost its end swallows the next one whole.
  if (/<\/?Contents/.test(head) || entries.some((entry) => entry.includes('<Contents')))
    throw new PollFailed('not-the-format', 'An entry of the listing is not whole.');
  const count = element(head, 'KeyCount');
  if (count !== String(entries.length))
    throw new PollFailed('count-mismatch', `The listing says ${count} keys and has ${entries.length}.`);

  const continuation = continuationOf(head);
  const objects = entries.map((entry): ListedObject => {
    const key = element(entry, 'Key');
    const written = element(entry, 'LastModified');
    if (!instant.test(written) || Number.isNaN(Date.parse(written)))
      throw new PollFailed('not-the-format', 'An object of the listing has no time.');
    if (!key.startsWith(prefix))
      throw new PollFailed('not-the-format', 'The listing has a key that was not asked for.');
    const size = element(entry, 'Size');
    if (!/^\d{1,12}$/.test(size))
      throw new PollFailed('not-the-format', 'An object of the listing has no size.');
    return { key, last_modified: new Date(written).toISOString(), bytes: Number(size) };
  });
  return { objects, continuation };
}

function continuationOf(head: string): string | null {
  const is_cut = element(head, 'IsTruncated');
  if (is_cut === 'false') return null;
  if (is_cut === 'true') return element(head, 'NextContinuationToken');
  throw new PollFailed('not-the-format', 'The listing does not say whether it goes on.');
}

/** The text of an element that must stand there exactly once. */
function element(xml: string, name: string): string {
  const found = [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))];
  const text = found[0]?.[1];
  if (found.length === 1 && text !== undefined && text !== '') return plain(text);
  throw new PollFailed('not-the-format', `The listing has no one ${name} where it belongs.`);
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

function plain(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([0-9a-f]+)|\w+);/gi, (entity, decimal?: string, hex?: string) => {
    if (decimal !== undefined) return character(Number(decimal));
    if (hex !== undefined) return character(Number.parseInt(hex, 16));
    return entities[entity] ?? entity;
  });
}

function character(code: number): string {
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  throw new PollFailed('not-the-format', 'The listing names a character that does not exist.');
}
