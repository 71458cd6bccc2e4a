/**
 * Replaces known secret formats in texts from tests: `[masked: GitHub token]`.
 *
 * Mask before cutting: a part of a secret no longer matches its pattern.
 */
import { withoutAnsi } from '#shared/engine/plain-text.ts';
import { SECRET_SHAPES } from './secret-shapes.ts';
import { wrappedTexts } from './wrapped-texts.ts';

/** The prefix of every mask. No secret starts with it. */
const MASK = '[masked: ';

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
  const copy = structuredClone(context);
  maskMembers(copy, { linksAreOurs: false, keeps });
  return copy;
}

interface Kept {
  readonly linksAreOurs: boolean;
  readonly keeps: ReadonlySet<string>;
}

function maskMembers(holder: object, { linksAreOurs, keeps }: Kept): void {
  if (Array.isArray(holder) && holder.every((one) => typeof one === 'string')) {
    holder.splice(0, holder.length, ...maskedPieces(holder));
    return;
  }
  for (const [key, value] of Object.entries(holder)) {
    if (typeof value === 'string') {
      const isKept = IDS.has(key) || keeps.has(key) || (linksAreOurs && key === 'url');
      if (!isKept) Reflect.set(holder, key, maskedText(value));
    } else if (typeof value === 'object' && value !== null) {
      maskMembers(value, { linksAreOurs: linksAreOurs || OUR_LINKS.has(key), keeps });
    }
  }
}

export const maskedText = (text: string): string => maskedPieces([text]).join('');

/** Masks a text in pieces, such as output. Also finds secrets that span pieces. */
export function maskedPieces(pieces: readonly string[]): string[] {
  const alone = pieces.map((piece) => maskedTogether([piece])[0] ?? '');
  return pieces.length > 1 ? maskedTogether(alone) : alone;
}

function maskedTogether(pieces: readonly string[]): string[] {
  // Colors inside a secret would hide it from the patterns, so such a text loses its colors.
  const plain = pieces.map(withoutAnsi);
  const secrets = secretsIn(plain.join(''));
  if (secrets.length === 0) return [...pieces];
  let start = 0;
  return plain.map((piece) => {
    const text = withMasks(piece, start, secrets);
    start += piece.length;
    return text;
  });
}

/** `piece` begins at `start` of the whole text. The piece in which a secret begins gets the mask. */
function withMasks(piece: string, start: number, secrets: readonly Secret[]): string {
  let text = '';
  let done = 0;
  for (const secret of secrets) {
    const [from, to] = [secret.start - start, secret.end - start];
    if (to <= done || from >= piece.length) continue;
    text += piece.slice(done, Math.max(done, from));
    if (from >= 0) text += `${MASK}${secret.name}]`;
    done = Math.min(to, piece.length);
  }
  return text + piece.slice(done);
}

/**
 * The secrets of a text, in order and disjoint. Overlapping secrets merge and keep the name of the first listed shape.
 */
function secretsIn(text: string): Secret[] {
  const lower = text.toLowerCase();
  const found = SECRET_SHAPES.flatMap(({ name, marks, pattern }, rank) =>
    marks?.some((mark) => lower.includes(mark)) === false
      ? []
      : matches(text, pattern).map((at) => ({ name, rank, ...at })),
  );
  found.push(...wrappedSecrets(text));
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
const wrappedSecrets = (text: string) =>
  wrappedTexts(text).flatMap(({ start, end, content }) => {
    const [first] = secretsIn(content);
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
