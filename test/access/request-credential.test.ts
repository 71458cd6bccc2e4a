import { describe, expect, test } from 'vitest';
import { credentialOf } from '#shared/access/request-credential.ts';
import { createToken, hashToken, sameHash, tokenKind } from '#shared/access/token.ts';

const KEY = 'x-currents-key';

describe('§5 The credential of a request', () => {
  test.each([
    ['the value after the scheme', { authorization: ['Bearer abc'] }, 'abc'],
    ['whatever the case of scheme and header', { Authorization: ['bEARER abc'] }, 'abc'],
    ['nothing of two headers', { authorization: ['Bearer abc', 'Bearer abc'] }, undefined],
    [
      'nothing of two headers in two spellings',
      { authorization: ['Bearer a'], Authorization: ['Bearer a'] },
      undefined,
    ],
    ['nothing of no header', {}, undefined],
    ['nothing of a header without values', { authorization: undefined }, undefined],
    ['nothing of another scheme', { authorization: ['Basic abc'] }, undefined],
    ['nothing of what comes before the scheme', { authorization: ['x Bearer abc'] }, undefined],
    ['nothing of what goes on after a blank', { authorization: ['Bearer abc def'] }, undefined],
    ['nothing of 4,097 characters', { authorization: [`Bearer ${'a'.repeat(4097)}`] }, undefined],
    ['nothing of the reporters’ header', { [KEY]: ['abc'] }, undefined],
  ] as const)('of a reading operation is %s', (_, headers, expected) => {
    expect(credentialOf(headers, 'results:read')).toBe(expected);
  });

  test.each([
    ['the reporters’ header', { [KEY]: ['abc'] }, 'abc'],
    ['the reporters’ header rather than the other', { 'X-Currents-Key': ['abc'], authorization: ['Bearer d'] }, 'abc'],
    ['the other where there is none', { authorization: ['Bearer d'] }, 'd'],
    ['nothing of two of them', { [KEY]: ['abc', 'abc'] }, undefined],
  ] as const)('of a recording operation is %s', (_, headers, expected) => {
    expect(credentialOf(headers, 'record')).toBe(expected);
  });

  test('may have up to 4,096 characters', () => {
    const value = 'a'.repeat(4096);
    expect(credentialOf({ authorization: [`Bearer ${value}`] }, 'results:read')).toBe(value);
  });
});

/** Replaces the character by another one. */
const other = (character: string): string => (character === 'a' ? 'b' : 'a');

describe('§5 A credential value', () => {
  test.each(['apiKey', 'personalToken'] as const)('of the kind %s is recognized by its prefix and checksum', (kind) => {
    const value = createToken(kind);
    expect(tokenKind(value)).toBe(kind);
    for (let at = 0; at < value.length; at += 1) {
      const mistyped = value.slice(0, at) + other(value.charAt(at)) + value.slice(at + 1);
      expect(tokenKind(mistyped), mistyped.slice(0, at)).toBeUndefined();
    }
    for (const wrong of [`${value}a`, `a${value}`, value.slice(1), value.slice(0, -1), '', `${value}\n`]) {
      expect(tokenKind(wrong)).toBeUndefined();
    }
  });

  test('is not the secret of an invitation', () => {
    expect(tokenKind(createToken('apiKey').replace('rdn_key', 'rdn_inv'))).toBeUndefined();
  });

  test('is compared by its whole hash', () => {
    const hash = hashToken('value');
    expect(sameHash(hash, hashToken('value'))).toBe(true);
    expect(sameHash(hash, hashToken('other'))).toBe(false);
    expect(sameHash(hash, hash.slice(1))).toBe(false);
    expect(sameHash('', hash)).toBe(false);
  });
});
