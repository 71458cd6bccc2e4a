import { describe, expect, test } from 'vitest';
import { findCredential } from '#shared/access/request-credential.ts';
import { createSecret, createToken, findTokenKind, hashToken, isSameHash } from '#shared/access/token.ts';

const KEY = 'x-currents-key';

describe('§5 The credential of a request', () => {
  test.each([
    ['the value after the scheme', { authorization: ['Bearer abc'] }, 'abc'],
    ['found whatever the case of the scheme and of the header name', { Authorization: ['bEARER abc'] }, 'abc'],
    ['missing if there are two headers', { authorization: ['Bearer abc', 'Bearer abc'] }, undefined],
    [
      'missing if there are two headers whose names differ in case',
      { authorization: ['Bearer a'], Authorization: ['Bearer a'] },
      undefined,
    ],
    ['missing without a header', {}, undefined],
    ['missing if the header has no value', { authorization: undefined }, undefined],
    ['missing if the scheme is not Bearer', { authorization: ['Basic abc'] }, undefined],
    ['missing if text precedes the scheme', { authorization: ['x Bearer abc'] }, undefined],
    ['missing if text follows after a space', { authorization: ['Bearer abc def'] }, undefined],
    ['missing if it has 4,097 characters', { authorization: [`Bearer ${'a'.repeat(4097)}`] }, undefined],
    ['missing if only the header of reporters is sent', { [KEY]: ['abc'] }, undefined],
  ] as const)('The credential of a read operation is %s', (_, headers, expected) => {
    expect(findCredential(headers, 'results:read')).toBe(expected);
  });

  test.each([
    ['taken from the header of reporters', { [KEY]: ['abc'] }, 'abc'],
    [
      'taken from the authorization header, if both are sent',
      { 'X-Currents-Key': ['abc'], authorization: ['Bearer d'] },
      'd',
    ],
    [
      'taken from the header of reporters, if the authorization header has another scheme',
      { 'X-Currents-Key': ['abc'], authorization: ['Basic d'] },
      'abc',
    ],
    ['taken from the authorization header, if only this header is sent', { authorization: ['Bearer d'] }, 'd'],
    [
      'taken from the authorization header, if the header of reporters has no value',
      { [KEY]: undefined, authorization: ['Bearer d'] },
      'd',
    ],
    ['missing if the header of reporters is sent twice', { [KEY]: ['abc', 'abc'] }, undefined],
  ] as const)('The credential of a recording operation is %s', (_, headers, expected) => {
    expect(findCredential(headers, 'record')).toBe(expected);
  });

  test('The credential of a request may have up to 4,096 characters', () => {
    const value = 'a'.repeat(4096);
    expect(findCredential({ authorization: [`Bearer ${value}`] }, 'results:read')).toBe(value);
  });
});

const other = (character: string): string => (character === 'a' ? 'b' : 'a');

describe('§5 A credential value', () => {
  test.each(['apiKey', 'personalToken'] as const)(
    'A credential of the kind %s is recognized by its prefix and checksum',
    (kind) => {
      const value = createToken(kind);
      expect(findTokenKind(value)).toBe(kind);
      for (let at = 0; at < value.length; at += 1) {
        const mistyped = value.slice(0, at) + other(value.charAt(at)) + value.slice(at + 1);
        expect(findTokenKind(mistyped), mistyped.slice(0, at)).toBeUndefined();
      }
      for (const wrong of [`${value}a`, `a${value}`, value.slice(1), value.slice(0, -1), '', `${value}\n`]) {
        expect(findTokenKind(wrong)).toBeUndefined();
      }
    },
  );

  test('A credential that an earlier version of Rundown created is still recognized', () => {
    const random = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    expect(findTokenKind(`rdn_key_${random}1aoE2g`)).toBe('apiKey');
  });

  test('A credential of the wrong length is refused, even with the right checksum', () => {
    expect(findTokenKind(createSecret('rdn_key_a'))).toBeUndefined();
  });

  test('A value with the prefix of an invitation is not recognized as a credential', () => {
    expect(findTokenKind(createToken('apiKey').replace('rdn_key', 'rdn_inv'))).toBeUndefined();
  });

  test('A credential is compared by its whole hash', () => {
    const hash = hashToken('value');
    expect(isSameHash(hash, hashToken('value'))).toBe(true);
    expect(isSameHash(hash, hashToken('other'))).toBe(false);
    expect(isSameHash(hash, hash.slice(1))).toBe(false);
    expect(isSameHash('', hash)).toBe(false);
  });
});
