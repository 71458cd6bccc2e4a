/** Compares the loops that recognize noise with regular expressions of the same rules, which take ten times as long. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kindOf, STARTS } from '#shared/masking/character-kinds.ts';
import { readCodes } from '#shared/masking/codes.ts';
import { NoiseReader, REMOVED } from '#shared/masking/noise.ts';
import { cases } from '#test/harness/cases.ts';

const ESC = String.raw`(?:\\{1,4}(?:u00[19]b|u\{1b\}|x[19]b|033|e)|%(?:25){0,2}1b|&?#(?:27|x1b);?|\^(?=\[\[)\[|\u241b)`;
const BRACKET = String.raw`(?:\[|%5b|\\{1,4}u005b|&#91;)`;
const COLOR = String.raw`(?:${ESC}|[?\ufffd](?=\[))?${BRACKET}\d{1,3}(?:[;:]\d{1,3}){0,15}m|${ESC}${BRACKET}[\d;:?]{0,32}[a-z]`;
const INVISIBLE_ESCAPED = String.raw`\\{1,4}u(?:00ad|200[b-f]|202[a-e]|206\d|feff)|%e2%80%8[b-f]|%ef%bb%bf|&#(?:173|820[3-7]|65279);`;
const BREAK = [
  String.raw`(?<=(?:[\d_+/=-]|(?-i:[A-Z]{6}))[\w+/=.%-]{0,64})(?:\r?\n|\\{1,4}r\\{1,4}n|\\{1,4}n|%0d%0a|%0a|&#10;)(?!\d{4}-\d\d-\d\d)(?=[a-z_+/=.-]{0,256}\d)(?=[\d_+/=.-]{0,256}[a-z])(?=[\w+/=.-]{4})`,
  String.raw`(?<=[\w+/-]{60})\r?\n(?!(?-i:[A-Z]?[a-z]{1,128})(?:[\r\n]|$))(?=[\w+/=-]{1,128}(?:[\r\n]|$))`,
].join('|');
const REMOVED_TEXT = new RegExp(`${COLOR}|${INVISIBLE_ESCAPED}|${BREAK}`, 'iy');
const REPLACED_TEXT =
  /\\{1,4}(?:[bfnrt]|u00[0-7][\da-f]|x[0-7][\da-f]|[-_.~+/=:])|%(?:25){0,2}[0-7][\da-f]|&#(?:x[0-7][\da-f]|\d{1,3});/iy;
const INVISIBLE = /[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\t\n\r]]/vy;

interface Noise {
  readonly end: number;
  readonly code: number;
}

function findNoise(text: string, at: number): Noise | undefined {
  // A single backslash escapes lower-case letters only. Others begin names in paths of Windows.
  if (/^\\[A-Z]/.test(text.slice(at, at + 2))) return undefined;
  const url = /^%([2-7][\da-f])/i.exec(text.slice(at, at + 3));
  const byte = Number.parseInt(url?.[1] ?? '20', 16);
  if (byte !== 0x20 && byte !== 0x7f && byte !== 0x25 && byte !== 0x5b) return { end: at + 3, code: byte };
  const removed = findEnd(REMOVED_TEXT, text, at);
  if (removed !== undefined) return { end: removed, code: REMOVED };
  const replaced = findEnd(REPLACED_TEXT, text, at);
  if (replaced !== undefined) return { end: replaced, code: decode(text.slice(at, replaced)) };
  const end = findEnd(INVISIBLE, text, at);
  return end === undefined ? undefined : { end, code: REMOVED };
}

function findEnd(expression: RegExp, text: string, at: number): number | undefined {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : undefined;
}

function decode(sequence: string): number {
  if (/^\\+[bfnrt]$/i.test(sequence)) return 10;
  const entity = /^&#(.+);$/.exec(sequence)?.[1];
  const hex = /[\da-f]{2}$/i.exec(sequence)?.[0];
  let code = sequence.charCodeAt(sequence.length - 1);
  if (entity !== undefined) code = Number(`0${entity}`);
  else if (hex !== undefined) code = Number.parseInt(hex, 16);
  if (code === 9 || code === 10 || code === 13) return 10;
  return code < 32 || code > 126 ? REMOVED : code;
}

const PIECES = [
  ...[
    '\\',
    '\\\\',
    '\\\\\\\\',
    '%',
    '%25',
    '%2525',
    '&#',
    '&#x',
    '#',
    '#x1',
    '#27',
    '[',
    '[31m',
    'm',
    'K',
    '?',
    '^',
    '^[',
    '\u241b',
    '\ufffd',
  ],
  ...[
    '\r',
    '\n',
    '\t',
    '\0',
    '\b',
    '\v',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u200b',
    '\u00ad',
    '\ufeff',
    '\u{e0020}',
    '\u{1d173}',
    '\u{1f600}',
    'é',
  ],
  ...[
    'u',
    'U',
    'x',
    'X',
    'n',
    'N',
    'r',
    'e',
    'E',
    'b',
    't',
    '0',
    '033',
    '1b',
    '1B',
    '9b',
    '5b',
    'u005b',
    'u{1b}',
    'u001b',
    'u009B',
    'x1b',
    'x41',
  ],
  ...[
    'u0041',
    'u2029',
    'u200b',
    'u206a',
    'u2065',
    'uFEFF',
    '\\n',
    '\\r\\n',
    '%0a',
    '%0D%0A',
    '%e2%80%8b',
    '%E2%80%8a',
    '%ef%bb%bf',
    '%2D',
    '%20',
  ],
  ...[
    '%00',
    '%7f',
    '%1b',
    '%5B',
    '&#91;',
    '&#27;',
    '&#x1B',
    '&#10;',
    '&#173;',
    '&#0173;',
    '&#8207;',
    '&#8208;',
    '&#65279;',
    '&#65;',
    '&#X4a;',
  ],
  ...[
    '&#200;',
    '&#1000;',
    'ABCDEF',
    'Abc',
    'a1',
    '2026-01-02',
    '_',
    '+',
    '/',
    '=',
    '-',
    '.',
    ' ',
    ';',
    ':',
    '1',
    '123',
    ';1',
    ':2',
  ],
  ...['a'.repeat(256), '1'.repeat(64), 'aB3d'.repeat(15), 'Z'.repeat(6), 'a'.repeat(128)],
];

describe('Noise inside tokens', () => {
  test('Noise is recognized wherever the rules as regular expressions recognize it, with the same end and the same character', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const reader = new NoiseReader(readCodes(text), text.length);
        for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
          const isNoise = (kindOf(text.charCodeAt(at)) & STARTS) !== 0 && reader.read(at);
          const noise = isNoise ? { end: reader.end, code: reader.code } : undefined;
          expect({ at, noise }).toEqual({ at, noise: findNoise(text, at) });
        }
      }),
      { numRuns: cases(4000, 400) },
    );
  });
});
