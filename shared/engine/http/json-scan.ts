/**
 * Scans streamed JSON without parsing it, in linear time and constant memory. The result is exact for valid JSON. For
 * invalid JSON, the scan may report anything. This is harmless, because the parser refuses the document later.
 */
import { randomInt } from 'node:crypto';
import { BODY_LIMITS } from './limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The bytes that matter outside strings. `MARK_OF` maps each to its position, counted from 1, and others to 0. */
const MARKS = '",:{[}]';
const NO_MARK = 0;
const BEGIN = 1;
const NEXT = 2;
const VALUE = 3;
const OPEN_OBJECT = 4;
const OPEN_LIST = 5;
const MARK_OF = Uint8Array.from({ length: 256 }, (_, byte) => MARKS.indexOf(String.fromCharCode(byte)) + 1);

/**
 * Random, so that clients cannot construct hash collisions. The shift in `mixHash` makes every
 * multiplier usable: in a test without it, one in a hundred made most six-digit numbers collide.
 */
const MULTIPLIER = randomInt(2 ** 20, 2 ** 30) * 2 + 1;
export function mixHash(hash: number, other: number): number {
  const product = Math.imul(hash ^ other, MULTIPLIER);
  return product ^ (product >>> 15);
}

/** The raw bytes between the quotes of a string. Valid only until the visitor method returns. */
export interface Text {
  readonly hash: number;
  readonly bytes: number;
  /** The text with its escape sequences resolved. `undefined` if the text is too long. */
  spelled(): string | undefined;
}

export interface Visitor {
  /** Whether the scan can stop, because the visitor needs nothing else. */
  readonly done: boolean;
  /** Called at the beginning of an object or array. `depth`: the nesting depth of its content, counted from 1. */
  open(depth: number, isObject: boolean): void;
  name(depth: number, name: Text): void;
  text(depth: number, text: Text): void;
  /** Called at a comma between members or elements. */
  next(depth: number): void;
}

export class JsonScan implements Text {
  readonly #visitor: Visitor;
  readonly #isObject = new Uint8Array(BODY_LIMITS.depth + 2);
  readonly #raw = Buffer.alloc(BODY_LIMITS.credentialBytes);
  #depth = 0;
  #isName = false;
  #inText = false;
  #isEscaped = false;
  hash = 0;
  bytes = 0;

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
  }

  push(part: Uint8Array): void {
    let at = 0;
    while (at < part.length && !this.#visitor.done)
      at = this.#inText ? this.#scanText(part, at) : this.#scanStructure(part, at);
  }

  /** Scans to the end of the string or of `part`. Returns the position at which the scan continues. */
  #scanText(part: Uint8Array, start: number): number {
    let hash = this.hash;
    let isEscaped = this.#isEscaped;
    let bytes = this.bytes;
    let at = start;
    for (; at < part.length; at += 1) {
      const byte = part[at] ?? 0;
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) break;
      else isEscaped = byte === BACKSLASH;
      hash = mixHash(hash, byte);
      if (bytes < BODY_LIMITS.credentialBytes) this.#raw[bytes] = byte;
      bytes += 1;
    }
    this.hash = hash;
    this.#isEscaped = isEscaped;
    this.bytes = bytes;
    if (at < part.length) {
      this.#inText = false;
      if (this.#isName) this.#visitor.name(this.#depth, this);
      else this.#visitor.text(this.#depth, this);
    }
    return at + 1;
  }

  spelled(): string | undefined {
    if (this.bytes > this.#raw.length) return undefined;
    const text = this.#raw.toString('utf8', 0, this.bytes);
    if (!text.includes('\\')) return text;
    try {
      return String(JSON.parse(`"${text}"`));
    } catch {
      return text;
    }
  }

  /** Scans to the beginning of the next string, or to the end of `part`. Skips numbers, literals and whitespace. */
  #scanStructure(part: Uint8Array, start: number): number {
    for (let at = start; at < part.length; at += 1) {
      const mark = MARK_OF[part[at] ?? 0];
      if (mark === NO_MARK) continue;
      if (mark === BEGIN) {
        this.#inText = true;
        this.hash = 0;
        this.bytes = 0;
        return at + 1;
      }
      if (mark === NEXT) {
        this.#isName = this.#isObject[this.#depth] === 1;
        this.#visitor.next(this.#depth);
      } else if (mark === VALUE) this.#isName = false;
      else if (mark === OPEN_OBJECT || mark === OPEN_LIST) this.#open(mark === OPEN_OBJECT);
      else {
        this.#depth = Math.max(0, this.#depth - 1);
        this.#isName = false;
      }
    }
    return part.length;
  }

  #open(isObject: boolean): void {
    this.#depth += 1;
    this.#isObject[this.#depth] = isObject ? 1 : 0;
    this.#isName = isObject;
    this.#visitor.open(this.#depth, isObject);
  }
}
