/**
 * Credential values: `<prefix>_`, 36 random base62 characters and 6 characters of checksum. The format lets secret
 * scanners recognize credentials, and lets us refuse typos without a database read.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const TOKEN_PREFIX = { apiKey: 'rdn_key', personalToken: 'rdn_pat', buildCredential: 'rdn_bld' } as const;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 36;
const CHECKSUM_CHARACTERS = 6;
const SHAPE = new RegExp(
  `^(${Object.values(TOKEN_PREFIX).join('|')})_[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`,
);

function computeChecksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_CHARACTERS; place += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}

export const createToken = (kind: keyof typeof TOKEN_PREFIX): string => createSecret(TOKEN_PREFIX[kind]);

export function createSecret(prefix: string): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  const body = `${prefix}_${random}`;
  return body + computeChecksum(body);
}

export function findTokenKind(value: string): keyof typeof TOKEN_PREFIX | undefined {
  if (!SHAPE.test(value)) return undefined;
  const body = value.slice(0, -CHECKSUM_CHARACTERS);
  if (computeChecksum(body) !== value.slice(-CHECKSUM_CHARACTERS)) return undefined;
  return (Object.keys(TOKEN_PREFIX) as (keyof typeof TOKEN_PREFIX)[]).find((kind) =>
    value.startsWith(`${TOKEN_PREFIX[kind]}_`),
  );
}

/** Whether the value has this prefix and a valid checksum. Does not read the table. */
export function isSecret(prefix: string, value: string): boolean {
  const body = value.slice(0, -CHECKSUM_CHARACTERS);
  const sum = value.slice(-CHECKSUM_CHARACTERS);
  return (
    body.length === prefix.length + 1 + RANDOM_CHARACTERS &&
    body.startsWith(`${prefix}_`) &&
    computeChecksum(body) === sum
  );
}

/** SHA-256 in hex. The table never stores the value itself. */
export const hashToken = (value: string): string => createHash('sha256').update(value).digest('hex');

export const isSameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
