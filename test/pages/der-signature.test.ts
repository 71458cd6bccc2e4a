import { generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainSignature } from '#shared/engine/aws/der-signature.ts';
import { cases } from '#test/harness/cases.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const P256 = 1;
const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;

describe('The DER signature of a passkey', () => {
  test('A DER signature stays valid when it is converted to the 64-byte format', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (data) => {
        const plain = plainSignature(sign('sha256', data, privateKey), P256);
        expect(plain).toHaveLength(64);
        expect(verify('sha256', data, key, plain)).toBe(true);
      }),
      { numRuns: cases(300) },
    );
  });

  test('A DER signature is refused if it is truncated, has extra bytes before or after it, or belongs to another curve', () => {
    const der = sign('sha256', Buffer.from('text'), privateKey);
    const wrong = [
      Buffer.concat([der, Buffer.from([0])]),
      Buffer.concat([Buffer.from([0]), der]),
      Buffer.alloc(0),
      ...Array.from({ length: der.length }, (_, length) => der.subarray(0, length)),
    ];
    for (const one of wrong) expect(() => plainSignature(one, P256)).toThrow('not a DER sequence');
    expect(() => plainSignature(der, 2)).toThrow('not a DER sequence');
  });

  test('Arbitrary bytes are either refused as a signature or converted to 64 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const form = Buffer.concat([Buffer.from([0x30, bytes.length]), bytes]);
        for (const one of [bytes, form]) {
          try {
            expect(plainSignature(one, P256)).toHaveLength(64);
          } catch (error) {
            expect(String(error)).toContain('not a DER sequence');
          }
        }
      }),
      { numRuns: cases(1000) },
    );
  });
});
