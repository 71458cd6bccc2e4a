import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attack } from '#test/harness/attacks.ts';
import { cases } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { send } from './wire.ts';

const MEGABYTE = 1024 * 1024;
const TITLE = ['cart', 'sums'];

let shared: ReturnType<typeof service> | undefined;
/** All tests share one organization, because the tested operation changes nothing. */
const organization = () => (shared ??= service());

async function signing() {
  const { origin, keys, projectId } = await organization();
  const ask = async (body: string | Uint8Array, ...headers: (readonly [string, string])[]) => {
    const path = '/v1/signature/test';
    const bearer = ['authorization', `Bearer ${keys.readOnly}`] as const;
    const answer = await send(origin, { method: 'POST', path, body, headers: [bearer, ...headers] });
    return { status: answer.status, body: JSON.parse(answer.body.toString()) };
  };
  return { ask, good: JSON.stringify({ projectId, specFilePath: 'cart.spec.ts', testTitle: TITLE }) };
}

const GZIP = ['content-encoding', 'gzip'] as const;
const failed = (status: number, text: RegExp) => ({
  status,
  body: { status: 'FAILED', error: expect.stringMatching(text) },
});

describe('A request body', () => {
  test('is read as JSON, whatever its content type says', async () => {
    const { ask, good } = await signing();
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'multipart/form-data',
      '',
    ]) {
      expect((await ask(good, ['content-type', type])).status).toBe(200);
    }
    expect((await ask(good)).status).toBe(200);
  });

  test('A request body that is compressed with gzip is accepted if its `Content-Encoding` is gzip, GZIP or x-gzip', async () => {
    const { ask, good } = await signing();
    for (const coding of ['gzip', 'GZIP', 'x-gzip', ' gzip ']) {
      expect((await ask(gzipSync(good), ['content-encoding', coding])).status).toBe(200);
    }
    expect((await ask(good, ['content-encoding', 'identity'])).status).toBe(200);
  });

  test('A body that cannot be decoded is refused with an error that names the encoding to use', async () => {
    const { ask, good } = await signing();
    const refused = failed(400, /cannot be decoded.*gzip/);
    expect(await ask(good, GZIP)).toEqual(refused);
    expect(await ask(gzipSync(good).subarray(0, -6), GZIP)).toEqual(refused);
    expect(await ask(good, ['content-encoding', 'br'])).toEqual(refused);
    expect(await ask(gzipSync(good), ['content-encoding', 'gzip, gzip'])).toEqual(refused);
  });

  test('A body that decompresses to more than 24 MB is refused with 413', async () => {
    const { ask } = await signing();
    const bomb = gzipSync(Buffer.alloc(40 * MEGABYTE, ' '), { level: 9 });
    attack('hostile bodies');
    expect(bomb.length).toBeLessThan(MEGABYTE);
    expect(await ask(bomb, GZIP)).toEqual(failed(413, /exceeds \d+ bytes.*Send smaller parts/));
  });

  test.each(['', '   ', '{', '{"a":}', "{'a':1}", '{"a":1}{"b":2}', '{"a":1,}', 'NaN', '\ufeff{', 'null x'])(
    'A body with the text %j is refused because it is not JSON',
    async (text) => {
      const { ask } = await signing();
      attack('hostile bodies');
      expect(await ask(text)).toEqual(failed(400, /Send one JSON object/));
    },
  );

  test.each(['[]', '"text"', '7', 'true', 'null'])(
    'A body with the JSON value %s is refused because it is not an object',
    async (text) => {
      const { ask } = await signing();
      attack('hostile bodies');
      expect(await ask(text)).toEqual(failed(400, /body must be an object/));
    },
  );

  test.each([101, 5000, 500_000])('A body nested %i levels deep is refused', async (levels) => {
    const { ask, good } = await signing();
    attack('hostile bodies');
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(await ask(good.replace('{', `{"extra":${deep},`))).toEqual(failed(400, /nested|valid JSON/));
    attack('hostile bodies');
    expect(await ask(good.replace('{', `{"extra":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)},`))).toEqual(
      failed(400, /nested|valid JSON/),
    );
  });

  test('A body nested 90 levels deep is read, so that only its unknown property is refused', async () => {
    const { ask, good } = await signing();
    const { status, body } = await ask(good.replace('{', `{"extra":${'['.repeat(90)}${']'.repeat(90)},`));
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining('`extra`') });
  });

  test('A body with `__proto__` or `constructor.prototype` is refused, and does not pollute the prototype of objects', async () => {
    const { ask, good } = await signing();
    attack('hostile bodies');
    expect(await ask(good.replace('{', '{"__proto__":{"polluted":true},'))).toMatchObject({ status: 400 });
    attack('hostile bodies');
    expect(await ask(good.replace('{', '{"constructor":{"prototype":{"polluted":true}},'))).toMatchObject({
      status: 400,
    });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('A body of arbitrary bytes, compressed or not, never causes an internal error', async () => {
    const { ask } = await signing();
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((raw) => Uint8Array.from(gzipSync(raw))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), async (body, compressed) => {
        attack('hostile bodies');
        expect([400, 413]).toContain((await ask(body, ...(compressed ? [GZIP] : []))).status);
      }),
      { numRuns: cases(150, 20) },
    );
  });
});
