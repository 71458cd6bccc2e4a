import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { endpoint } from '#shared/platform/endpoint.ts';
import { serveEndpoints } from '#test/harness/served-endpoints.ts';

const Texts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

const save = endpoint({
  at: 'origin',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Of a test',
  operationId: 'saveForm',
  route: 'POST /form',
  form: z.object({ name: z.string(), tags: Texts.optional() }),
  response: z.object({ name: z.string(), tags: z.array(z.string()).optional() }),
  handle: ({ body }) => body,
});

const FORM = 'application/x-www-form-urlencoded';

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const { origin } = await serveEndpoints(save);
  const answer = await fetch(`${origin}/form`, { method: 'POST', body, headers: { 'content-type': FORM, ...headers } });
  return { status: answer.status, body: await answer.json() };
}

describe('A posted form', () => {
  test('passes its fields to the handler, and repeated fields as a list', async () => {
    expect(await post('name=J%C3%BCrgen+%26+Co.&tags=a&tags=b%2Bc')).toEqual({
      status: 200,
      body: { name: 'Jürgen & Co.', tags: ['a', 'b+c'] },
    });
    expect((await post('name=x&tags=a')).body).toEqual({ name: 'x', tags: ['a'] });
    expect((await post('name=&other=1')).body).toEqual({ name: '' });
  });

  test('may have a content type in uppercase and with a charset', async () => {
    expect((await post('name=x', { 'content-type': `${FORM.toUpperCase()}; charset=UTF-8` })).status).toBe(200);
  });

  test('may be compressed', async () => {
    expect((await post(gzipSync('name=x'), { 'content-encoding': 'gzip' })).body).toEqual({ name: 'x' });
  });

  test.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain', ''])(
    'A posted form with the content type "%s" is refused with 400, and the error names the required content type',
    async (type) => {
      const { status, body } = await post('name=x', { 'content-type': type });
      expect({ status, body }).toEqual({
        status: 400,
        body: { status: 'FAILED', error: `The form has the wrong content type. Send it as ${FORM}` },
      });
    },
  );

  test.each([
    ['without a required field', 'tags=a', '`name` is required'],
    ['with a repeated field that accepts a single value', 'name=a&name=b', '`name` must be a string'],
    ['without a body', '', '`name` is required'],
  ])('A form %s is refused with 400, and the error names the field', async (_, body, error) => {
    expect(await post(body)).toEqual({ status: 400, body: { status: 'FAILED', error } });
  });

  test('of up to 64 KiB is accepted, and a larger form is refused, even if it is compressed', async () => {
    const largest = `name=${'x'.repeat(64 * 1024 - 'name='.length)}`;
    expect((await post(largest)).status).toBe(200);
    expect(await post(`${largest}x`)).toEqual({
      status: 413,
      body: {
        status: 'FAILED',
        error: 'The form exceeds 65536 bytes. Send shorter texts, fewer fields or smaller files',
      },
    });
    expect((await post(gzipSync(`${largest}x`), { 'content-encoding': 'gzip' })).status).toBe(413);
  });

  test('is refused with 413 if it has more than 1,000 fields', async () => {
    const fields = (count: number) => ['name=x', ...Array.from({ length: count - 1 }, () => 'tags=')].join('&');
    expect((await post(fields(1000))).status).toBe(200);
    expect((await post(fields(1001))).status).toBe(413);
  });

  test('cannot change prototypes with field names such as `__proto__`', async () => {
    expect(await post('name=x&__proto__=1&constructor=2&toString=3')).toEqual({ status: 200, body: { name: 'x' } });
  });
});
