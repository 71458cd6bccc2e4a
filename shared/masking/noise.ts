/**
 * Recognizes what hides a token from the patterns: color codes as text, invisible characters, escapes, and line breaks
 * inside a token.
 *
 * Written as loops over codes, because regular expressions that match at a given position take ten times as long, and
 * some texts consist of escapes.
 */
import {
  CAPITAL,
  DIGIT,
  IN_TOKEN,
  INVISIBLE,
  IS_INVISIBLE,
  isHighSurrogate,
  kindOf,
  LETTER,
  learnKind,
  STRONG,
} from './character-kinds.ts';

const HEX = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** A noise with this code is removed. Others become the character of their code. */
export const REMOVED = -1;

const codeOf = (character: string): number => character.charCodeAt(0);

const TAB = 0x09;
const LINE_BREAK = 0x0a;
const RETURN = 0x0d;
const ESCAPE = 0x1b;
const CONTROL_SEQUENCE = 0x9b;
const SYMBOL_FOR_ESCAPE = 0x241b;
const REPLACEMENT = 0xfffd;

const BACKSLASH = codeOf('\\');
const PERCENT = codeOf('%');
const AMPERSAND = codeOf('&');
const HASH = codeOf('#');
const BRACKET = codeOf('[');
const CARET = codeOf('^');
const QUESTION_MARK = codeOf('?');
const SEMICOLON = codeOf(';');
const COLON = codeOf(':');
const HYPHEN = codeOf('-');
const DOT = codeOf('.');
const EQUALS = codeOf('=');
const ZERO = codeOf('0');
const ONE = codeOf('1');
const TWO = codeOf('2');
const FIVE = codeOf('5');
const SEVEN = codeOf('7');
const LOWER_B = codeOf('b');
const LOWER_M = codeOf('m');
const LOWER_N = codeOf('n');
const LOWER_R = codeOf('r');
const LOWER_U = codeOf('u');
const LOWER_X = codeOf('x');

/** What follows a backslash in an escape. After several, capital letters are possible, too. */
const AFTER_BACKSLASH = toSet('bfnrtuxe0\\._~+/=:-');
/** What a backslash escapes without a change. */
const ESCAPED_PUNCTUATION = toSet('-_.~+/=:');
/** Escapes of white space. */
const WHITE_SPACE_ESCAPES = toSet('bfnrt');

/** The longest part of a token that is read before and after a line break. */
const NEAR = { before: 64, after: 256, base64: 60, line: 128 };
/** The most backslashes of one escape. More escape each other. */
const MOST_BACKSLASHES = 4;

/**
 * Recognizes noise at any position of a text. Each of its rules is written as a regular expression above it. All letters
 * may be capital, unless the rule says otherwise.
 */
export class NoiseReader {
  /** The index after the noise. If `read` found none, the next index at which noise may begin. */
  end = 0;
  /** The code of the character that the clean text has instead of the noise, or `REMOVED`. */
  code = REMOVED;
  readonly #codes: Uint16Array;
  readonly #length: number;

  constructor(codes: Uint16Array, length: number) {
    this.#codes = codes;
    this.#length = length;
  }

  /** Whether noise begins at this index, whose character has the bit `STARTS`. */
  read(at: number): boolean {
    this.end = at + 1;
    const code = this.#at(at);
    switch (code) {
      case BACKSLASH:
        return this.#readBackslash(at);
      case PERCENT:
        return this.#readPercent(at);
      case AMPERSAND:
        return this.#at(at + 1) === HASH && this.#readEntity(at);
      case HASH:
        return this.#readHash(at);
      case BRACKET:
        return this.#remove(this.#findColorEnd(at + 1));
      case QUESTION_MARK:
      case REPLACEMENT:
        return this.#at(at + 1) === BRACKET && this.#remove(this.#findColorEnd(at + 2));
      case CARET:
        return (
          this.#at(at + 1) === BRACKET && this.#at(at + 2) === BRACKET && this.#remove(this.#findSequenceEnd(at + 2))
        );
      case SYMBOL_FOR_ESCAPE:
        return this.#remove(this.#findSequenceEnd(at + 1));
      case RETURN:
        return this.#at(at + 1) === LINE_BREAK && this.#readLineBreak(at, at + 2);
      case LINE_BREAK:
        return this.#has(at - 1, IN_TOKEN) && this.#has(at + 1, IN_TOKEN) && this.#readLineBreak(at, at + 1);
      default:
        return this.#readInvisible(at, code);
    }
  }

  #at(index: number): number {
    return this.#codes[index] ?? 0;
  }

  #has(index: number, bits: number): boolean {
    return index >= 0 && index < this.#length && (kindOf(this.#at(index)) & bits) !== 0;
  }

  #lower(index: number): number {
    const code = this.#at(index);
    return (kindOf(code) & CAPITAL) === 0 ? code : code | 0x20;
  }

  /** The value of so many hexadecimal digits, or a negative number. */
  #hex(index: number, digits: 2 | 4): number {
    let value = 0;
    for (let at = index; at < index + digits; at += 1) {
      const digit = HEX[this.#at(at)] ?? -1;
      if (digit < 0) return -1;
      value = (value << 4) | digit;
    }
    return value;
  }

  /** Reads noise that ends at this index. 0 says that there is none. */
  #remove(end: number): boolean {
    if (end === 0) return false;
    this.end = end;
    this.code = REMOVED;
    return true;
  }

  /** An escape of an ASCII character. White space becomes a line break, other control characters are removed. */
  #replace(end: number, code: number): boolean {
    this.end = end;
    if (code === TAB || code === RETURN) this.code = LINE_BREAK;
    else this.code = (code < 0x20 && code !== LINE_BREAK) || code > 0x7e ? REMOVED : code;
    return true;
  }

  /** `\\{1,4}(?:[bfnrt]|u00[0-7][\da-f]|x[0-7][\da-f]|[-_.~+/=:])`, colors and invisible characters */
  #readBackslash(at: number): boolean {
    let after = at + 1;
    if (AFTER_BACKSLASH[this.#at(after)] !== 1) return false;
    while (this.#at(after) === BACKSLASH) after += 1;
    const backslashes = after - at;
    if (backslashes > MOST_BACKSLASHES) {
      this.end = after - MOST_BACKSLASHES;
      return false;
    }
    const code = backslashes === 1 ? this.#at(after) : this.#lower(after);
    if (AFTER_BACKSLASH[code] !== 1) return false;
    if (ESCAPED_PUNCTUATION[code] === 1) return this.#replace(after + 1, code);
    if (code === LOWER_N || code === LOWER_R) return this.#readEscapedLineBreak(at, after);
    if (WHITE_SPACE_ESCAPES[code] === 1) return this.#replace(after + 1, LINE_BREAK);
    if (code === LOWER_U) return this.#readUnicodeEscape(after + 1);
    if (code === LOWER_X) return this.#readByteEscape(after + 1);
    // `\033` and `\e`
    if (code !== ZERO) return this.#remove(this.#findSequenceEnd(after + 1));
    return this.#isText(after + 1, '33') && this.#remove(this.#findSequenceEnd(after + 3));
  }

  /** `\\{1,4}r\\{1,4}n|\\{1,4}n` inside a token, or white space */
  #readEscapedLineBreak(at: number, letter: number): boolean {
    let end = letter + 1;
    if (this.#lower(letter) === LOWER_R) {
      while (end - letter <= MOST_BACKSLASHES && this.#at(end) === BACKSLASH) end += 1;
      if (end === letter + 1 || this.#lower(end) !== LOWER_N) return this.#replace(letter + 1, LINE_BREAK);
      end += 1;
    }
    if (this.#isInsideToken(at, end)) return this.#remove(end);
    return this.#replace(letter + 1, LINE_BREAK);
  }

  /** After `\u` */
  #readUnicodeEscape(at: number): boolean {
    if (this.#isText(at, '{1b}')) return this.#remove(this.#findSequenceEnd(at + 4));
    const code = this.#hex(at, 4);
    if (code < 0) return false;
    const end = at + 4;
    let color = 0;
    if (code === ESCAPE || code === CONTROL_SEQUENCE) color = this.#findSequenceEnd(end);
    else if (code === BRACKET) color = this.#findColorEnd(end);
    if (color !== 0 || isInvisibleEscape(code)) return this.#remove(color || end);
    return code < 0x80 && this.#replace(end, code);
  }

  /** After `\x` */
  #readByteEscape(at: number): boolean {
    const code = this.#hex(at, 2);
    if (code < 0) return false;
    const color = code === ESCAPE || code === CONTROL_SEQUENCE ? this.#findSequenceEnd(at + 2) : 0;
    if (color !== 0) return this.#remove(color);
    return code < 0x80 && this.#replace(at + 2, code);
  }

  /** `%(?:25){0,2}[0-7][\da-f]`, colors, invisible characters and `%0d%0a|%0a` inside a token */
  #readPercent(at: number): boolean {
    const code = this.#hex(at + 1, 2);
    if (code > 0x20 && code < 0x7f && code !== PERCENT && code !== BRACKET) return this.#replace(at + 3, code);
    if (code < 0) return false;
    let last = at + 1;
    while (last < at + 5 && this.#at(last) === TWO && this.#at(last + 1) === FIVE) last += 2;
    let color = 0;
    if (code === BRACKET) color = this.#findColorEnd(at + 3);
    else if (this.#at(last) === ONE && this.#lower(last + 1) === LOWER_B) color = this.#findSequenceEnd(last + 2);
    if (color !== 0) return this.#remove(color);
    if (code === 0xe2 || code === 0xef) return this.#readInvisibleBytes(at);
    if (code === LINE_BREAK && this.#isInsideToken(at, at + 3)) return this.#remove(at + 3);
    if (code === RETURN && this.#isText(at + 3, '%0a') && this.#isInsideToken(at, at + 6)) return this.#remove(at + 6);
    const innermost = this.#hex(last, 2);
    if (innermost >= 0 && innermost < 0x80) return this.#replace(last + 2, innermost);
    return last > at + 1 && this.#replace(last, PERCENT);
  }

  /** `%e2%80%8[b-f]|%ef%bb%bf` */
  #readInvisibleBytes(at: number): boolean {
    const isInvisible =
      this.#isText(at, '%ef%bb%bf') || (this.#isText(at, '%e2%80%8') && (HEX[this.#at(at + 8)] ?? -1) > 10);
    return isInvisible && this.#remove(at + 9);
  }

  /** `&#(?:x[0-7][\da-f]|\d{1,3});`, colors, invisible characters and `&#10;` inside a token */
  #readEntity(at: number): boolean {
    const isHex = this.#lower(at + 2) === LOWER_X;
    let last = at + (isHex ? 5 : 2);
    let code = isHex ? this.#hex(at + 3, 2) : 0;
    while (!isHex && last < at + 8 && this.#has(last, DIGIT)) {
      code = code * 10 + this.#at(last) - ZERO;
      last += 1;
    }
    const digits = last - at - 2;
    const isClosed = this.#at(last) === SEMICOLON;
    const end = isClosed ? last + 1 : last;
    const isShort = isHex || digits === 2;
    let color = 0;
    if (isShort && code === ESCAPE) color = this.#findSequenceEnd(end);
    else if (digits === 2 && isClosed && code === BRACKET) color = this.#findColorEnd(end);
    if (color !== 0) return this.#remove(color);
    if (!isClosed || code < 0 || digits === 0) return false;
    if (isHex) return code < 0x80 && this.#replace(end, code);
    if (digits > 2 && digits === String(code).length && isInvisibleEntity(code)) return this.#remove(end);
    if (digits === 2 && code === LINE_BREAK && this.#isInsideToken(at, end)) return this.#remove(end);
    return digits < 4 && this.#replace(end, code);
  }

  /** `#(?:27|x1b);?` before a color. A writer of XML left the ampersand out. */
  #readHash(at: number): boolean {
    const isEscape =
      (this.#at(at + 1) === TWO && this.#at(at + 2) === SEVEN) ||
      (this.#at(at + 1) === LOWER_X && this.#at(at + 2) === ONE && this.#lower(at + 3) === LOWER_B);
    if (!isEscape) return false;
    const last = this.#at(at + 1) === TWO ? at + 3 : at + 4;
    return this.#remove(this.#findSequenceEnd(this.#at(last) === SEMICOLON ? last + 1 : last));
  }

  #readInvisible(at: number, code: number): boolean {
    if (!this.#has(at, IS_INVISIBLE)) learnKind(code);
    if (!this.#has(at, IS_INVISIBLE)) return false;
    if (!isHighSurrogate(code)) return this.#remove(at + 1);
    const low = this.#at(at + 1);
    return isLowSurrogate(low) && INVISIBLE.test(String.fromCharCode(code, low)) && this.#remove(at + 2);
  }

  /** Whether this text in lower case begins here. */
  #isText(at: number, text: string): boolean {
    for (let index = 0; index < text.length; index += 1) {
      if (this.#lower(at + index) !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  /** The end of a bracket and what follows it in a color or another sequence. 0 says that there is none. */
  #findSequenceEnd(at: number): number {
    const end = this.#findBracketEnd(at);
    return end === 0 ? 0 : this.#findColorEnd(end) || this.#findCommandEnd(end);
  }

  /** `\[|%5b|\\{1,4}u005b|&#91;` */
  #findBracketEnd(at: number): number {
    switch (this.#at(at)) {
      case BRACKET:
        return at + 1;
      case PERCENT:
        return this.#isText(at, '%5b') ? at + 3 : 0;
      case AMPERSAND:
        return this.#isText(at, '&#91;') ? at + 5 : 0;
      case BACKSLASH: {
        let after = at;
        while (after < at + MOST_BACKSLASHES && this.#at(after) === BACKSLASH) after += 1;
        return this.#isText(after, 'u005b') ? after + 5 : 0;
      }
      default:
        return 0;
    }
  }

  /** `\d{1,3}(?:[;:]\d{1,3}){0,15}m` */
  #findColorEnd(start: number): number {
    let at = start;
    for (let part = 0; part < 16; part += 1) {
      const first = at;
      while (at < first + 3 && this.#has(at, DIGIT)) at += 1;
      if (at === first) return 0;
      const code = this.#lower(at);
      at += 1;
      if (code === LOWER_M) return at;
      if (code !== SEMICOLON && code !== COLON) return 0;
    }
    return 0;
  }

  /** `[\d;:?]{0,32}[a-z]` */
  #findCommandEnd(start: number): number {
    let at = start;
    for (; at < start + 32; at += 1) {
      const code = this.#at(at);
      if (!this.#has(at, DIGIT) && code !== SEMICOLON && code !== COLON && code !== QUESTION_MARK) break;
    }
    return this.#has(at, LETTER) ? at + 1 : 0;
  }

  #readLineBreak(at: number, end: number): boolean {
    return (this.#isInsideToken(at, end) || this.#isInsideBase64(at, end)) && this.#remove(end);
  }

  /** The next line begins with letters and digits, unlike most words and unlike a date. */
  #isInsideToken(at: number, end: number): boolean {
    return this.#isAfterToken(at) && this.#isBeforeToken(end);
  }

  /** `(?<=(?:[\d_+/=-]|(?-i:[A-Z]{6}))[\w+/=.%-]{0,64})` */
  #isAfterToken(end: number): boolean {
    let capitals = 0;
    for (let at = end - 1; at >= end - 1 - NEAR.before || capitals > 0; at -= 1) {
      if (!this.#has(at, IN_TOKEN)) return false;
      const isNear = at >= end - 1 - NEAR.before;
      if (isNear && this.#has(at, STRONG)) return true;
      capitals = this.#has(at, CAPITAL) && (capitals > 0 || isNear) ? capitals + 1 : 0;
      if (capitals === 6) return true;
    }
    return false;
  }

  /** `(?!\d{4}-\d\d-\d\d)(?=[a-z_+/=.-]{0,256}\d)(?=[\d_+/=.-]{0,256}[a-z])(?=[\w+/=.-]{4})` */
  #isBeforeToken(start: number): boolean {
    for (let at = start; at < start + 4; at += 1) if (!this.#isOfNextLine(at)) return false;
    return this.#reaches(DIGIT, start) && this.#reaches(LETTER, start) && !this.#isDate(start);
  }

  /** Whether a character with this bit follows, with only characters of a token before it. */
  #reaches(bit: number, start: number): boolean {
    for (let at = start; at <= start + NEAR.after; at += 1) {
      if (this.#has(at, bit)) return true;
      if (!this.#isOfNextLine(at)) return false;
    }
    return false;
  }

  /** `[\w+/=.-]` */
  #isOfNextLine(at: number): boolean {
    return this.#has(at, IN_TOKEN) && this.#at(at) !== PERCENT;
  }

  /** `\d{4}-\d\d-\d\d` */
  #isDate(start: number): boolean {
    for (let index = 0; index < 10; index += 1) {
      const isRight = index === 4 || index === 7 ? this.#at(start + index) === HYPHEN : this.#has(start + index, DIGIT);
      if (!isRight) return false;
    }
    return true;
  }

  /** `(?<=[\w+/-]{60})`, then a line of Base64 that is no word: `[\w+/=-]{1,128}(?:[\r\n]|$)` */
  #isInsideBase64(at: number, start: number): boolean {
    for (let before = at - 1; before >= at - NEAR.base64; before -= 1) {
      if (!this.#isOfBase64(before) || this.#at(before) === EQUALS) return false;
    }
    let end = start;
    while (end < start + NEAR.line && this.#isOfBase64(end)) end += 1;
    return end > start && this.#isLineEnd(end) && !this.#isWord(start, end);
  }

  /** `[\w+/=-]` */
  #isOfBase64(at: number): boolean {
    return this.#isOfNextLine(at) && this.#at(at) !== DOT;
  }

  #isLineEnd(at: number): boolean {
    return at >= this.#length || this.#at(at) === LINE_BREAK || this.#at(at) === RETURN;
  }

  /** `[A-Z]?[a-z]+`, without other capital letters */
  #isWord(start: number, end: number): boolean {
    const rest = this.#has(start, CAPITAL) ? start + 1 : start;
    for (let at = rest; at < end; at += 1) if (!this.#has(at, LETTER) || this.#has(at, CAPITAL)) return false;
    return rest < end;
  }
}

const isLowSurrogate = (code: number): boolean => (code & 0xfc00) === 0xdc00;

const isInvisibleEntity = (code: number): boolean =>
  code === 0xad || (code >= 0x200b && code <= 0x200f) || code === 0xfeff;

const isInvisibleEscape = (code: number): boolean =>
  isInvisibleEntity(code) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2060 && code <= 0x2069);

/** An array with 1 at the code of each of these characters, which is read faster than a `Set`. */
function toSet(characters: string): Uint8Array {
  const set = new Uint8Array(128);
  for (let index = 0; index < characters.length; index += 1) set[characters.charCodeAt(index)] = 1;
  return set;
}
