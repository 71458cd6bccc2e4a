/**
 * Checks JSON before it is parsed: counts everything, apart from the size, that makes parsing expensive. Even the
 * largest allowed suite stays below the limits.
 */

import { bodyTooDeep, bodyTooIntricate, nameTooLong, reservedName } from '#shared/engine/errors.ts';
import { JsonScan, mixHash, type Text, type Visitor } from './json-scan.ts';
import { BODY_LIMITS } from './limits.ts';
import { NumberSet } from './number-set.ts';

/** Names that enable prototype pollution in code that copies objects member by member. */
type Mark = 'proto' | 'constructor' | 'prototype' | undefined;
const MARKS: ReadonlyMap<string, Mark> = new Map([
  ['__proto__', 'proto'],
  ['constructor', 'constructor'],
  ['prototype', 'prototype'],
]);

/** V8 interns strings up to this size, so each distinct short string is added to its string table. */
const WORD_BYTES = 10;

class Cost implements Visitor {
  readonly done = false;
  #parts = 0;
  #containers = 0;
  #strings = 0;
  /** By depth: the hash of the object's names so far. V8 allocates a shape for each distinct list of names. */
  readonly #form = new Int32Array(BODY_LIMITS.depth + 1);
  readonly #forms = new NumberSet();
  readonly #words = new NumberSet();
  readonly #marks = new Map<number, Mark>();
  /** By depth: whether the last name was `constructor`, and whether the object is the value of such a member. */
  readonly #named = new Uint8Array(BODY_LIMITS.depth + 1);
  readonly #inConstructor = new Uint8Array(BODY_LIMITS.depth + 1);

  open(depth: number): void {
    if (depth > BODY_LIMITS.depth) throw bodyTooDeep(BODY_LIMITS.depth);
    this.#form[depth] = 0;
    this.#inConstructor[depth] = this.#named[depth - 1] ?? 0;
    this.#named[depth] = 0;
    this.#containers += 1;
    if (this.#containers > BODY_LIMITS.containers) throw bodyTooIntricate('objects and arrays', BODY_LIMITS.containers);
    this.#part();
  }

  next(depth: number): void {
    this.#named[depth] = 0;
    this.#part();
  }

  name(depth: number, name: Text): void {
    if (name.bytes > BODY_LIMITS.nameBytes) throw nameTooLong(BODY_LIMITS.nameBytes);
    const mark = this.#markOf(name);
    if (mark === 'proto' || (mark === 'prototype' && this.#inConstructor[depth] === 1)) throw reservedName();
    this.#named[depth] = mark === 'constructor' ? 1 : 0;
    const form = mixHash(this.#form[depth] ?? 0, name.hash);
    this.#form[depth] = form;
    this.#forms.add(form);
    if (this.#forms.size > BODY_LIMITS.forms)
      throw bodyTooIntricate('objects with different sets of names', BODY_LIMITS.forms);
  }

  text(_: number, { bytes, hash }: Text): void {
    this.#strings += 1;
    if (this.#strings > BODY_LIMITS.strings) throw bodyTooIntricate('strings', BODY_LIMITS.strings);
    if (bytes > WORD_BYTES) return;
    this.#words.add(hash);
    if (this.#words.size > BODY_LIMITS.words) throw bodyTooIntricate('different short strings', BODY_LIMITS.words);
  }

  #part(): void {
    this.#parts += 1;
    if (this.#parts > BODY_LIMITS.parts) throw bodyTooIntricate('values', BODY_LIMITS.parts);
  }

  #markOf(name: Text): Mark {
    if (this.#marks.has(name.hash)) return this.#marks.get(name.hash);
    const mark = MARKS.get(name.spelled() ?? '');
    this.#marks.set(name.hash, mark);
    return mark;
  }
}

export const refuseIntricate = (text: Uint8Array): void => new JsonScan(new Cost()).push(text);
