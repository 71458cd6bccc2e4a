/** Finds the secrets of known formats in a text, also in Base64 and behind characters that hide them. */
import type { CleanText } from './clean-text.ts';
import { cleanWords } from './clean-words.ts';
import { MASKING_LIMITS } from './limits.ts';
import { MarkSearch } from './mark-search.ts';
import type { SecretShape } from './secret-shape.ts';
import { SECRET_SHAPES, TOKEN_SHAPES } from './secret-shapes.ts';
import { findWrappedTexts, type WrappedText } from './wrapped-texts.ts';

/** The prefix of every mask. A match that starts with this prefix is already masked. */
export const MASK = '[masked: ';

/** Levels of nested Base64 that are decoded. There are two alphabets, so each level may double the work. */
const MOST_WRAPS = 3;

/** Created when the first text is masked, because many processes never mask a text. */
let marks: MarkSearch | undefined;

export interface SecretMatch {
  readonly name: string;
  /** The index of the secret's format in `SECRET_SHAPES`. For a secret in Base64, the length of `SECRET_SHAPES`. */
  readonly rank: number;
  readonly start: number;
  /** The index after the last character of the secret. */
  readonly end: number;
}

/** The characters that may still be masked. Base64 costs more, because its decoded content is searched, too. */
export interface Room {
  left: number;
}

/** A secret may end at the end of a piece, or span several pieces. */
export function findSecretsInParts(plainPieces: readonly string[], text: string, room: Room): SecretMatch[] {
  if (plainPieces.length < 2) return findSecrets(text, room);
  let start = 0;
  const pieceSecrets = plainPieces.flatMap((piece) => {
    const offset = start;
    start += piece.length;
    return findSecrets(piece, room).map((secret) => ({
      ...secret,
      start: secret.start + offset,
      end: secret.end + offset,
    }));
  });
  return mergeOverlaps([...pieceSecrets, ...findSecrets(text, room)]);
}

function findSecrets(text: string, room: Room, wraps = 0): SecretMatch[] {
  const plainSecrets = matchShapes(text, SECRET_SHAPES);
  const wrappedSecrets = wraps < MOST_WRAPS ? findWrappedSecrets(findWrappedTexts(text), room, wraps) : [];
  return mergeOverlaps([...plainSecrets, ...wrappedSecrets, ...findHiddenSecrets(text, room, wraps)]);
}

/** Only tokens, because removing such characters would change the text around other secrets. */
function findHiddenSecrets(text: string, room: Room, wraps: number): SecretMatch[] {
  return cleanWords(text).flatMap((clean) => {
    const secrets = matchShapes(clean.text, TOKEN_SHAPES);
    if (wraps < MOST_WRAPS) {
      const hiddenTexts = findWrappedTexts(clean.text).filter(
        ({ start, end }) => !isInOriginal(text, clean, start, end),
      );
      secrets.push(...findWrappedSecrets(hiddenTexts, room, wraps));
    }
    return secrets.map((secret) => ({ ...secret, ...clean.originalSpan(secret.start, secret.end) }));
  });
}

/** Whether this Base64 text is also one of the original text, which is decoded anyway. */
function isInOriginal(text: string, clean: CleanText, from: number, to: number): boolean {
  const { start, end } = clean.originalSpan(from, to);
  const isUnchanged = text.slice(start, end) === clean.text.slice(from, to);
  return isUnchanged && !/[\w+/-]/.test(text.charAt(start - 1) + text.charAt(end));
}

function matchShapes(text: string, shapes: readonly SecretShape[]): SecretMatch[] {
  marks ??= new MarkSearch(SECRET_SHAPES.map((shape) => shape.marks));
  return marks.groupsIn(text).flatMap((rank) => {
    const shape = shapes[rank];
    return shape ? findMatches(text, shape.pattern).map((at) => ({ name: shape.name, rank, ...at })) : [];
  });
}

/** Overlapping secrets get the name of the format that is listed first. */
function mergeOverlaps(secrets: readonly SecretMatch[]): SecretMatch[] {
  const result: SecretMatch[] = [];
  for (const secret of secrets.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (!last || secret.start >= last.end) {
      result.push(secret);
      continue;
    }
    const { name, rank } = secret.rank < last.rank ? secret : last;
    result[result.length - 1] = { name, rank, start: last.start, end: Math.max(last.end, secret.end) };
  }
  return result;
}

/** Chooses the Base64 texts whose content contains a secret. Each of them is masked as a whole. */
const findWrappedSecrets = (texts: readonly WrappedText[], room: Room, wraps: number): SecretMatch[] =>
  texts.flatMap(({ start, end, content }) => {
    room.left -= content.length + MASKING_LIMITS.charactersPerWrap;
    if (room.left < 0) return [];
    const [first] = findSecrets(content, room, wraps + 1);
    return first ? [{ name: `${first.name} in Base64`, rank: SECRET_SHAPES.length, start, end }] : [];
  });

function findMatches(text: string, pattern: RegExp): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = match.index + (match.groups?.['before']?.length ?? 0);
    if (!text.startsWith(MASK, start)) spans.push({ start, end: match.index + match[0].length });
  }
  return spans;
}
