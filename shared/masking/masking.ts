/**
 * Replaces known secret formats in texts from tests: `[masked: GitHub token]`.
 *
 * Mask before cutting: a part of a secret no longer matches its pattern.
 */
import { BEGINNING_CUT, REST_CUT } from '#shared/engine/cut-text.ts';
import { beginningOf, withoutAnsi } from '#shared/engine/plain-text.ts';
import { MASKING_LIMITS } from './limits.ts';
import { MarkSearch } from './mark-search.ts';
import { SECRET_SHAPES } from './secret-shapes.ts';
import { wrappedTexts } from './wrapped-texts.ts';

/** The prefix of every mask. No secret starts with it. */
const MASK = '[masked: ';

/** How many levels of nested Base64 are decoded. The two alphabets may double the work at each level. */
const MOST_WRAPS = 3;

/** Created for the first text, because many functions never mask one. */
let marks: MarkSearch | undefined;

interface Secret {
  readonly name: string;
  /** The index of the secret's shape in `SECRET_SHAPES`. */
  readonly rank: number;
  readonly start: number;
  /** The index after the last character of the secret. */
  readonly end: number;
}

/** Members with our own signed links. They expire soon, and a masked link would not work. */
const OUR_LINKS = new Set(['assets', 'errorContext']);
/** Members whose ids the client needs for the next request. */
const IDS = new Set(['projectId', 'runId', 'instanceId', 'testId', 'signature']);

/**
 * Copies the value and masks all texts except our ids and links, and members named in `keeps`. Keys stay. Texts without
 * secrets keep their colors.
 */
export function masked<Context extends object>(context: Context, keeps: ReadonlySet<string> = IDS): Context {
  return maskedWithin(context, Number.POSITIVE_INFINITY, keeps).shown;
}

/** Replaces a text beyond the limit. */
export const LEFT_OUT = '[left out]';

interface MaskedWithin<Context> {
  readonly shown: Context;
  /** Whether no text was left out. */
  readonly isWhole: boolean;
}

/**
 * Masks up to this many `characters` in total, counting repeated texts once, and leaves out all further texts. A text
 * is never cut before it is masked: the rest of a secret that was cut would not be recognized.
 */
export function maskedWithin<Context extends object>(
  context: Context,
  characters: number,
  keeps: ReadonlySet<string> = IDS,
): MaskedWithin<Context> {
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

/** Memoizes the change, because the same error occurs in tests, steps and attempts. */
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

/** The number of characters that may still be masked. Base64 uses up more, because its contents are searched, too. */
interface Room {
  left: number;
}

interface Texts {
  readonly linksAreOurs: boolean;
  readonly keeps: ReadonlySet<string>;
  readonly change: Change;
}

function changeTexts(holder: object, texts: Texts): void {
  if (Array.isArray(holder)) changeList(holder, texts);
  else changeMembers(holder, texts);
}

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
  // Nested values come last, as in the response, so that what does not fit is at its end.
  for (const key of keys) {
    const value: unknown = Reflect.get(holder, key);
    if (typeof value !== 'object' || value === null) continue;
    changeTexts(value, OUR_LINKS.has(key) ? { ...texts, linksAreOurs: true } : texts);
  }
}

/**
 * Masks the pieces and subtracts their size from `room`. Returns `undefined` if they do not fit. After that, all later
 * pieces are refused too.
 */
function maskedIfFits(pieces: readonly string[], room: Room): string[] | undefined {
  if (room.left < 0) return undefined;
  room.left -= sizeOf(pieces);
  if (room.left < 0) return undefined;
  const shown = maskedPieces(pieces, room);
  return room.left < 0 ? undefined : shown;
}

const sizeOf = (pieces: readonly string[]): number =>
  pieces.reduce((sum, { length }) => sum + length + MASKING_LIMITS.charactersPerText, 0);

export const maskedText = (text: string): string => maskedPieces([text]).join('');

/**
 * Masks a text that comes in pieces, such as output. Also finds secrets that span pieces. Where recording cut the text,
 * hides what is near the cut, which may be part of a secret. If the room is used up afterwards, discard the result:
 * Base64 beyond it was not decoded.
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
 * Replaces the text near a cut. Differs from the note that recording leaves, so that masking again hides nothing more.
 */
export const BEGINNING_LEFT_OUT = '[the beginning is left out]\n';
const REST_LEFT_OUT = ' [the rest is left out]';

/** Masks a text whose end was cut off. Its last part is searched but not shown, because it may be part of a secret. */
function maskedBefore(text: string, room?: Room): string {
  const parts = partsOf([text]);
  const near = Math.min(MASKING_LIMITS.nearCut.before, Math.ceil(parts.text.length / 2));
  return shownParts(parts, room, { to: boundaryUpTo(parts.text, parts.text.length - near) }).join('');
}

/** The first characters of a text, masked. Searches little more than those, so that lists of long texts are cheap. */
export function maskedBeginning(text: string, characters: number): string {
  const read = characters + Math.min(MASKING_LIMITS.nearCut.before, characters);
  return beginningOf(text.length <= read ? maskedText(text) : maskedBefore(text.slice(0, read)), characters);
}

/** Characters that do not occur in secrets longer than the hidden text near a cut. */
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
  const plain = pieces.map(withoutAnsi);
  return { pieces, plain, text: plain.join('') };
}

/** The pieces between two offsets in the plain text. Pieces with a secret are shown without colors. */
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
    // The piece in which a secret begins gets the mask. A secret may end in a later piece.
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

/** A secret may end with its piece, or span several. */
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
  marks ??= new MarkSearch(SECRET_SHAPES.map((shape) => shape.marks));
  const found = marks.groupsIn(text).flatMap((rank) => {
    const shape = SECRET_SHAPES[rank];
    return shape ? matches(text, shape.pattern).map((at) => ({ name: shape.name, rank, ...at })) : [];
  });
  if (wraps < MOST_WRAPS) found.push(...wrappedSecrets(text, room, wraps));
  return disjoint(found);
}

/** The secrets in order. Overlapping ones merge and keep the name of the first listed shape. */
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

/** Masks a whole Base64 text if its content has a secret. */
const wrappedSecrets = (text: string, room: Room, wraps: number) =>
  wrappedTexts(text).flatMap(({ start, end, content }) => {
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
