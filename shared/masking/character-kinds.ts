/**
 * The kinds of characters by which masking decides quickly whether a character matters. A character may be of several
 * kinds, so each kind is a bit.
 */

/** Noise may begin with this character. */
export const STARTS = 1;
/** No token contains this character. */
export const ENDS_WORD = 2;
export const LETTER = 4;
export const DIGIT = 8;
export const CAPITAL = 16;
/** `[\w+/=.%-]` */
export const IN_TOKEN = 32;
/** `[\d_+/=-]` */
export const STRONG = 64;
export const IS_INVISIBLE = 128;

export const INVISIBLE = /[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\t\n\r]]/v;

/** The bits of each UTF-16 code. All codes outside ASCII may be invisible until a text has one that is not. */
const KINDS = new Uint8Array(0x1_0000).fill(STARTS | ENDS_WORD);
for (let code = 0; code < 128; code += 1) {
  const character = String.fromCharCode(code);
  const has = (pattern: RegExp, bit: number): number => (pattern.test(character) ? bit : 0);
  KINDS[code] =
    has(/[\\%&#[?^\r\n]/, STARTS) |
    has(INVISIBLE, STARTS | IS_INVISIBLE) |
    has(/[^\w+/=.:~!%-]/, ENDS_WORD) |
    has(/[A-Za-z]/, LETTER) |
    has(/\d/, DIGIT) |
    has(/[A-Z]/, CAPITAL) |
    has(/[\w+/=.%-]/, IN_TOKEN) |
    has(/[\d_+/=-]/, STRONG);
}

/** Bits of the kinds of a character. */
export const kindOf = (code: number): number => KINDS[code] ?? 0;

/**
 * Finds out whether a character outside ASCII is invisible, and remembers it. Not done for all characters beforehand,
 * because most processes meet few of them.
 */
export function learnKind(code: number): void {
  KINDS[code] = mayBeInvisible(code) ? STARTS | ENDS_WORD | IS_INVISIBLE : ENDS_WORD;
}

/** Whether this character is invisible, or one that begins with this surrogate. */
function mayBeInvisible(code: number): boolean {
  if (!isHighSurrogate(code)) return INVISIBLE.test(String.fromCharCode(code));
  for (let low = 0xdc00; low < 0xe000; low += 1) if (INVISIBLE.test(String.fromCharCode(code, low))) return true;
  return false;
}

export const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800;
