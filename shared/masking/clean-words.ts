/**
 * Finds the words of a text that contain characters which hide a token from the patterns, and removes these characters.
 */

import { DIGIT, ENDS_WORD, kindOf, LETTER, STARTS } from './character-kinds.ts';
import { CleanText } from './clean-text.ts';
import { readCodes } from './codes.ts';
import { NoiseReader, REMOVED } from './noise.ts';

const LINE_BREAK = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
/** What the first and the last line of a private key begin with, before their first space. */
const KEY_LINES = [Buffer.from('-----BEGIN'), Buffer.from('-----END')];
/**
 * The words of a text that contain such characters, without them. If one of them separates a letter from a token, a
 * second text has line breaks instead, because a token does not begin after a letter.
 */
export function cleanWords(text: string): readonly CleanText[] {
  const codes = readCodes(text);
  const noise = new NoiseReader(codes, text.length);
  const clean = new CleanText();
  let separates = false;
  let isInWord = false;
  /** Whether this word may be a private key, the only token with spaces. Other words end at a space. */
  let isKey = false;
  /** The end of the last noise, or of the last word with noise. */
  let rest = 0;
  for (let at = findKind(codes, text.length, 0, STARTS); at < text.length; ) {
    const isNoise = (kindOf(codes[at] ?? 0) & STARTS) !== 0 && noise.read(at);
    if (isNoise) {
      if (!isInWord) {
        isInWord = true;
        isKey = false;
        clean.beginWord();
        rest = findWordStart(codes, at, rest);
      }
      clean.addPart(codes, rest, at);
      rest = noise.end;
      if (noise.code === REMOVED) {
        separates ||= isBetweenLetters(codes, at, rest);
      } else {
        isKey ||= KEY_LINES.some((start) => clean.endsWith(start));
        if (isKey || (noise.code !== SPACE && noise.code !== LINE_BREAK)) {
          clean.add(noise.code, at, rest);
        } else {
          clean.endWord(codes, at, at);
          clean.beginWord();
        }
      }
      at = rest;
    } else if (isInWord && (kindOf(codes[at] ?? 0) & ENDS_WORD) !== 0) {
      clean.endWord(codes, rest, at);
      isInWord = false;
      rest = at;
      at += 1;
    } else {
      at = noise.end;
    }
    at = findKind(codes, text.length, at, isInWord ? STARTS | ENDS_WORD : STARTS);
  }
  if (isInWord) clean.endWord(codes, rest, text.length);
  if (clean.length === 0) return [];
  return separates ? [clean, clean.withLineBreaks()] : [clean];
}

/** The index of the next code of these kinds, or the length of the text. */
function findKind(codes: Uint16Array, length: number, from: number, kinds: number): number {
  let at = from;
  while (at < length && (kindOf(codes[at] ?? 0) & kinds) === 0) at += 1;
  return at;
}

function findWordStart(codes: Uint16Array, from: number, to: number): number {
  let at = from;
  while (at > to && (kindOf(codes[at - 1] ?? 0) & ENDS_WORD) === 0) at -= 1;
  return at;
}

/** Whether removing this noise joins two letters or digits. The rest of a token on the next line is not separated. */
function isBetweenLetters(codes: Uint16Array, at: number, end: number): boolean {
  const first = codes[at];
  if (first === LINE_BREAK || first === RETURN || at === 0) return false;
  return isLetter(codes[at - 1] ?? 0) && isLetter(codes[end] ?? 0);
}

const isLetter = (code: number): boolean => (kindOf(code) & (LETTER | DIGIT)) !== 0;
