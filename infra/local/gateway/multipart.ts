import { EngineError } from './errors.ts';

/**
 * The fields of a multipart/form-data body (RFC 7578), which clients use where a query and its parameters would be too long for a URL;
 * null where the body is of another type. Files, which ClickHouse takes as external tables, are refused.
 */
export function multipartFields(content_type: string | undefined, body: Buffer): [string, string][] | null {
  if (content_type?.startsWith('multipart/form-data') !== true) return null;
  const boundary = /boundary="?([^";]+)"?/.exec(content_type)?.[1];
  if (boundary === undefined) throw new EngineError(36, 'A multipart body needs a boundary. (BAD_ARGUMENTS)');
  const fields: [string, string][] = [];
  const mark = Buffer.from(`--${boundary}`);
  let at = body.indexOf(mark);
  while (at >= 0) {
    const next = body.indexOf(mark, at + mark.length);
    if (next < 0) break;
    const part = body.subarray(at + mark.length + 2, next - 2);
    const blank = part.indexOf('\r\n\r\n');
    const head = part.subarray(0, blank).toString('utf8');
    if (/filename=/i.test(head))
      throw new EngineError(48, 'External tables are not supported here. (NOT_IMPLEMENTED)');
    const name = /name="([^"]*)"/i.exec(head)?.[1];
    if (name !== undefined) fields.push([name, part.subarray(blank + 4).toString('utf8')]);
    at = next;
  }
  return fields;
}
