import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { makeBytesContent, makeHtmlContent, makeMarkdownContent, redirect } from '#shared/engine/http/content.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { noise } from '#test/harness/noise.ts';
import { serveEndpoints } from '#test/harness/served-endpoints.ts';

const PUBLIC = {
  at: 'origin',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Of a test',
} as const;

const LONG = '<p>é</p>'.repeat(1000);
const COOKIES = ['session=abc; Path=/; Secure; HttpOnly; SameSite=Lax', 'theme=dark; Path=/'];

const page = endpoint({
  ...PUBLIC,
  operationId: 'getPage',
  route: 'GET /page',
  content: ['html'],
  handle: () =>
    makeHtmlContent(LONG, { headers: { 'Content-Security-Policy': "default-src 'none'" }, cookies: COOKIES }),
});
const notes = endpoint({
  ...PUBLIC,
  operationId: 'getNotes',
  route: 'GET /notes',
  response: z.object({ text: z.string() }),
  content: ['markdown'],
  handle: ({ header }) => (header('accept') === 'text/markdown' ? makeMarkdownContent('# Notes') : { text: 'Notes' }),
});
const moved = endpoint({
  ...PUBLIC,
  operationId: 'getMoved',
  route: 'GET /moved',
  content: ['redirect'],
  handle: () => redirect('/page?from=moved', { cookies: COOKIES }),
});
const file = noise(5000);
const icon = endpoint({
  ...PUBLIC,
  operationId: 'getIcon',
  route: 'GET /icon',
  content: ['bytes'],
  handle: () =>
    makeBytesContent(file, 'image/png', { headers: { 'Cache-Control': 'public, max-age=31536000, immutable' } }),
});
const undeclared = endpoint({
  ...PUBLIC,
  operationId: 'getUndeclared',
  route: 'GET /undeclared',
  response: z.object({}),
  handle: () => makeHtmlContent('<p>Not declared</p>'),
});
const withoutJson = endpoint({
  ...PUBLIC,
  operationId: 'getWithoutJson',
  route: 'GET /without-json',
  content: ['html', 'bytes'],
  handle: () => makeBytesContent(new Uint8Array(7 * 1024 * 1024), 'text/plain'),
});

const get = (origin: string, path: string, headers: Record<string, string> = {}) =>
  fetch(origin + path, { headers: { 'accept-encoding': 'identity', ...headers }, redirect: 'manual' });

describe('The response of an endpoint', () => {
  test('A response can be HTML with its own headers and cookies, and is compressed for browsers that accept compression', async () => {
    const { origin } = await serveEndpoints(page);
    const answer = await get(origin, '/page');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(answer.headers.getSetCookie()).toEqual(COOKIES);
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    expect(await answer.text()).toBe(LONG);
    const packed = await get(origin, '/page', { 'accept-encoding': 'gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.getSetCookie()).toEqual(COOKIES);
    expect(await packed.text()).toBe(LONG);
  });

  test('A response can be Markdown or JSON, as the handler chooses', async () => {
    const { origin } = await serveEndpoints(notes);
    const text = await get(origin, '/notes', { accept: 'text/markdown' });
    expect(text.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(await text.text()).toBe('# Notes');
    const json = await get(origin, '/notes');
    expect(json.headers.get('content-type')).toBe('application/json');
    expect(json.headers.getSetCookie()).toEqual([]);
    expect(await json.json()).toEqual({ text: 'Notes' });
  });

  test('A response can be a redirect, which has status 303, may set cookies and is not cached', async () => {
    const { origin } = await serveEndpoints(moved, page);
    const answer = await get(origin, '/moved');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/page?from=moved');
    expect(answer.headers.getSetCookie()).toEqual(COOKIES);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await fetch(`${origin}/moved`)).url).toBe(`${origin}/page?from=moved`);
  });

  test('A response can be uncompressed bytes with its own cache header', async () => {
    const { origin } = await serveEndpoints(icon);
    const answer = await get(origin, '/icon', { 'accept-encoding': 'gzip' });
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(file);
  });
});

test('A response of a content type that the endpoint does not declare is replaced by a 500', async () => {
  const { origin } = await serveEndpoints(undeclared);
  const answer = await get(origin, '/undeclared');
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ status: 'FAILED', requestId: expect.any(String) });
});

test('A response that is too large for Lambda is replaced by a 413', async () => {
  const { origin } = await serveEndpoints(withoutJson);
  const answer = await get(origin, '/without-json');
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ status: 'FAILED', error: expect.stringContaining('too large') });
});
