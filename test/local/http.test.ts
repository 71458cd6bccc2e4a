import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localService } from './local-service.ts';
import { sendRequest, sendText } from './wire.ts';

const running = localService();
const NUL = String.fromCharCode(0);

describe('malformed HTTP', () => {
  test.each([
    ['no HTTP at all', '\x16\x03\x01\x02\r\n\r\n'],
    ['a header without a colon', 'GET /echo HTTP/1.1\r\nHost\r\n\r\n'],
    ['a header with NUL', `GET /echo HTTP/1.1\r\nHost: a${NUL}b\r\n\r\n`],
    ['two lengths', 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    [
      'a length and chunks',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a chunk size that is none', 'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n'],
    ['an unknown method', 'FROB /echo HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no host', 'GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('(%s) is refused with 400 and the next request is answered', async (_, text) => {
    const { origin } = running().service;
    expect(await sendText(origin, text)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(`${origin}/echo`)).status).toBe(200);
  });

  test('of headers without end closes the connection and the next request is answered', async () => {
    const { origin } = running().service;
    await sendText(origin, `GET /echo HTTP/1.1\r\nHost: a\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n`);
    expect((await fetch(`${origin}/echo`)).status).toBe(200);
  });

  test('of a body that never comes does not stop other requests', async () => {
    const { origin } = running().service;
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
    expect((await fetch(`${origin}/echo`)).status).toBe(200);
    expect((await sendRequest(origin, 'GET /echo')).status).toBe(200);
    socket.destroy();
  });
});

const piece = fc.oneof(
  fc.constantFrom(
    'GET ',
    'POST ',
    '/echo',
    '/runs/',
    '/guarded/',
    ' HTTP/1.1',
    '\r\n',
    '\r\n\r\n',
    'Host: a',
    '?a=',
    '%',
    ';',
    ':',
  ),
  fc.constantFrom(
    'Content-Length: 4',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
    'Upgrade: websocket',
    'X-Verdict: {',
  ),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)) }),
);

test('no bytes whatever stop the service', async () => {
  const { origin } = running().service;
  const request = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const head = fc.boolean().map((wellFormed) => (wellFormed ? 'GET /guarded/1 HTTP/1.1\r\nHost: a\r\n' : ''));
  await fc.assert(
    fc.asyncProperty(head, request, async (start, rest) => {
      await sendText(origin, `${start}${rest}\r\n\r\n`);
      expect((await fetch(`${origin}/echo`)).status).toBe(200);
    }),
    { numRuns: 300 },
  );
});

describe('sizes', () => {
  test('a URL above 10,240 characters is 414', async () => {
    const { origin } = running().service;
    const path = '/echo?a=';
    expect((await sendRequest(origin, `GET ${path}${'x'.repeat(10_240 - path.length)}`)).status).toBe(200);
    expect((await sendRequest(origin, `GET ${path}${'x'.repeat(10_241 - path.length)}`)).status).toBe(414);
  });

  test('header values above 10,240 bytes together are 431', async () => {
    const answer = await sendRequest(running().service.origin, 'GET /echo', [`X-A: ${'x'.repeat(10_300)}`]);
    expect(answer).toMatchObject({ status: 431, body: '{"status":"FAILED","error":"Not valid"}' });
  });
});

test('the service listens on the loopback interface only', () => {
  expect(running().service.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});
