import { describe, expect, test } from 'vitest';
import {
  makeVisible,
  makeVisibleLine,
  removeControlSequences,
  takeFirstCharacters,
  takeLastCharacters,
} from '#shared/engine/plain-text.ts';
import { growth, IN_PROPORTION } from './growth.ts';

describe('Terminal control sequences', () => {
  test.each([
    ['colors', '\u001b[31mred\u001b[39m \u009b1mbold', 'red bold'],
    ['links', '\u001b]8;;https://evil.example\u0007shown\u001b]8;;\u0007', 'shown'],
    ['titles', '\u001b]0;title\u001b\\shown', 'shown'],
    ['cursor and screen', '\u001b[2J\u001b[1;1H\u001b[?25lshown', 'shown'],
    ['character sets and keypads', '\u001b(B\u001b=shown', 'shown'],
    ['device control', '\u001bP1$r0m\u001b\\shown', 'shown'],
  ])('are removed: %s', (_, text, shown) => {
    expect(removeControlSequences(text)).toBe(shown);
  });

  test.each([
    '\u001b]',
    '\u001b]8;;',
    '\u001b[',
    '\u001b[1;',
    '\u009d',
    '\u001bP',
    '\u001b',
    '\u001b]a\u001b',
    '\u001b   ',
    '\u200b',
    '😀\ufe0f\u200d',
  ])('Control sequences are removed and invisible characters are replaced in linear time: 100 KB of %j', (unit) => {
    expect(growth(makeVisible, unit)).toBeLessThan(IN_PROPORTION);
  });
});

describe('Invisible characters', () => {
  test.each([
    ['zero-width', 'a\u200bb\ufeff', 'a<U+200B>b<U+FEFF>'],
    ['bidirectional', '\u202eabc\u202c \u2066x\u2069', '<U+202E>abc<U+202C> <U+2066>x<U+2069>'],
    ['tags', 'x\u{e0041}\u{e0042}\u{e0043}\u{e0044}\u{e0045}', 'x<U+E0041 U+E0042 U+E0043 and 2 more>'],
    ['controls', 'a\u0000b\u0007\u0008c\u0085', 'a<U+0000>b<U+0007 U+0008>c<U+0085>'],
    ['an escape without a sequence', 'a\u001b', 'a<U+001B>'],
    ['selectors that hide data', 'a\ufe00\ufe01\u{e0100}', 'a<U+FE00 U+FE01 U+E0100>'],
    ['lone surrogates', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
  ])('are replaced by visible code points: %s', (_, text, shown) => {
    expect(makeVisible(text)).toBe(shown);
  });

  test('Invisible characters inside emoji are removed instead of replaced by their code points', () => {
    expect(makeVisible('⚠️ 1️⃣ 👩‍🚀 👩🏽‍🚀 a\u200db')).toBe('⚠ 1⃣ 👩🚀 👩🏽🚀 a<U+200D>b');
  });

  test('Tabs are kept and CRLF, CR, U+2028 and U+2029 become line feeds, but in a text for a single line, tabs and line breaks become spaces', () => {
    expect(makeVisible('a\r\nb\rc\u2028d\u2029e\tf\n')).toBe('a\nb\nc\nd\ne\tf\n');
    expect(makeVisibleLine(' a\r\nb\tc\n')).toBe('a b c');
  });
});

describe('A cut text', () => {
  const TEXT = 'ab👩‍🚀e\u0301\r\n🇩🇪🇫🇷한';
  const parts = ['a', 'b', '👩‍🚀', 'e\u0301', '\r\n', '🇩🇪', '🇫🇷', '한'];
  const beginnings = parts.map((_, index) => parts.slice(0, index + 1).join(''));
  const ends = parts.map((_, index) => parts.slice(index).join(''));
  const lengths = Array.from({ length: TEXT.length + 1 }, (_, length) => length);

  test.each(lengths)('A text that is cut to %i characters keeps as many whole graphemes as fit', (length) => {
    const fits = (text: string): boolean => text.length <= length;
    expect(takeFirstCharacters(TEXT, length)).toBe(beginnings.findLast(fits) ?? '');
    expect(takeLastCharacters(TEXT, length)).toBe(ends.find(fits) ?? '');
  });
});
