import { describe, expect, test } from 'vitest';
import { maskedText } from '#shared/context/masking.ts';
import { growth, IN_PROPORTION } from './growth.ts';
import { SECRET_SAMPLES } from './secret-samples.ts';

/** What a checker of regular expressions found hardest for one of the patterns, now or as it was before. */
const FOUND_HARD = [
  'SET-COOKIE:',
  'COOKIE:',
  'SCOOKIE:\t\n\t\n',
  'A--A',
  '--J',
  'APIKEY:0V',
  'CAPIKEY:K(',
  'CAPIKEY:\n\t',
  'FILL " ',
  'PASSWDU',
  'PASSWDNTEYEHW(',
  '.FILL("SECRET,"',
  '.fill("secret',
  '- WAITING FOR ',
  '- waiting for secret\n',
  '<INPUTTYPE=PASSWORDR',
  '<input ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA -',
  'eyJ',
  'eyJabcdefgh.',
  'eyJabcdefgh.eyJ',
  '://',
  '://a:',
  'token=',
  '"token":"',
  'token: ',
  '\\n',
  '%3D',
];

/** Beginnings of secrets that never become one. */
const UNFINISHED = SECRET_SAMPLES.map(({ before, secret }) => before + secret.slice(0, Math.ceil(secret.length / 2)));

describe('Masking takes time in proportion to the text', () => {
  test.each([...new Set([...FOUND_HARD, ...UNFINISHED])])('of 200 KB of %j', (unit) => {
    expect(growth(maskedText, unit)).toBeLessThan(IN_PROPORTION);
  });
});
