/**
 * Truncates texts when they are recorded. A cut may split a secret, or remove the part by which the secret is
 * recognized. Therefore, cut texts carry a marker, and `masking.ts` hides the text next to the marker.
 */

export const REST_CUT = ' [the rest was cut]';
export const BEGINNING_CUT = '[the beginning was cut]\n';

/** With the marker, the result has at most `characters` UTF-16 units. Surrogate pairs are not split. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text.toWellFormed();
  const end = Math.max(0, characters - REST_CUT.length);
  const splits = end > 0 && (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return `${text.slice(0, splits ? end - 1 : end).toWellFormed()}${REST_CUT}`;
}

/** With the marker, the result has at most `bytes` UTF-8 bytes. */
export function cutTextToBytes(text: string, bytes: number): string {
  const textBytes = Buffer.from(text);
  if (textBytes.length <= bytes) return text;
  // UTF-8 continuation bytes begin with the bits 10.
  let end = Math.max(0, bytes - REST_CUT.length);
  while (end > 0 && ((textBytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${textBytes.toString('utf8', 0, end)}${REST_CUT}`;
}

/** Keeps the end of an output in pieces, because its last lines say the most about a failure. */
export function keepOutputEnd(pieces: readonly string[], characters: number): string[] {
  if (pieces.reduce((sum, { length }) => sum + length, 0) <= characters)
    return pieces.map((piece) => piece.toWellFormed());
  const keptPieces: string[] = [];
  let left = characters - BEGINNING_CUT.length;
  for (const piece of pieces.toReversed()) {
    if (left === 0) break;
    const end = piece.slice(-left).toWellFormed();
    left -= end.length;
    keptPieces.unshift(end);
  }
  return [`${BEGINNING_CUT}${keptPieces[0]}`, ...keptPieces.slice(1)];
}
