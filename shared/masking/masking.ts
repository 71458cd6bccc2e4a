/**
 * Replaces secrets of known formats in texts from tests with masks such as `[masked: GitHub token]`.
 *
 * Texts must be masked before they are cut, because a part of a secret does not match its pattern.
 */
import { BEGINNING_CUT, REST_CUT } from '#shared/engine/cut-text.ts';
import { removeControlSequences, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { findSecretsInParts, MASK, type Room } from './find-secrets.ts';
import { MASKING_LIMITS } from './limits.ts';

export const maskText = (text: string): string => maskPieces([text]).join('');

/** Also finds secrets across pieces. If `room.left` is negative then, discard the result: Base64 is left undecoded. */
export function maskPieces(pieces: readonly string[], room: Room = { left: Number.POSITIVE_INFINITY }): string[] {
  const [first = ''] = pieces;
  if (first.startsWith(BEGINNING_CUT)) {
    const parts = toParts([first.slice(BEGINNING_CUT.length), ...pieces.slice(1)]);
    const near = Math.min(MASKING_LIMITS.nearCut.after, Math.ceil(parts.text.length / 2));
    return [BEGINNING_LEFT_OUT, ...maskParts(parts, room, { from: findBoundaryAfter(parts.text, near) })];
  }
  if (pieces.length !== 1 || !first.endsWith(REST_CUT)) return maskParts(toParts(pieces), room);
  return [`${maskBeforeCut(first.slice(0, -REST_CUT.length), room)}${REST_LEFT_OUT}`];
}

/** Unlike the note that marks a recorded cut, so that masking the text again hides nothing more. */
export const BEGINNING_LEFT_OUT = '[the beginning is left out]\n';
const REST_LEFT_OUT = ' [the rest is left out]';

/** The last part is searched but not shown, because it may be part of a secret. */
function maskBeforeCut(text: string, room?: Room): string {
  const parts = toParts([text]);
  const near = Math.min(MASKING_LIMITS.nearCut.before, Math.ceil(parts.text.length / 2));
  return maskParts(parts, room, { to: findBoundaryBefore(parts.text, parts.text.length - near) }).join('');
}

/** Searches at most twice as many characters, so that masking a list of long texts is cheap. */
export function maskBeginning(text: string, characters: number): string {
  const searchLimit = characters + Math.min(MASKING_LIMITS.nearCut.before, characters);
  const maskedText = text.length <= searchLimit ? maskText(text) : maskBeforeCut(text.slice(0, searchLimit));
  return takeFirstCharacters(maskedText, characters);
}

/** Characters that secrets hardly ever contain, apart from private keys. */
const BOUNDARY = /[\s&?#]/;

function findBoundaryAfter(text: string, at: number): number {
  let end = at;
  while (end < text.length && !BOUNDARY.test(text.charAt(end))) end += 1;
  return end;
}

function findBoundaryBefore(text: string, at: number): number {
  let end = at;
  while (end > 0 && !BOUNDARY.test(text.charAt(end))) end -= 1;
  return end;
}

interface TextParts {
  readonly pieces: readonly string[];
  /** The pieces without colors, because colors inside a secret would hide it from the patterns. */
  readonly plain: readonly string[];
  readonly text: string;
}

function toParts(pieces: readonly string[]): TextParts {
  const plainPieces = pieces.map(removeControlSequences);
  return { pieces, plain: plainPieces, text: plainPieces.join('') };
}

/** `from`, `to`: offsets in the plain text. Pieces with a secret, or only partly shown, lose their colors. */
function maskParts(
  { pieces, plain, text }: TextParts,
  room: Room = { left: Number.POSITIVE_INFINITY },
  { from = 0, to = text.length }: { from?: number; to?: number } = {},
): string[] {
  const secrets = findSecretsInParts(plain, text, room);
  const result: string[] = [];
  let start = 0;
  let next = 0;
  for (const [index, piece] of plain.entries()) {
    const end = start + piece.length;
    const last = Math.min(end, to);
    let offset = Math.max(start, from);
    let maskedPiece = '';
    let isWhole = offset === start && last === end;
    // The piece in which a secret begins shows the mask, even if the secret ends in a later piece.
    for (let secret = secrets[next]; secret && secret.start < end; secret = secrets[next]) {
      maskedPiece += text.slice(offset, Math.min(last, Math.max(offset, secret.start)));
      if (secret.start >= offset && secret.start < last) maskedPiece += `${MASK}${secret.name}]`;
      isWhole = false;
      offset = Math.max(offset, Math.min(secret.end, end));
      if (secret.end > end) break;
      next += 1;
    }
    if (isWhole) result.push(pieces[index] ?? '');
    else if (start < to && end > from) result.push(maskedPiece + text.slice(offset, Math.max(offset, last)));
    start = end;
  }
  return result;
}
