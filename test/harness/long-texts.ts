/** Creates long pseudorandom texts, which compress poorly and are the same in every test run. */
import { createHash } from 'node:crypto';

/**
 * Returns a text of `characters` UTF-16 units, each of which takes `bytes` bytes in UTF-8. Different names give
 * different texts.
 */
export function longText(name: string, characters: number, bytes: 1 | 3): string {
  const units: string[] = [];
  for (let block = 0; units.length < characters; block += 1) {
    const noise = createHash('sha512').update(`${name} ${block}`).digest();
    for (let at = 0; at + 1 < noise.length; at += 2) {
      const value = noise.readUInt16BE(at);
      units.push(String.fromCharCode(bytes === 1 ? 0x23 + (value % 0x5b) : 0x4e00 + (value % 0x5000)));
    }
  }
  return units.slice(0, characters).join('');
}

export const longTexts = (name: string, count: number, characters: number, bytes: 1 | 3): string[] =>
  Array.from({ length: count }, (_, index) => longText(`${name} ${index}`, characters, bytes));

/**
 * The approximate size of a row by DynamoDB's rules: 3 bytes per list and map, 1 byte per element, and the bytes of
 * texts and names. A number, a boolean or null counts as 8 bytes.
 */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return value.reduce((total: number, one) => total + bytesOf(one) + 1, 3);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((total, [name, one]) => total + Buffer.byteLength(name) + bytesOf(one) + 1, 3);
}
