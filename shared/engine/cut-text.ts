/**
 * Truncates texts when they are recorded. A cut may split a secret, or remove the part by which the secret is
 * recognized. Therefore, cut texts carry a marker, and `masking.ts` hides the text next to the marker.
 */

export const REST_CUT = ' [the rest was cut]';
export const BEGINNING_CUT = '[the beginning was cut]\n';

/**
 * The beginning of a long text. Including the marker, the result has at most `characters` UTF-16 units. Surrogate pairs
 * are not split.
 */
export function keptBeginning(text: string, characters: number): string {
  if (text.length <= characters) return text.toWellFormed();
  const end = Math.max(0, characters - REST_CUT.length);
  const splits = end > 0 && (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return `${text.slice(0, splits ? end - 1 : end).toWellFormed()}${REST_CUT}`;
}

/** The beginning of a long text. Including the marker, the result has at most `bytes` UTF-8 bytes. */
export function keptBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  // UTF-8 continuation bytes begin with the bits 10.
  let end = Math.max(0, bytes - REST_CUT.length);
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${encoded.toString('utf8', 0, end)}${REST_CUT}`;
}

/** Keeps the end of an output that arrived in pieces, because its last lines say the most about a failure. */
export function keptEnd(pieces: readonly string[], characters: number): string[] {
  if (pieces.reduce((sum, { length }) => sum + length, 0) <= characters)
    return pieces.map((piece) => piece.toWellFormed());
  const kept: string[] = [];
  let left = characters - BEGINNING_CUT.length;
  for (const piece of pieces.toReversed()) {
    if (left === 0) break;
    const end = piece.slice(-left).toWellFormed();
    left -= end.length;
    kept.unshift(end);
  }
  return [`${BEGINNING_CUT}${kept[0]}`, ...kept.slice(1)];
}
