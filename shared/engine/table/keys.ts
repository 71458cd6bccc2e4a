/**
 * Composite keys that cannot collide. Segments are escaped, long segments are hashed, and every prefix ends with the
 * delimiter.
 */
import { createHash } from 'node:crypto';

export interface TableKey {
  readonly pk: string;
  readonly sk: string;
}

const DELIMITER = '#';
/** Maximum size of an escaped segment. Five segments fit into a sort key, for which DynamoDB allows 1,024 bytes. */
const SEGMENT_BYTES = 180;
// The characters to escape. The delimiter, both escape marks and control characters could look like structure. U+10FFFF
// ends a span (`beginningWith`). UTF-8 cannot encode lone surrogates, which would all become U+FFFD.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escaping control characters is the purpose
const UNSAFE = /[#%~\u0000-\u001f\u007f\u{10ffff}]|\p{Surrogate}/gu;

/**
 * Returns the first `characters` hex digits of a SHA-256 hash. Use it only to identify things within one organization,
 * never for secrets.
 */
export function digest(characters: number, ...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, characters);
}

/**
 * Escapes a text for use in a key, or hashes it if it is long. Different texts give different segments, apart from
 * collisions of SHA-256. No segment contains the delimiter.
 */
export function segment(text: string): string {
  const escaped = text.replace(UNSAFE, (unit) => `%${unit.codePointAt(0)?.toString(16)}%`);
  if (escaped.length <= SEGMENT_BYTES && Buffer.byteLength(escaped) <= SEGMENT_BYTES) return escaped;
  return `~${createHash('sha256').update(escaped).digest('base64url')}`;
}

/**
 * Composes a key such as `KIND#segment#segment`. The kind is a literal in the code, so only the segments are escaped.
 */
export const composed = (kind: string, ...segments: readonly string[]): string =>
  [kind, ...segments.map(segment)].join(DELIMITER);

/**
 * The common prefix of all longer sort keys that begin with this kind and these segments. Ends with the delimiter, so
 * that `A#1` never matches `A#10`.
 */
export const prefix = (kind: string, ...segments: readonly string[]): string =>
  `${composed(kind, ...segments)}${DELIMITER}`;

const INSTANT_CHARACTERS = 9;

/** The latest time that fits into a key, in the year 3084. */
const LAST_INSTANT = 32 ** INSTANT_CHARACTERS - 1;

/**
 * Encodes epoch milliseconds as 9 base-32 characters that sort in the order of time. Times outside the years 1970 to
 * 3084 are clamped.
 */
export const instantKey = (milliseconds: number): string =>
  Math.min(Math.max(0, Math.trunc(milliseconds)), LAST_INSTANT)
    .toString(32)
    .padStart(INSTANT_CHARACTERS, '0');
