/**
 * Replaces known secret formats in texts from tests: `[masked: GitHub token]`.
 *
 * Mask before cutting: a part of a secret no longer matches its pattern.
 */
import { withoutAnsi } from '#shared/engine/plain-text.ts';
import { CONTEXT_LIMITS } from './limits.ts';
import { MarkSearch } from './mark-search.ts';
import { SECRET_SHAPES } from './secret-shapes.ts';
import { wrappedTexts } from './wrapped-texts.ts';

/** The prefix of every mask. No secret starts with it. */
const MASK = '[masked: ';

/** Base64 inside Base64 is decoded so many times. Both alphabets may double the work each time. */
const MOST_WRAPS = 3;

/** Made for the first text, because many functions that start never mask one. */
let marks: MarkSearch | undefined;

interface Secret {
  readonly name: string;
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

/** What stands for a text beyond the limit. */
export const LEFT_OUT = '[left out]';

interface MaskedWithin<Context> {
  readonly shown: Context;
  /** Whether all texts are in it. */
  readonly isWhole: boolean;
}

/**
 * Masks texts of `characters` in total, where repeated texts count once, and leaves out all further texts. A text is never
 * cut before it is masked: the rest of a secret that was cut would not be recognized.
 */
export function maskedWithin<Context extends object>(
  context: Context,
  characters: number,
  keeps: ReadonlySet<string> = IDS,
): MaskedWithin<Context> {
  const shown = structuredClone(context);
  const room: Room = { left: characters };
  maskMembers(shown, { linksAreOurs: false, keeps, known: new Map(), room });
  return { shown, isWhole: room.left >= 0 };
}

/** The characters that may still be masked. Base64 takes more of it, because its contents are searched too. */
interface Room {
  left: number;
}

interface Kept {
  readonly room: Room;
  readonly linksAreOurs: boolean;
  readonly keeps: ReadonlySet<string>;
  /** Texts that were masked before. The same error occurs in tests, steps and attempts. */
  readonly known: Map<string, string>;
}

function maskMembers(holder: object, kept: Kept): void {
  const { linksAreOurs, keeps } = kept;
  // An empty list may be one of objects.
  if (Array.isArray(holder) && holder.length > 0 && holder.every((one) => typeof one === 'string')) {
    const pieces = maskedIfFits(holder, kept.room) ?? [LEFT_OUT];
    pieces.forEach((piece, index) => {
      holder[index] = piece;
    });
    holder.length = pieces.length;
    return;
  }
  for (const [key, value] of Object.entries(holder)) {
    if (typeof value === 'string') {
      const isKept = IDS.has(key) || keeps.has(key) || (linksAreOurs && key === 'url');
      if (!isKept) Reflect.set(holder, key, maskedOnce(value, kept));
    } else if (typeof value === 'object' && value !== null) {
      maskMembers(value, { ...kept, linksAreOurs: linksAreOurs || OUR_LINKS.has(key) });
    }
  }
}

function maskedOnce(text: string, kept: Kept): string {
  const known = kept.known.get(text);
  if (known !== undefined) return known;
  const pieces = maskedIfFits([text], kept.room);
  if (!pieces) return LEFT_OUT;
  const shown = pieces.join('');
  kept.known.set(text, shown);
  return shown;
}

/** Takes the pieces from the room. After the first that do not fit, none do. */
function maskedIfFits(pieces: readonly string[], room: Room): string[] | undefined {
  if (room.left < 0) return undefined;
  room.left -= pieces.reduce((sum, { length }) => sum + length + CONTEXT_LIMITS.charactersPerText, 0);
  if (room.left < 0) return undefined;
  const shown = maskedPieces(pieces, room);
  return room.left < 0 ? undefined : shown;
}

export const maskedText = (text: string): string => maskedPieces([text]).join('');

/**
 * Masks a text in pieces, such as output. Also finds secrets that span pieces. The result counts only if it leaves room:
 * Base64 beyond it is not decoded.
 */
export function maskedPieces(pieces: readonly string[], room: Room = { left: Number.POSITIVE_INFINITY }): string[] {
  const alone = pieces.map((piece) => maskedTogether([piece], room)[0] ?? '');
  return pieces.length > 1 ? maskedTogether(alone, room) : alone;
}

function maskedTogether(pieces: readonly string[], room: Room): string[] {
  // Colors inside a secret would hide it from the patterns, so such a text loses its colors.
  const plain = pieces.map(withoutAnsi);
  const secrets = secretsIn(plain.join(''), room);
  if (secrets.length === 0) return [...pieces];
  let start = 0;
  let next = 0;
  return plain.map((piece) => {
    const end = start + piece.length;
    let text = '';
    let done = start;
    // The piece in which a secret begins gets the mask. A secret may end in a later piece.
    for (let secret = secrets[next]; secret && secret.start < end; secret = secrets[next]) {
      text += piece.slice(done - start, Math.max(done, secret.start) - start);
      if (secret.start >= start) text += `${MASK}${secret.name}]`;
      done = Math.min(secret.end, end);
      if (secret.end > end) break;
      next += 1;
    }
    text += piece.slice(done - start);
    start = end;
    return text;
  });
}

/**
 * The secrets of a text, in order and disjoint. Overlapping secrets merge and keep the name of the first listed shape.
 */
function secretsIn(text: string, room: Room, wraps = 0): Secret[] {
  marks ??= new MarkSearch(SECRET_SHAPES.map((shape) => shape.marks));
  const found = marks.groupsIn(text).flatMap((rank) => {
    const shape = SECRET_SHAPES[rank];
    return shape ? matches(text, shape.pattern).map((at) => ({ name: shape.name, rank, ...at })) : [];
  });
  if (wraps < MOST_WRAPS) found.push(...wrappedSecrets(text, room, wraps));
  if (found.length < 2) return found;
  found.sort((one, other) => one.start - other.start);
  const merged: typeof found = [];
  for (const secret of found) {
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
    room.left -= content.length + CONTEXT_LIMITS.charactersPerWrap;
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
