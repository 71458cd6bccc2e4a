import { describe, expect, test } from 'vitest';
import { maskedText } from '#shared/context/masking.ts';
import { growth, IN_PROPORTION } from './growth.ts';
import { SECRET_SAMPLES } from './secret-samples.ts';

/** The worst inputs that a regular-expression checker found for the current and former patterns. */
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
  'curl ',
  'curl -u ',
  'curl -u a:',
  'mysql -h ',
  'mysql -p',
  'login a password',
  '<password ',
  '<password>a',
  '<add key="',
  'kind: Secret\n',
  ' a: 1AAAAAAAAAA\n',
  'password:\n ',
  'password is a-',
  'passwordpassword is ',
  'sessionid=',
  'adobe',
  'adobe = ',
  'adobe 1a',
  '123456789012345|a',
  'sl.',
  'Z2hwXw',
  'gl',
  'sc_aaaaa.aaaa.acc-',
];

/** Prefixes of secrets without the rest. */
const UNFINISHED = SECRET_SAMPLES.map(({ before, secret }) => before + secret.slice(0, Math.ceil(secret.length / 2)));

describe('masking takes linear time', () => {
  test.each([...new Set([...FOUND_HARD, ...UNFINISHED])])('for 100 KB of %j', (unit) => {
    expect(growth(maskedText, unit)).toBeLessThan(IN_PROPORTION);
  });
});
