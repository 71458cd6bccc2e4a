import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonScan, type Text } from '#shared/engine/http/json-scan.ts';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import { readTopLevelText } from '#shared/engine/http/top-level-text.ts';
import { cases } from '#test/harness/cases.ts';
import { hostileText, hostileValue } from './hostile.ts';

const KEY = 'recordKey';

type Member = readonly [name: string, value: unknown];

/** Writes a JSON string in which every character is escaped, which JSON allows. */
const escaped = (text: string): string =>
  `"${[...text].map((one) => one.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)).join('')}"`;
const written = (members: readonly Member[], blank: string, escapes: boolean): string =>
  `${blank}{${blank}${members
    .map(([name, value]) =>
      [escapes ? escaped(name) : JSON.stringify(name), JSON.stringify(value)].join(`${blank}:${blank}`),
    )
    .join(`${blank},${blank}`)}${blank}}${blank}`;

const member: fc.Arbitrary<Member> = fc.tuple(
  fc.oneof(fc.constantFrom(KEY, 'recordkey', 'recordKey ', '"recordKey"', '\\', '{', 'config'), hostileText),
  fc.oneof(hostileText, hostileValue, fc.constant({ [KEY]: 'nested', list: [{ [KEY]: 'deeper' }] })),
);

/** The expected credential: the value of the first `recordKey`, if it is a string that is not too long. */
function expected(members: readonly Member[]): string | undefined {
  const value = members.find(([name]) => name === KEY)?.[1];
  return typeof value === 'string' && Buffer.byteLength(JSON.stringify(value)) - 2 <= BODY_LIMITS.credentialBytes
    ? value
    : undefined;
}

const base64 = (bytes: Uint8Array, contentEncoding?: string) => ({
  body: Buffer.from(bytes).toString('base64'),
  isBase64Encoded: true,
  contentEncoding,
});

describe('The credential in an unparsed body', () => {
  test('is the first top-level property with the expected name, even if the body contains escapes and white space', async () => {
    const blank = fc.constantFrom('', ' ', '\n\t ');
    await fc.assert(
      fc.asyncProperty(fc.array(member, { maxLength: 8 }), blank, fc.boolean(), async (members, space, escapes) => {
        const text = Buffer.from(written(members, space, escapes));
        // Lone surrogates cannot be encoded in UTF-8.
        const wanted = expected(members)?.toWellFormed();
        expect((await readTopLevelText(base64(text), KEY))?.toWellFormed()).toBe(wanted);
        expect((await readTopLevelText(base64(gzipSync(text), 'gzip'), KEY))?.toWellFormed()).toBe(wanted);
      }),
      { numRuns: cases(500, 200) },
    );
  });

  test('The JSON scanner reads the same names and texts, wherever the bytes of a body are split', () => {
    const text = Buffer.from(
      written(
        [
          ['é"\\', ['é\\"']],
          [KEY, 'value'],
          ['rest', {}],
        ],
        ' ',
        true,
      ),
    );
    for (let cut = 0; cut <= text.length; cut += 1) {
      const seen: (string | undefined)[] = [];
      const note = (_: number, text: Text) => void seen.push(text.spelled());
      const scan = new JsonScan({ done: false, open: () => {}, next: () => {}, name: note, text: note });
      scan.push(text.subarray(0, cut));
      scan.push(text.subarray(cut));
      expect(seen).toEqual(['é"\\', 'é\\"', KEY, 'value', 'rest']);
    }
  });

  test('is found even after the largest allowed suite', async () => {
    const tests = Array.from({ length: 100_000 }, (_, n) => ({
      title: ['cart', `sums case ${n}`],
      spec: `tests/cart-${n % 700}.spec.ts`,
      tags: [],
      testId: (n * 7919).toString(16).padStart(16, 'a'),
    }));
    const body = {
      platform: {},
      fullTestSuite: [{ name: 'retail', tags: [], tests }],
      config: { [KEY]: 'no' },
      [KEY]: 'yes',
    };
    const packed = gzipSync(JSON.stringify(body));
    expect(await readTopLevelText(base64(packed, 'gzip'), KEY)).toBe('yes');
  });

  test('In a body that inflates to a thousand times its size, the credential is found after 900,000 bytes, but not after 5,000,000', async () => {
    const behind = (blanks: number) => gzipSync(`${' '.repeat(blanks)}{"${KEY}":"yes"}`);
    expect(await readTopLevelText(base64(behind(900_000), 'gzip'), KEY)).toBe('yes');
    expect(await readTopLevelText(base64(behind(5_000_000), 'gzip'), KEY)).toBeUndefined();
  });

  test.each([
    ['truncated', gzipSync(`{"a":"${'x'.repeat(9000)}","${KEY}":"yes"}`).subarray(0, 40), 'gzip'],
    ['not gzip', Buffer.from(`{"${KEY}":"yes"}`), 'gzip'],
    ['in another coding', Buffer.from(`{"${KEY}":"yes"}`), 'br'],
    ['empty', Buffer.alloc(0), 'gzip'],
    ['a list', Buffer.from(`[{"${KEY}":"yes"}]`), undefined],
    ['nested too deeply', Buffer.from(`${'['.repeat(200)}{"${KEY}":"yes"}`), undefined],
  ])('The credential is not found in an unparsed body that is %s', async (_, bytes, coding) => {
    expect(await readTopLevelText(base64(bytes, coding), KEY)).toBeUndefined();
  });
});
