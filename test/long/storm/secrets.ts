import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes that the service wrote, under a name for the report. */
export interface Written {
  name: string;
  bytes: Buffer;
}

/**
 * The ways in which a word may stand in bytes, all in lower case: as it is, as UTF-16, percent-encoded throughout, in hex, and in base64 at
 * each of the three places in a group of bytes where it can begin (and without the characters at its ends that its neighbours share).
 */
export function formsOf(word: string): string[] {
  const spellings = [word, word.toLowerCase(), word.toUpperCase(), capital(word)];
  const forms = spellings.flatMap((spelling) => {
    const bytes = Buffer.from(spelling, 'utf8');
    return [
      spelling,
      Buffer.from(spelling, 'utf16le').toString('latin1'),
      [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
      bytes.toString('hex'),
      ...[0, 1, 2].flatMap((shift) => inBase64(bytes, shift)),
    ];
  });
  return [...new Set(forms.map((form) => form.toLowerCase()))];
}

/** Digests of a whole text: one of an address is an address to whoever has a list of addresses. */
export function digestsOf(text: string): string[] {
  return (['sha256', 'sha1', 'md5'] as const)
    .flatMap((name) => {
      const digest = createHash(name).update(text).digest();
      return [digest.toString('hex'), digest.toString('base64url').slice(0, 20), digest.toString('latin1')];
    })
    .map((form) => form.toLowerCase());
}

/** Where any of the forms stands. Case is no difference, so a form in base64 may be found where it is not; twelve characters are not met by chance. */
export function found(written: Iterable<Written>, forms: readonly string[]): string[] {
  const places: string[] = [];
  for (const { name, bytes } of written) {
    const text = bytes.toString('latin1').toLowerCase();
    for (const form of forms) {
      const at = text.indexOf(form);
      if (at >= 0) places.push(`${name} at byte ${at}: ${JSON.stringify(form)}`);
    }
  }
  return places;
}

/** Every file below a folder, one after another. A file that went away meanwhile is passed over. */
export function* filesBelow(folder: string): Generator<Written> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const name = join(entry.parentPath, entry.name);
    let bytes: Buffer;
    try {
      bytes = readFileSync(name);
    } catch {
      continue;
    }
    yield { name, bytes };
  }
}

function inBase64(bytes: Buffer, shift: number): string[] {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const own = text.slice(Math.ceil((shift * 4) / 3), -1);
  return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();
}
