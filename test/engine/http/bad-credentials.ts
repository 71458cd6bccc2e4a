/** Invalid API keys, and headers that do not send a key correctly. §5.4 requires the same response to all of them. */
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An API key that was never created. Its format and checksum are valid. */
export function unknownKey(): string {
  const body = `rdn_key_${'Unknown0'.repeat(5).slice(0, 36)}`;
  let checksum = '';
  for (let rest = crc32(body), place = 0; place < 6; place += 1, rest = Math.floor(rest / 62)) {
    checksum = BASE62.charAt(rest % 62) + checksum;
  }
  return body + checksum;
}

/** Returns the key with one wrong character in its checksum. */
const mistyped = (key: string): string => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');

/** Invalid values of a credential. The names say what is wrong with each value. */
export const badValues = (key: string): Readonly<Record<string, string>> => ({
  'nothing at all': '',
  'a key that was never created': unknownKey(),
  'a key with a wrong checksum': mistyped(key),
  'a key with another prefix': key.replace('rdn_key_', 'rdn_pat_'),
  'a truncated key': key.slice(0, -1),
  'a key with an extra character': `${key}a`,
  'a key in capitals': key.toUpperCase(),
  '5,000 characters of nonsense': 'x'.repeat(5000),
});

type Headers = readonly (readonly [string, string])[];

/** Request headers that are refused as credentials. The names say what is wrong with them. */
export const badHeaders = (key: string): Readonly<Record<string, Headers>> => ({
  'no header': [],
  'another scheme': [['authorization', `Basic ${btoa(`${key}:`)}`]],
  'no scheme': [['authorization', key]],
  'two words after the scheme': [['authorization', `Bearer ${key} ${key}`]],
  'the key twice in one header': [['authorization', `Bearer ${key}, Bearer ${key}`]],
  'two headers, both good': [
    ['authorization', `Bearer ${key}`],
    ['Authorization', `Bearer ${key}`],
  ],
  'two headers, one good': [
    ['authorization', `Bearer ${unknownKey()}`],
    ['authorization', `Bearer ${key}`],
  ],
  'the key as a cookie': [['cookie', `authorization=${key}`]],
  ...Object.fromEntries(
    Object.entries(badValues(key)).map(([name, value]) => [name, [['authorization', `Bearer ${value}`]] as Headers]),
  ),
});
