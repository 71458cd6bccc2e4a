/**
 * Finds the words of a text that contain characters which hide a token from the patterns, and removes these characters:
 * color codes as text, invisible characters, escapes, and line breaks inside a token.
 */

/** The escape character as text, as writers of XML, JSON, URLs and terminals print it. */
const ESC = String.raw`(?:\\{1,4}(?:u00[19]b|u\{1b\}|x[19]b|033|e)|%(?:25){0,2}1b|&?#(?:27|x1b);?|\^\[|\u241b)`;
const BRACKET = String.raw`(?:\[|%5b|\\{1,4}u005b|&#91;)`;
/** Some writers drop the escape character of a color, or replace it by a question mark. */
const COLOR = String.raw`(?:${ESC}|[?\ufffd])?${BRACKET}\d{1,3}(?:[;:]\d{1,3}){0,15}m|${ESC}${BRACKET}[\d;:?]{0,32}[a-z]`;
/** Escapes of invisible characters. */
const INVISIBLE_ESCAPED = String.raw`\\{1,4}u(?:00ad|200[b-f]|202[a-e]|206\d|feff)|%e2%80%8[b-f]|%ef%bb%bf|&#(?:173|820[3-7]|65279);`;
/**
 * A line break inside a token. The next line begins with letters and digits, unlike most words and unlike a date, or it
 * is the next line of a long Base64 text.
 */
const BREAK = [
  String.raw`(?<=(?:[\d_+/=-]|(?-i:[A-Z]{6}))[\w+/=.%-]{0,64})(?:\r?\n|\\{1,4}r\\{1,4}n|\\{1,4}n|%0d%0a|%0a|&#10;)(?!\d{4}-\d\d-\d\d)(?=[a-z_+/=.-]{0,256}\d)(?=[\d_+/=.-]{0,256}[a-z])(?=[\w+/=.-]{4})`,
  String.raw`(?<=[\w+/-]{60})\r?\n(?!(?-i:[A-Z]?[a-z]{1,128})(?:[\r\n]|$))(?=[\w+/=-]{1,128}(?:[\r\n]|$))`,
].join('|');
const NOISE = new RegExp(`${COLOR}|${INVISIBLE_ESCAPED}|${BREAK}`, 'iy');
/** White space, an ASCII character whose code is in the escape, or punctuation after a backslash. */
const ESCAPED =
  /\\{1,4}(?:[bfnrt]|u00[0-7][\da-f]|x[0-7][\da-f]|[-_.~+/=:])|%(?:25){0,2}[0-7][\da-f]|&#(?:x[0-7][\da-f]|\d{1,3});/iy;

/** Two expressions, because one with as many ranges takes three times as long. */
const INVISIBLE = [/[\p{Cc}--[\t\n\r]]/gv, /\p{Default_Ignorable_Code_Point}/gv];
const IS_INVISIBLE = new RegExp(`^(?:${INVISIBLE.map(({ source }) => source).join('|')})`, 'v');
/** Every match begins with one of these or is invisible. `indexOf` finds them faster than an expression. */
const BEGINNINGS = ['\\', '%', '&#', '#x1', '#27', '[', '?[', '^[[', '\u241b', '\ufffd[', '\r\n', '\n'];

/** The end of a word. Tokens consist of ASCII characters without these. */
const END = /[\s"'`<>(){},|]|[^\0-\x7f]/g;
const ENDS_WORD = new RegExp(END.source);

const OF_TOKEN = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w+/=.%-]/.test(String.fromCharCode(code))));

const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

const REMOVED = -1;
const LINE_BREAK = 0x0a;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const AFTER_BACKSLASH = /[bfnrtuxe0\\._~+/=:-]/;
const BRACKET_CODE = 0x5b;
/** The length of the shortest token. */
const FEWEST = 15;

/**
 * The words of a text that contain such characters, without them. If one of them separates a letter from a token, a
 * second text has line breaks instead, because a token does not begin after a letter.
 */
export function cleanWords(text: string): readonly CleanText[] {
  const clean = new CleanText();
  let separates = false;
  /** The beginning of the current word in the clean text, if there is one, and its end in the original. */
  let word: number | undefined;
  let wordEnd = -1;
  /** The end of the last match, or of the last word. */
  let rest = 0;
  const close = (): void => {
    if (word === undefined) return;
    clean.addPart(text, rest, wordEnd);
    if (clean.length - word < FEWEST) clean.length = word;
    else clean.add(LINE_BREAK, wordEnd, wordEnd);
    word = undefined;
    rest = wordEnd;
  };
  const candidates = new NoiseCandidates(text);
  for (let at = candidates.next(0); at < text.length; at = candidates.next(at)) {
    const noise = matchNoise(text, at);
    if (!noise) {
      at += 1;
      continue;
    }
    if (wordEnd < at) close();
    if (word === undefined) {
      word = clean.length;
      rest = findWordStart(text, at, rest);
    }
    clean.addPart(text, rest, at);
    rest = at + noise.length;
    if (noise.code !== REMOVED) clean.add(noise.code, at, rest);
    else separates ||= isLetter(text, at - 1) && isLetter(text, rest) && !/[\r\n]/.test(text.charAt(at));
    if (wordEnd < rest) wordEnd = findNext(END, text, rest);
    at = rest;
  }
  close();
  if (clean.length === 0) return [];
  return separates ? [clean, clean.withLineBreaks()] : [clean];
}

/** The index of the next character that the expression finds, or the length of the text. */
function findNext(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  if (!expression.test(text)) return text.length;
  const last = expression.lastIndex - 1;
  return isLowSurrogate(text, last) ? last - 1 : last;
}

/** Finds where a match may begin. */
class NoiseCandidates {
  readonly #text: string;
  /** For each of `BEGINNINGS` and `INVISIBLE`, the last position that was found. */
  readonly #positions = new Int32Array(BEGINNINGS.length + INVISIBLE.length).fill(-1);

  constructor(text: string) {
    this.#text = text;
  }

  /** The first candidate from this index on, or the length of the text. The index must not decrease between calls. */
  next(from: number): number {
    let first = this.#text.length;
    for (let index = 0; index < this.#positions.length; index += 1) {
      let at = this.#positions[index] ?? 0;
      if (at < from) {
        at = this.#find(index, from);
        this.#positions[index] = at;
      }
      if (at < first) first = at;
    }
    return first;
  }

  #find(index: number, from: number): number {
    const expression = INVISIBLE[index - BEGINNINGS.length];
    if (expression) return findNext(expression, this.#text, from);
    const beginning = BEGINNINGS[index] ?? '';
    let at = this.#text.indexOf(beginning, from);
    // Most lines begin with white space or follow a character that is not part of a token.
    while (at >= 0 && beginning === '\n' && !isInToken(this.#text, at)) at = this.#text.indexOf(beginning, at + 1);
    return at < 0 ? this.#text.length : at;
  }
}

const isInToken = (text: string, at: number): boolean =>
  OF_TOKEN[text.charCodeAt(at - 1)] === 1 && OF_TOKEN[text.charCodeAt(at + 1)] === 1;

/** Clean words, one per line, with the position of each character in the original. */
export class CleanText {
  length = 0;
  #codes = Buffer.allocUnsafe(256);
  #starts = new Uint32Array(256);
  #ends = new Uint32Array(256);
  #text: string | undefined;

  add(code: number, start: number, end: number): void {
    this.#makeRoom(1);
    this.#codes[this.length] = code;
    this.#starts[this.length] = start;
    this.#ends[this.length] = end;
    this.length += 1;
  }

  addPart(original: string, start: number, end: number): void {
    this.#makeRoom(end - start);
    const codes = this.#codes;
    const starts = this.#starts;
    const ends = this.#ends;
    const shift = this.length - start;
    for (let at = start; at < end; at += 1) {
      codes[shift + at] = original.charCodeAt(at);
      starts[shift + at] = at;
      ends[shift + at] = at + 1;
    }
    this.length = shift + end;
  }

  get text(): string {
    this.#text ??= this.#codes.toString('latin1', 0, this.length);
    return this.#text;
  }

  /** Where a part of this text is in the original, including the characters that were removed inside it. */
  originalSpan(start: number, end: number): { start: number; end: number } {
    return { start: this.#starts[start] ?? 0, end: this.#ends[end - 1] ?? 0 };
  }

  /** The same text with a line break wherever characters were removed. */
  withLineBreaks(): CleanText {
    const other = new CleanText();
    for (let at = 0; at < this.length; at += 1) {
      const start = this.#starts[at] ?? 0;
      const last = this.#ends[at - 1] ?? start;
      if (last !== start) other.add(LINE_BREAK, last, start);
      other.add(this.#codes[at] ?? 0, start, this.#ends[at] ?? 0);
    }
    return other;
  }

  #makeRoom(more: number): void {
    if (this.length + more <= this.#codes.length) return;
    const size = 2 * (this.length + more);
    const [codes, starts, ends] = [Buffer.allocUnsafe(size), new Uint32Array(size), new Uint32Array(size)];
    codes.set(this.#codes);
    starts.set(this.#starts);
    ends.set(this.#ends);
    this.#codes = codes;
    this.#starts = starts;
    this.#ends = ends;
  }
}

interface Noise {
  readonly length: number;
  /** The code of the character that the clean text has instead, or `REMOVED`. */
  readonly code: number;
}

function matchNoise(text: string, at: number): Noise | undefined {
  const code = text.charCodeAt(at);
  const urlEscape = code === PERCENT ? decodeUrlEscape(text, at) : undefined;
  if (urlEscape) return urlEscape;
  if (code === BACKSLASH && !AFTER_BACKSLASH.test(text.charAt(at + 1))) return undefined;
  NOISE.lastIndex = at;
  if (NOISE.test(text)) return { length: NOISE.lastIndex - at, code: REMOVED };
  ESCAPED.lastIndex = at;
  if (ESCAPED.test(text))
    return { length: ESCAPED.lastIndex - at, code: decodeEscape(text.slice(at, ESCAPED.lastIndex)) };
  if (code > 0x1f && code < 0x7f) return undefined;
  if (!IS_INVISIBLE.test(text.slice(at, at + 2))) return undefined;
  return { length: isLowSurrogate(text, at + 1) ? 2 : 1, code: REMOVED };
}

/** Reads an escape such as `%2F` without the expressions, because texts contain many. */
function decodeUrlEscape(text: string, at: number): Noise | undefined {
  const code = (readDigit(text, at + 1) << 4) | readDigit(text, at + 2);
  return code > 0x20 && code < 0x7f && code !== PERCENT && code !== BRACKET_CODE ? { length: 3, code } : undefined;
}

/** The value of a hexadecimal digit, or -1. */
const readDigit = (text: string, at: number): number => DIGITS[text.charCodeAt(at)] ?? -1;

function decodeEscape(sequence: string): number {
  let code: number;
  if (sequence.startsWith('&')) code = Number(`0${sequence.slice(2, -1)}`);
  else if (/[\da-f]{2}$/i.test(sequence)) code = Number.parseInt(sequence.slice(-2), 16);
  else code = /[a-z]$/i.test(sequence) ? LINE_BREAK : sequence.charCodeAt(sequence.length - 1);
  if (code === 9 || code === 13) return LINE_BREAK;
  return (code < 32 && code !== LINE_BREAK) || code > 126 ? REMOVED : code;
}

function findWordStart(text: string, from: number, to: number): number {
  let at = from;
  while (at > to && !ENDS_WORD.test(text.charAt(at - 1))) at -= 1;
  return at;
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
const isLetter = (text: string, at: number): boolean => /^[0-9A-Za-z]/.test(text.charAt(at));
