/** Composite keys that cannot collide. Long segments are hashed, and every prefix ends with the delimiter. */
import { createHash } from 'node:crypto';

export interface TableKey {
  readonly pk: string;
  readonly sk: string;
}

const DELIMITER = '#';
/** Maximum size of an escaped segment. Five segments fit into a sort key, for which DynamoDB allows 1,024 bytes. */
const SEGMENT_BYTES = 180;
// The delimiter, both escape marks and control characters could look like structure. U+10FFFF ends a span
// (`getPrefixSpan`). UTF-8 cannot encode lone surrogates, which would all become U+FFFD.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escaping control characters is the purpose
const UNSAFE = /[#%~\u0000-\u001f\u007f\u{10ffff}]|\p{Surrogate}/gu;

/** Hex digits of SHA-256, only to identify things within one organization, never for secrets. */
export function computeDigest(characters: number, ...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, characters);
}

/** Hashes long texts. Apart from collisions of SHA-256, different texts differ. The result has no delimiter. */
export function encodeSegment(text: string): string {
  const escapedText = text.replace(UNSAFE, (unit) => `%${unit.codePointAt(0)?.toString(16)}%`);
  if (escapedText.length <= SEGMENT_BYTES && Buffer.byteLength(escapedText) <= SEGMENT_BYTES) return escapedText;
  return `~${createHash('sha256').update(escapedText).digest('base64url')}`;
}

/** Such as `KIND#segment#segment`. The kind is a literal in the code, so only the segments are escaped. */
export const composeKey = (kind: string, ...segments: readonly string[]): string =>
  [kind, ...segments.map(encodeSegment)].join(DELIMITER);

/** The prefix of all longer keys of these segments. Ends with the delimiter, so `A#1` never matches `A#10`. */
export const composePrefix = (kind: string, ...segments: readonly string[]): string =>
  `${composeKey(kind, ...segments)}${DELIMITER}`;

const INSTANT_CHARACTERS = 9;

/** In the year 3084. */
const LAST_INSTANT = 32 ** INSTANT_CHARACTERS - 1;

/** 9 base-32 characters that sort in the order of time. Times outside 1970 to 3084 are clamped. */
export const encodeInstant = (milliseconds: number): string =>
  Math.min(Math.max(0, Math.trunc(milliseconds)), LAST_INSTANT)
    .toString(32)
    .padStart(INSTANT_CHARACTERS, '0');
