/** Masks the texts in an object, such as an answer of the API. */

import type { Room } from './find-secrets.ts';
import { MASKING_LIMITS } from './limits.ts';
import { maskPieces } from './masking.ts';

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
    for (const [index, piece] of pieces.entries()) list[index] = piece;
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
