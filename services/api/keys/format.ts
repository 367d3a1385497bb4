import { createHash } from 'node:crypto';

/** `hm_live_<8 hex>_<24 base64url>`: the 8 hex are public, the 24 characters are 144 secret bits. */
const form = /^hm_live_([0-9a-f]{8})_[A-Za-z0-9_-]{24}$/;

/** The public id of a key that has the form of one, else null. Read by position: the secret part may hold `_` and `-` itself. */
export function keyIdOf(key: string): string | null {
  return form.exec(key)?.[1] ?? null;
}

/** SHA-256 of the whole key, lower-case hex: a fast hash suffices because 144 random bits cannot be guessed. */
export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Puts a key together from 4 and 18 random bytes. */
export function formKey(id_bytes: Buffer, secret_bytes: Buffer): string {
  return `hm_live_${id_bytes.toString('hex')}_${secret_bytes.toString('base64url')}`;
}
