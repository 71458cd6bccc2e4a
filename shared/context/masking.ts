/**
 * Secrets of known shapes in texts from tests, replaced by what they were: `[masked: GitHub token]`.
 *
 * Mask before anything is cut: what is left of a secret may no longer look like one.
 */
import { NAMED_SECRETS } from './named-secrets.ts';
import { withoutAnsi } from './plain-text.ts';
import { SECRET_SHAPES } from './secret-shapes.ts';

const SHAPES = [...SECRET_SHAPES, ...NAMED_SECRETS];

/** What a mask begins with. A secret never does. */
const MASK = '[masked: ';

interface Secret {
  readonly name: string;
  readonly start: number;
  /** After its last character. */
  readonly end: number;
}

/** Members whose links are ours: signed, short-lived, and of no use when masked. */
const OUR_LINKS = new Set(['assets', 'errorContext']);
/** They name what to ask for next. */
const IDS = new Set(['projectId', 'runId', 'instanceId', 'testId', 'signature']);

/** A copy with every text masked but ids and links of ours. Keys stay; so do colours of texts that hold no secret. */
export function masked<Context extends object>(context: Context): Context {
  const copy = structuredClone(context);
  maskMembers(copy, false);
  return copy;
}

function maskMembers(holder: object, linksAreOurs: boolean): void {
  if (Array.isArray(holder) && holder.every((one) => typeof one === 'string')) {
    holder.splice(0, holder.length, ...maskedPieces(holder));
    return;
  }
  for (const [key, value] of Object.entries(holder)) {
    if (typeof value === 'string') {
      if (!IDS.has(key) && !(linksAreOurs && key === 'url')) Reflect.set(holder, key, maskedText(value));
    } else if (typeof value === 'object' && value !== null) {
      maskMembers(value, linksAreOurs || OUR_LINKS.has(key));
    }
  }
}

export const maskedText = (text: string): string => maskedPieces([text]).join('');

/** Of a text that came in pieces, as output does: secrets in one of them, and those that only all of them together show. */
export function maskedPieces(pieces: readonly string[]): string[] {
  const alone = pieces.map((piece) => maskedTogether([piece])[0] ?? '');
  return pieces.length > 1 ? maskedTogether(alone) : alone;
}

function maskedTogether(pieces: readonly string[]): string[] {
  // Colours may stand within a secret, and hide it. They are worth less than what they hide.
  const plain = pieces.map(withoutAnsi);
  const secrets = secretsIn(plain.join(''));
  if (secrets.length === 0) return [...pieces];
  let start = 0;
  return plain.map((piece) => {
    const text = covered(piece, start, secrets);
    start += piece.length;
    return text;
  });
}

/** `piece` begins at `start` of the text that the secrets were found in. The mask stands where a secret begins. */
function covered(piece: string, start: number, secrets: readonly Secret[]): string {
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

/** In their order, none within another: of those that overlap, the outline of all and the name of the first shape listed. */
function secretsIn(text: string): Secret[] {
  const found = SHAPES.flatMap(({ name, pattern }, rank) =>
    matches(text, pattern).map((at) => ({ name, rank, ...at })),
  );
  found.sort((one, other) => one.start - other.start);
  const apart: typeof found = [];
  for (const secret of found) {
    const last = apart.at(-1);
    if (!last || secret.start >= last.end) {
      apart.push(secret);
      continue;
    }
    const { name, rank } = secret.rank < last.rank ? secret : last;
    apart[apart.length - 1] = { name, rank, start: last.start, end: Math.max(last.end, secret.end) };
  }
  return apart;
}

function matches(text: string, pattern: RegExp): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = match.index + (match.groups?.['before']?.length ?? 0);
    if (!text.startsWith(MASK, start)) found.push({ start, end: match.index + match[0].length });
  }
  return found;
}
