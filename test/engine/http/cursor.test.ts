import { createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#shared/engine/errors.ts';
import { type CursorScope, makeCursors } from '#shared/engine/http/cursor.ts';
import { cases } from '#test/harness/cases.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { hostileText } from './hostile.ts';

const SECRET = createSecretKey(new TextEncoder().encode('a secret of one organization'));
const SCOPE: CursorScope = { list: 'test-results abc', filters: { tags: ['a'] } };
const POSITION = '1jc5a0v00aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const cursors = makeCursors(SECRET, SCOPE);

/** Returns the position that the cursor contains, or the status code of the refusal. */
function opened(cursor: string, by = cursors): string | number {
  try {
    return by.open(cursor);
  } catch (error) {
    if (error instanceof ApiError) return error.statusCode;
    throw error;
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const character = fc.constantFrom(...ALPHABET, '+', '/', '=', ' ', '\u0000', '.', 'é');
const index = fc.nat(1000);

type Edit = (text: string) => string;

const replaceAt =
  (place: number, by: string): Edit =>
  (text) =>
    text.slice(0, place % text.length) + by + text.slice((place % text.length) + 1);
const insertAt =
  (place: number, by: string): Edit =>
  (text) =>
    text.slice(0, place % text.length) + by + text.slice(place % text.length);
const cutAt =
  (place: number): Edit =>
  (text) =>
    text.slice(0, place % text.length);
const rotateAt =
  (place: number): Edit =>
  (text) =>
    text.slice(place % text.length) + text.slice(0, place % text.length);
const whole: readonly Edit[] = [
  (text) => text + text,
  (text) => [...text].reverse().join(''),
  (text) => text.toUpperCase(),
  (text) => `${text}=`,
  (text) => `${text}A`,
  (text) => Buffer.from(text, 'base64url').toString('base64'),
  (text) => Buffer.from(text, 'base64url').toString('hex'),
];

/**
 * One edit of a text: replaces, inserts or removes a character, or changes the whole text, for example by cutting,
 * rotating, doubling, reversing or re-encoding it.
 */
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(index, character).map(([place, by]) => replaceAt(place, by)),
  fc.tuple(index, character).map(([place, by]) => insertAt(place, by)),
  index.map((place) => replaceAt(place, '')),
  index.map(cutAt),
  index.map(rotateAt),
  fc.constantFrom(...whole),
);

const apply = (edits: readonly Edit[], to: string): string =>
  edits.reduce((text, change) => (text === '' ? text : change(text)), to);

describe('§8 A cursor', () => {
  test('Decoding a cursor returns the position that was encoded in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), (position) => {
        expect(opened(cursors.seal(position))).toBe(position);
        // Cursors start with `A`, because a CSV export would put an apostrophe before a cursor that starts with `-`.
        expect(cursors.seal(position)).toMatch(/^A[\w-]+$/);
      }),
    );
  });

  test('An altered cursor is refused with 400', () => {
    const sealed = cursors.seal(POSITION);
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const altered = apply(edits, sealed);
        const position = opened(altered);
        if (altered === sealed ? position !== POSITION : position !== 400)
          throw new Error(`The cursor ${altered}, altered from ${sealed}, was opened as ${position}`);
      }),
      { numRuns: cases(100_000, 2500) },
    );
  });

  test('A cursor made of arbitrary text or bytes is refused with 400', () => {
    const madeUp = fc.oneof(
      hostileText,
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
      fc.constantFrom(
        'A'.repeat(100_000),
        Buffer.from(JSON.stringify({ pk: 'HISTORY#o#s', sk: 'x' })).toString('base64url'),
      ),
    );
    fc.assert(
      fc.property(madeUp, (cursor) => opened(cursor) === 400),
      { numRuns: cases(5000, 500) },
    );
  });

  test('A cursor of another organization, list or filter is refused with 400', () => {
    const others = [
      makeCursors(createSecretKey(new TextEncoder().encode('a secret of another organization')), SCOPE),
      makeCursors(SECRET, { ...SCOPE, list: 'test-results abcd' }),
      makeCursors(SECRET, { ...SCOPE, filters: { tags: ['b'] } }),
      makeCursors(SECRET, { ...SCOPE, filters: {} }),
    ];
    for (const other of others) expect(opened(other.seal(POSITION))).toBe(400);
  });

  test.each([
    ['the order of filters', { tags: ['a', 'b'], branches: ['main'] }, { branches: ['main'], tags: ['a', 'b'] }],
    ['the order of values', { tags: ['a', 'b'] }, { tags: ['b', 'a'] }],
    ['repeated values', { tags: ['a'] }, { tags: ['a', 'a'] }],
    ['a filter without a value', { tags: ['a'] }, { tags: ['a'], branches: undefined }],
  ])('A cursor stays valid for another query that differs only in %s', (_, sealed, given) => {
    const cursor = makeCursors(SECRET, { ...SCOPE, filters: sealed }).seal(POSITION);
    expect(opened(cursor, makeCursors(SECRET, { ...SCOPE, filters: given }))).toBe(POSITION);
  });

  test('A cursor of an earlier version of Rundown stays valid', () => {
    const sealed = 'APXvfftfGx_mCPOxQDFqYzVhMHYwMGFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh';
    expect(opened(sealed)).toBe(POSITION);
  });

  test('A cursor signed without the secret is refused with 400', () => {
    for (const key of ['', 'a secret', JSON.stringify(SCOPE)]) {
      const tag = createHmac('sha256', key).update(POSITION).digest().subarray(0, 12);
      expect(opened(Buffer.concat([Buffer.from([0]), tag, Buffer.from(POSITION)]).toString('base64url'))).toBe(400);
    }
  });
});

describe('§8 A cursor over HTTP', () => {
  test('Over HTTP, an altered cursor is refused with 400, and an unaltered cursor is accepted', async () => {
    const tenant = await service();
    for (const build of ['a', 'b', 'c']) {
      await recordRun(tenant, { retail: { tests: { 'cart.spec.ts > sums': passed() } } }, { ciBuildId: build });
    }
    const path = `/projects/${tenant.projectId}/runs?limit=1`;
    const first = (await tenant.api.get(path)).body.data[0];
    const own = (await tenant.api.get(path.replace('limit=1', 'limit=50'))).body.data.map(
      (run: { runId: string }) => run.runId,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { maxLength: 2 }),
        fc.constantFrom('starting_after', 'ending_before'),
        async (edits, name) => {
          const cursor = apply(edits, first.cursor);
          const { status, body } = await tenant.api.get(`${path}&${name}=${encodeURIComponent(cursor)}`);
          if (cursor !== first.cursor) return void expect(status).toBe(400);
          expect(status).toBe(200);
          for (const { runId } of body.data) expect(own).toContain(runId);
        },
      ),
      { numRuns: cases(300, 20) },
    );
  });
});
