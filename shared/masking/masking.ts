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
import { type WrappedText, wrappedTexts } from './wrapped-texts.ts';

/** The prefix of every mask. A match that starts with this prefix is already masked. */
const MASK = '[masked: ';

/**
 * The maximum number of levels of nested Base64 that are decoded. There are two Base64 alphabets, so each level may
 * double the work.
 */
const MOST_WRAPS = 3;

/** Created when the first text is masked, because many processes never mask a text. */
let marks: MarkSearch | undefined;

interface Secret {
  readonly name: string;
  /** The index of the secret's format in `SECRET_SHAPES`. For a secret in Base64, the length of `SECRET_SHAPES`. */
  readonly rank: number;
  readonly start: number;
  /** The index after the last character of the secret. */
  readonly end: number;
}

/**
 * Fields in which each `url` is a signed link to this service. These links are not masked, because they expire soon and
 * a masked link would not work.
 */
const OUR_LINKS = new Set(['assets', 'errorContext']);
/** Fields with ids that the client needs for its next request. These ids are not masked. */
const IDS = new Set(['projectId', 'runId', 'instanceId', 'testId', 'signature']);

/**
 * Copies `context` and masks all texts in it, except ids and signed links to this service. The names of fields are not
 * masked. Texts without secrets keep their terminal colors.
 */
export const masked = <Context extends object>(context: Context): Context =>
  maskedWithin(context, Number.POSITIVE_INFINITY).shown;

/** Shown in place of a text that is left out because of a size limit. */
export const LEFT_OUT = '[left out]';

/**
 * Like `masked`, but masks texts with up to `characters` characters in total, and leaves out all further texts. A
 * repeated text counts once, unless it consists of several pieces. A text is never cut before it is masked, because a
 * part of a secret would not be recognized. `keeps`: further fields that are not masked. `isWhole` is false if any text
 * was left out.
 */
export function maskedWithin<Context extends object>(
  context: Context,
  characters: number,
  keeps: ReadonlySet<string> = IDS,
): { readonly shown: Context; readonly isWhole: boolean } {
  const shown = structuredClone(context);
  const room: Room = { left: characters };
  changeTexts(shown, {
    linksAreOurs: false,
    keeps,
    change: once((pieces) => maskedIfFits(pieces, room) ?? [LEFT_OUT]),
  });
  return { shown, isWhole: room.left >= 0 };
}

type Change = (pieces: readonly string[]) => readonly string[];

/** Caches the result for each text, because the same error occurs in tests, steps and attempts. */
function once(change: Change): Change {
  const known = new Map<string, readonly string[]>();
  return (pieces) => {
    const [text] = pieces;
    if (pieces.length !== 1 || text === undefined) return change(pieces);
    const changed = known.get(text) ?? change(pieces);
    known.set(text, changed);
    return changed;
  };
}

/**
 * The number of characters that may still be masked. A Base64 text costs more, because its decoded content is searched,
 * too.
 */
interface Room {
  left: number;
}

interface Texts {
  readonly linksAreOurs: boolean;
  readonly keeps: ReadonlySet<string>;
  readonly change: Change;
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
  // Texts in nested values are masked after the texts of the object itself, so that they are left out first if the limit
  // is reached.
  for (const key of keys) {
    const value: unknown = Reflect.get(holder, key);
    if (typeof value !== 'object' || value === null) continue;
    changeTexts(value, OUR_LINKS.has(key) ? { ...texts, linksAreOurs: true } : texts);
  }
}

/**
 * Masks the pieces and subtracts their size from `room`. Returns `undefined` if they do not fit. In that case, all
 * later calls with the same `room` return `undefined`, too.
 */
function maskedIfFits(pieces: readonly string[], room: Room): string[] | undefined {
  if (room.left < 0) return undefined;
  room.left -= pieces.reduce((sum, { length }) => sum + length + MASKING_LIMITS.charactersPerText, 0);
  if (room.left < 0) return undefined;
  const shown = maskedPieces(pieces, room);
  return room.left < 0 ? undefined : shown;
}

export const maskedText = (text: string): string => maskedPieces([text]).join('');

/**
 * Masks a text that consists of several pieces, such as output. Also finds secrets that span pieces. If the text was
 * cut when it was recorded, the text near the cut is hidden, because it may be part of a secret. If `room.left` is
 * negative afterwards, the caller must discard the result, because not all Base64 texts were decoded.
 */
export function maskedPieces(pieces: readonly string[], room: Room = { left: Number.POSITIVE_INFINITY }): string[] {
  const [first = ''] = pieces;
  if (first.startsWith(BEGINNING_CUT)) {
    const parts = partsOf([first.slice(BEGINNING_CUT.length), ...pieces.slice(1)]);
    const near = Math.min(MASKING_LIMITS.nearCut.after, Math.ceil(parts.text.length / 2));
    return [BEGINNING_LEFT_OUT, ...shownParts(parts, room, { from: boundaryFrom(parts.text, near) })];
  }
  if (pieces.length !== 1 || !first.endsWith(REST_CUT)) return shownParts(partsOf(pieces), room);
  return [`${maskedBefore(first.slice(0, -REST_CUT.length), room)}${REST_LEFT_OUT}`];
}

/**
 * Replaces the text near a cut. This note differs from the note that marks a recorded cut, so that masking the text
 * again hides nothing more.
 */
export const BEGINNING_LEFT_OUT = '[the beginning is left out]\n';
const REST_LEFT_OUT = ' [the rest is left out]';

/**
 * Masks a text whose end was cut off. The last part of the text is searched but not shown, because it may be part of a
 * secret.
 */
function maskedBefore(text: string, room?: Room): string {
  const parts = partsOf([text]);
  const near = Math.min(MASKING_LIMITS.nearCut.before, Math.ceil(parts.text.length / 2));
  return shownParts(parts, room, { to: boundaryUpTo(parts.text, parts.text.length - near) }).join('');
}

/**
 * Masks the beginning of a text and returns its first `characters` characters. Searches at most twice as many, so that
 * masking a list of long texts is cheap.
 */
export function maskedBeginning(text: string, characters: number): string {
  const read = characters + Math.min(MASKING_LIMITS.nearCut.before, characters);
  return takeFirstCharacters(text.length <= read ? maskedText(text) : maskedBefore(text.slice(0, read)), characters);
}

/**
 * Characters that secrets hardly ever contain, apart from private keys. The text that is hidden near a cut extends to
 * the nearest of these characters.
 */
const BOUNDARY = /[\s&?#]/;

function boundaryFrom(text: string, at: number): number {
  let end = at;
  while (end < text.length && !BOUNDARY.test(text.charAt(end))) end += 1;
  return end;
}

function boundaryUpTo(text: string, at: number): number {
  let end = at;
  while (end > 0 && !BOUNDARY.test(text.charAt(end))) end -= 1;
  return end;
}

interface Parts {
  readonly pieces: readonly string[];
  /** The pieces without colors, because colors inside a secret would hide it from the patterns. */
  readonly plain: readonly string[];
  readonly text: string;
}

function partsOf(pieces: readonly string[]): Parts {
  const plain = pieces.map(removeControlSequences);
  return { pieces, plain, text: plain.join('') };
}

/**
 * Returns the masked pieces between two offsets in the plain text. Pieces with a secret and pieces that are only partly
 * shown lose their colors.
 */
function shownParts(
  { pieces, plain, text }: Parts,
  room: Room = { left: Number.POSITIVE_INFINITY },
  { from = 0, to = text.length }: { from?: number; to?: number } = {},
): string[] {
  const secrets = secretsInParts(plain, text, room);
  const shown: string[] = [];
  let start = 0;
  let next = 0;
  for (const [index, piece] of plain.entries()) {
    const end = start + piece.length;
    const last = Math.min(end, to);
    let done = Math.max(start, from);
    let masked = '';
    let isWhole = done === start && last === end;
    // The piece in which a secret begins shows the mask, even if the secret ends in a later piece.
    for (let secret = secrets[next]; secret && secret.start < end; secret = secrets[next]) {
      masked += text.slice(done, Math.min(last, Math.max(done, secret.start)));
      if (secret.start >= done && secret.start < last) masked += `${MASK}${secret.name}]`;
      isWhole = false;
      done = Math.max(done, Math.min(secret.end, end));
      if (secret.end > end) break;
      next += 1;
    }
    if (isWhole) shown.push(pieces[index] ?? '');
    else if (start < to && end > from) shown.push(masked + text.slice(done, Math.max(done, last)));
    start = end;
  }
  return shown;
}

/**
 * Finds secrets in each piece and in the joined text, because a secret may end at the end of a piece or span several
 * pieces.
 */
function secretsInParts(plain: readonly string[], text: string, room: Room): Secret[] {
  if (plain.length < 2) return secretsIn(text, room);
  let start = 0;
  const alone = plain.flatMap((piece) => {
    const offset = start;
    start += piece.length;
    return secretsIn(piece, room).map((secret) => ({
      ...secret,
      start: secret.start + offset,
      end: secret.end + offset,
    }));
  });
  return disjoint([...alone, ...secretsIn(text, room)]);
}

function secretsIn(text: string, room: Room, wraps = 0): Secret[] {
  const found = matchesIn(text, SECRET_SHAPES);
  const wrapped = wraps < MOST_WRAPS ? wrappedSecrets(wrappedTexts(text), room, wraps) : [];
  return disjoint([...found, ...wrapped, ...hiddenSecrets(text, room, wraps)]);
}

/**
 * Finds tokens that contain color codes as text, invisible characters, escapes or a line break. Other secrets are not
 * searched for, because removing such characters changes the text around a secret.
 */
function hiddenSecrets(text: string, room: Room, wraps: number): Secret[] {
  return cleanWords(text).flatMap((clean) => {
    const found = matchesIn(clean.text, TOKEN_SHAPES);
    if (wraps < MOST_WRAPS) {
      const hidden = wrappedTexts(clean.text).filter(({ start, end }) => !isPartOf(text, clean, start, end));
      found.push(...wrappedSecrets(hidden, room, wraps));
    }
    return found.map((secret) => ({ ...secret, ...clean.originalSpan(secret.start, secret.end) }));
  });
}

/** Whether this Base64 text is also one of the original text, which is decoded anyway. */
function isPartOf(text: string, clean: CleanText, from: number, to: number): boolean {
  const { start, end } = clean.originalSpan(from, to);
  const isUnchanged = text.slice(start, end) === clean.text.slice(from, to);
  return isUnchanged && !/[\w+/-]/.test(text.charAt(start - 1) + text.charAt(end));
}

function matchesIn(text: string, shapes: readonly SecretShape[]): Secret[] {
  marks ??= new MarkSearch(SECRET_SHAPES.map((shape) => shape.marks));
  return marks.groupsIn(text).flatMap((rank) => {
    const shape = shapes[rank];
    return shape ? matches(text, shape.pattern).map((at) => ({ name: shape.name, rank, ...at })) : [];
  });
}

/**
 * Sorts the secrets by position. Overlapping secrets are merged, and get the name of the format that is listed first.
 */
function disjoint(found: readonly Secret[]): Secret[] {
  const merged: Secret[] = [];
  for (const secret of found.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (!last || secret.start >= last.end) {
      merged.push(secret);
      continue;
    }
    const { name, rank } = secret.rank < last.rank ? secret : last;
    merged[merged.length - 1] = { name, rank, start: last.start, end: Math.max(last.end, secret.end) };
  }
  return merged;
}

/** Chooses the Base64 texts whose content contains a secret. Each of them is masked as a whole. */
const wrappedSecrets = (wrapped: readonly WrappedText[], room: Room, wraps: number): Secret[] =>
  wrapped.flatMap(({ start, end, content }) => {
    room.left -= content.length + MASKING_LIMITS.charactersPerWrap;
    if (room.left < 0) return [];
    const [first] = secretsIn(content, room, wraps + 1);
    return first ? [{ name: `${first.name} in Base64`, rank: SECRET_SHAPES.length, start, end }] : [];
  });

function matches(text: string, pattern: RegExp): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = match.index + (match.groups?.['before']?.length ?? 0);
    if (!text.startsWith(MASK, start)) found.push({ start, end: match.index + match[0].length });
  }
  return found;
}
