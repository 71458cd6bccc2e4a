/** Reads a JSON document and builds only the parts that a parser asks for, one at a time. */

import { copyText } from '#shared/engine/own-copy.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';

interface Container {
  /** The object or list that is being built. `undefined` outside the requested parts. */
  readonly value: Record<string, unknown> | unknown[] | undefined;
  readonly path: string;
  readonly isObject: boolean;
  name: string;
}

interface PieceTaker {
  /** Called with each part. `cut`: the objects and lists of the part that are incomplete because the file ended. */
  take(path: string, value: unknown, cut: ReadonlySet<unknown>): void;
  /** Called at the end of each object and list around the parts. */
  close?(path: string): void;
  /** Whether the rest of the document can be skipped, because the limits of the report have been reached. */
  readonly full: boolean;
}

const { work } = REPORT_LIMITS;
const NOTHING_CUT: ReadonlySet<unknown> = new Set();

export class PieceReader {
  readonly #paths: ReadonlySet<string>;
  /** The paths around the parts, and whether each is an object or a list. */
  readonly #around: ReadonlyMap<string, boolean>;
  readonly #taker: PieceTaker;
  readonly #input: ParserInput;
  readonly #tokens = new JsonTokens(this);
  readonly #open: Container[] = [];
  #characters = 0;
  tooLarge = false;
  /** Whether something else stands where an object or list with parts should be, so that parts may be missing. */
  misshapen = false;
  /** Whether another report of the same kind follows, which is not read. */
  hasMore = false;

  /** `paths`: the paths of the parts, such as `results.tests.*`. */
  constructor(paths: readonly string[], taker: PieceTaker, input: ParserInput) {
    this.#paths = new Set(paths);
    this.#around = listPathsAround(paths);
    this.#taker = taker;
    this.#input = input;
  }

  get whole(): boolean {
    return this.#tokens.whole && !this.hasMore;
  }

  /** Whether parts are incomplete, because they are nested too deeply. */
  get tooDeep(): boolean {
    return this.#tokens.tooDeep;
  }

  async read(text: AsyncIterable<string>): Promise<void> {
    let before = '';
    let after = '';
    for await (const part of text) {
      const end = this.#tokens.write(part);
      if (this.#tokens.broken || this.#taker.full || after.length === OPENING_CHARACTERS) break;
      if (before.length < OPENING_CHARACTERS) before = keepOpening(before, part.slice(0, end));
      if (this.#tokens.whole) after = keepOpening(after, part.slice(end));
    }
    if (!this.#tokens.whole && !this.#taker.full) this.#end();
    const opening = OPENING.exec(before)?.[0];
    this.hasMore = this.#tokens.whole && opening !== undefined && opening === OPENING.exec(after)?.[0];
  }

  /** Passes the incomplete part at the end of a truncated file to `take`. */
  #end(): void {
    const first = this.#open.find(({ value }) => value !== undefined);
    const cut = new Set<unknown>(this.#open.map(({ value }) => value));
    if (first) this.#take(first.path, first.value, cut);
  }

  open(isObject: boolean): void {
    const path = this.#path();
    this.work(work.jsonContainer);
    const isInside = this.#open.at(-1)?.value !== undefined;
    const isPiece = !isInside && this.#paths.has(path);
    if (!(isInside || isPiece) && this.#around.get(path) === !isObject) this.misshapen = true;
    if (isPiece) this.#characters = 0;
    // The object has no prototype, so that a name such as `__proto__` is an ordinary member.
    const value = isInside || isPiece ? (isObject ? Object.create(null) : []) : undefined;
    if (isInside) this.#add(value);
    this.#open.push({ value, path: isInside ? '' : path, isObject, name: '' });
  }

  close(): void {
    const container = this.#open.pop();
    const isPiece = container?.value !== undefined && this.#open.at(-1)?.value === undefined;
    if (isPiece) this.#take(container.path, container.value);
    else if (container?.value === undefined && container) this.#taker.close?.(container.path);
  }

  name(name: string): void {
    this.work(work.jsonName);
    const container = this.#open.at(-1);
    if (container) container.name = name;
  }

  #take(path: string, value: unknown, cut: ReadonlySet<unknown> = NOTHING_CUT): void {
    this.work(work.jsonPart);
    if (!this.#taker.full) this.#taker.take(path, value, cut);
  }

  /** Receives a value. A string that is longer than the limit arrives as `null`. */
  value(value: Scalar): void {
    this.work(work.jsonValue);
    if (this.#open.at(-1)?.value !== undefined) this.#add(value);
    else this.#valueAt(this.#path(), value);
  }

  #valueAt(path: string, value: Scalar): void {
    if (this.#paths.has(path)) this.#take(path, value);
    // A member that is `null` counts as absent.
    else if ((value !== null || path.endsWith('*')) && this.#around.has(path)) this.misshapen = true;
  }

  work(units: number): void {
    this.#input.reading.work(units, this.#input.name);
  }

  #path(): string {
    const container = this.#open.at(-1);
    if (!container) return '';
    const segment = container.isObject ? container.name : '*';
    return container.path === '' ? segment : `${container.path}.${segment}`;
  }

  /** Adds a member to the current object or list. Leaves it out if the part would exceed the character limit. */
  #add(member: unknown): void {
    const container = this.#open.at(-1);
    if (!container?.value) return;
    this.#characters += estimateSize(member);
    if (this.#characters > REPORT_LIMITS.pieceCharacters) this.tooLarge = true;
    else if (Array.isArray(container.value)) container.value.push(member);
    else container.value[container.name] = member;
  }
}

function listPathsAround(paths: readonly string[]): ReadonlyMap<string, boolean> {
  const around = new Map<string, boolean>();
  for (const whole of paths) {
    for (let path = whole; path !== ''; ) {
      const dot = path.lastIndexOf('.');
      const outer = path.slice(0, Math.max(0, dot));
      if (around.has(outer)) break;
      around.set(outer, path.slice(dot + 1) !== '*');
      path = outer;
    }
  }
  return around;
}

// Two runs that write to one file leave two reports, of which the second may have the failures. Other text after a report,
// such as a log, does no harm.
const OPENING = /^\[?\{"[^"]{1,100}":/;
const OPENING_CHARACTERS = 200;
const keepOpening = (opening: string, part: string): string =>
  (opening + part.slice(0, MOST_OPENING).replaceAll(/\s/g, '')).slice(0, OPENING_CHARACTERS);
const MOST_OPENING = 10_000;

/** In characters. An object without a prototype is a hash table, which needs more memory. */
const estimateSize = (member: unknown): number => {
  if (typeof member === 'string') return MEMBER_CHARACTERS + member.length;
  return typeof member === 'object' && member !== null ? CONTAINER_CHARACTERS : MEMBER_CHARACTERS;
};
const MEMBER_CHARACTERS = 32;
const CONTAINER_CHARACTERS = 128;

type Scalar = string | number | boolean | null;

const LITERAL_CHARACTERS = 64;
const LITERAL = /[^\s,:[\]{}"]*/y;
const WORDS: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Needs bounded memory, unlike `JSON.parse`. Commas and colons are not checked, to read damaged reports as well. */
class JsonTokens {
  readonly #events: PieceReader;
  /** For each open object or list, whether it is an object. */
  readonly #objects: boolean[] = [];
  /** The number of open objects and lists that are nested too deeply to be read. */
  #hidden = 0;
  #isName = false;
  #text: string | undefined;
  #isCut = false;
  #escaped = false;
  #literal = '';
  #begun = false;
  /** Whether objects or lists were left out, because they are nested too deeply. */
  tooDeep = false;
  broken = false;

  constructor(events: PieceReader) {
    this.#events = events;
  }

  get whole(): boolean {
    return this.#begun && this.#objects.length === 0 && this.#text === undefined && !this.broken;
  }

  /** Reads more text. Returns where the document is complete or turns out to be damaged, or the length of the text. */
  write(chunk: string): number {
    let at = 0;
    let marks = 0;
    while (at < chunk.length && !this.broken && !this.whole) {
      at = this.#text === undefined ? this.#next(chunk, at) : this.#inText(chunk, at, this.#text);
      marks += 1;
    }
    this.#events.work(marks * work.jsonMark);
    return at;
  }

  #next(chunk: string, at: number): number {
    const character = chunk[at] ?? '';
    if (character <= ' ' && this.#literal === '') return skipBlanks(chunk, at);
    if (/[^\s,:[\]{}"]/.test(character)) return this.#inLiteral(chunk, at);
    this.#endLiteral();
    if (character === '{' || character === '[') this.#open(character === '{');
    else if (character === '}' || character === ']') this.#close(character === '}');
    else if (character === '"') this.#begin();
    else if (character === ',') this.#isName = this.#objects.at(-1) === true;
    else if (character === ':') this.#isName = false;
    return at + 1;
  }

  #inLiteral(chunk: string, at: number): number {
    LITERAL.lastIndex = at;
    const part = LITERAL.exec(chunk)?.[0] ?? '';
    this.#literal += part;
    if (this.#literal.length > LITERAL_CHARACTERS || this.#objects.length === 0) this.broken = true;
    return at + part.length;
  }

  #endLiteral(): void {
    const literal = this.#literal;
    if (literal === '') return;
    this.#literal = '';
    const word = WORDS.get(literal);
    const value = word === undefined ? Number(literal) : word;
    if (Number.isNaN(value)) this.broken = true;
    else this.#value(value);
  }

  #begin(): void {
    this.#text = '';
    this.#isCut = false;
    this.#escaped = false;
    if (this.#objects.length === 0) this.broken = true;
  }

  #inText(chunk: string, start: number, before: string): number {
    // The first character continues an escape sequence.
    const from = this.#escaped ? start + 1 : start;
    const end = findTextEnd(chunk, from);
    this.#escaped = end === chunk.length && isEscaped(chunk, from, end);
    this.#keep(before, chunk.slice(start, end));
    if (end < chunk.length) this.#endText();
    return end + 1;
  }

  #keep(before: string, part: string): void {
    const most = this.#isName ? REPORT_LIMITS.jsonNameCharacters : REPORT_LIMITS.jsonStringCharacters;
    if (before.length + part.length > most) this.#isCut = true;
    this.#text = this.#isCut ? '' : before + part;
  }

  #endText(): void {
    const text = this.#isCut ? null : unescapeText(this.#text ?? '');
    this.#text = undefined;
    if (!this.#isName) this.#value(text);
    else if (this.#hidden === 0) this.#events.name(text ?? '');
    this.#isName = false;
  }

  #value(value: Scalar): void {
    if (this.#hidden === 0) this.#events.value(value);
  }

  #open(isObject: boolean): void {
    this.#begun = true;
    this.#isName = isObject;
    if (this.#hidden > 0 || this.#objects.length === REPORT_LIMITS.jsonDepth) {
      this.#hidden += 1;
      this.tooDeep = true;
    } else {
      this.#objects.push(isObject);
      this.#events.open(isObject);
    }
  }

  #close(isObject: boolean): void {
    if (this.#hidden > 0) this.#hidden -= 1;
    else if (this.#objects.at(-1) !== isObject) this.broken = true;
    else {
      this.#objects.pop();
      this.#events.close();
    }
  }
}

/** The position of the quote that ends a text, or the end of the chunk. Escape sequences are not visited one by one. */
function findTextEnd(chunk: string, from: number): number {
  let end = chunk.indexOf('"', from);
  while (end !== -1 && isEscaped(chunk, from, end)) end = chunk.indexOf('"', end + 1);
  return end === -1 ? chunk.length : end;
}

/** Whether an odd number of backslashes stands before the place. */
function isEscaped(chunk: string, from: number, place: number): boolean {
  let first = place;
  while (first > from && chunk[first - 1] === '\\') first -= 1;
  return (place - first) % 2 === 1;
}

/** The position after a run of white space. Skipping it in one step is faster, because reports are often indented. */
function skipBlanks(chunk: string, at: number): number {
  let end = at + 1;
  while (end < chunk.length && chunk.charCodeAt(end) <= SPACE) end += 1;
  return end;
}
const SPACE = 0x20;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the purpose is to find raw control characters
const RAW_CONTROLS = /[\u0000-\u001f]/g;

/** Resolves the escape sequences of a string. Some tools fail to escape control characters. */
function unescapeText(text: string): string {
  if (!text.includes('\\')) return copyText(text);
  try {
    return String(JSON.parse(`"${text.replaceAll(RAW_CONTROLS, ' ')}"`));
  } catch {
    return copyText(text);
  }
}
