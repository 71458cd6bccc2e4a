/**
 * Replaces secrets of known formats in texts from tests with masks such as `[masked: GitHub token]`.
 *
 * Texts must be masked before they are cut, because a part of a secret does not match its pattern.
 */
import { BEGINNING_CUT, REST_CUT } from '#shared/engine/cut-text.ts';
import { removeControlSequences, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { type CleanText, cleanWords } from './clean-words.ts';
import { MASKING_LIMITS } from './limits.ts';
import { MarkSearch } from './mark-search.ts';
import type { SecretShape } from './secret-shape.ts';
import { SECRET_SHAPES, TOKEN_SHAPES } from './secret-shapes.ts';
import { findWrappedTexts, type WrappedText } from './wrapped-texts.ts';

/** The prefix of every mask. A match that starts with this prefix is already masked. */
const MASK = '[masked: ';

/** Levels of nested Base64 that are decoded. There are two alphabets, so each level may double the work. */
const MOST_WRAPS = 3;

/** Created when the first text is masked, because many processes never mask a text. */
let marks: MarkSearch | undefined;

interface SecretMatch {
  readonly name: string;
  /** The index of the secret's format in `SECRET_SHAPES`. For a secret in Base64, the length of `SECRET_SHAPES`. */
  readonly rank: number;
  readonly start: number;
  /** The index after the last character of the secret. */
  readonly end: number;
}

/** Fields whose `url` is a signed link to this service. It expires soon, and would not work if it were masked. */
const OUR_LINKS = new Set(['assets', 'errorContext']);
/** Fields with ids that the client needs for its next request. These ids are not masked. */
const IDS = new Set(['projectId', 'runId', 'instanceId', 'testId', 'signature']);

/**
 * Copies `context` and masks all texts in it, except ids and signed links to this service. The names of fields are not
 * masked. Texts without secrets keep their terminal colors.
 */
export const maskObject = <Context extends object>(context: Context): Context =>
  maskObjectWithin(context, Number.POSITIVE_INFINITY).shown;

/** Shown in place of a text that is left out because of a size limit. */
export const LEFT_OUT = '[left out]';

/**
 * Masks texts of up to `characters` characters in total, and leaves out all further ones. A repeated text counts once,
 * unless it has several pieces. `keeps`: further fields that are not masked. `isWhole`: whether no text was left out.
 */
export function maskObjectWithin<Context extends object>(
  context: Context,
  characters: number,
  keeps: ReadonlySet<string> = IDS,
): { readonly shown: Context; readonly isWhole: boolean } {
  const copy = structuredClone(context);
  const room: Room = { left: characters };
  changeTexts(copy, {
    linksAreOurs: false,
    keeps,
    change: rememberChanges((pieces) => maskIfFits(pieces, room) ?? [LEFT_OUT]),
  });
  return { shown: copy, isWhole: room.left >= 0 };
}

type TextChange = (pieces: readonly string[]) => readonly string[];

/** Caches the result for each text, because the same error occurs in tests, steps and attempts. */
function rememberChanges(change: TextChange): TextChange {
  const results = new Map<string, readonly string[]>();
  return (pieces) => {
    const [text] = pieces;
    if (pieces.length !== 1 || text === undefined) return change(pieces);
    const result = results.get(text) ?? change(pieces);
    results.set(text, result);
    return result;
  };
}

/** The characters that may still be masked. Base64 costs more, because its decoded content is searched, too. */
interface Room {
  left: number;
}

interface Texts {
  readonly linksAreOurs: boolean;
  readonly keeps: ReadonlySet<string>;
  readonly change: TextChange;
}

const changeTexts = (holder: object, texts: Texts): void =>
  Array.isArray(holder) ? changeList(holder, texts) : changeMembers(holder, texts);

function changeList(list: unknown[], texts: Texts): void {
  if (list.every((one) => typeof one === 'string')) {
    const pieces = list.length === 0 ? list : texts.change(list);
    pieces.forEach((piece, index) => {
      list[index] = piece;
    });
    list.length = pieces.length;
    return;
  }
  for (const one of list) if (typeof one === 'object' && one !== null) changeTexts(one, texts);
}

function changeMembers(holder: object, texts: Texts): void {
  const { linksAreOurs, keeps, change } = texts;
  const keys = Object.keys(holder);
  for (const key of keys) {
    const value: unknown = Reflect.get(holder, key);
    if (typeof value !== 'string' || IDS.has(key) || keeps.has(key) || (linksAreOurs && key === 'url')) continue;
    const text = change([value]).join('');
    if (text !== value) Reflect.set(holder, key, text);
  }
  // Last, so that nested texts are left out first if the limit is reached.
  for (const key of keys) {
    const value: unknown = Reflect.get(holder, key);
    if (typeof value !== 'object' || value === null) continue;
    changeTexts(value, OUR_LINKS.has(key) ? { ...texts, linksAreOurs: true } : texts);
  }
}

/** Subtracts the size of the pieces from `room`. Once they do not fit, all later calls return `undefined`, too. */
function maskIfFits(pieces: readonly string[], room: Room): string[] | undefined {
  if (room.left < 0) return undefined;
  room.left -= pieces.reduce((sum, { length }) => sum + length + MASKING_LIMITS.charactersPerText, 0);
  if (room.left < 0) return undefined;
  const result = maskPieces(pieces, room);
  return room.left < 0 ? undefined : result;
}

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
  return takeFirstCharacters(
    text.length <= searchLimit ? maskText(text) : maskBeforeCut(text.slice(0, searchLimit)),
    characters,
  );
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

/** A secret may end at the end of a piece, or span several pieces. */
function findSecretsInParts(plainPieces: readonly string[], text: string, room: Room): SecretMatch[] {
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
