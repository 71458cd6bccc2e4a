import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '#infra/local/host/http-server.ts';
import { getPort } from '#infra/local/host/loopback.ts';
import { cases } from '#test/harness/cases.ts';
import { localService } from './local-service.ts';
import { sendRequest, sendText } from './wire.ts';

const running = localService();
const NUL = String.fromCharCode(0);

describe('malformed HTTP', () => {
  test.each([
    ['not HTTP at all', '\x16\x03\x01\x02\r\n\r\n'],
    ['a header without a colon', 'GET /echo HTTP/1.1\r\nHost\r\n\r\n'],
    ['a header with NUL', `GET /echo HTTP/1.1\r\nHost: a${NUL}b\r\n\r\n`],
    ['two content lengths', 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    [
      'a content length and chunks',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['an invalid chunk size', 'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n'],
    ['an unknown method', 'FROB /echo HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no host', 'GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('is refused with 400, and the next request succeeds: %s', async (_, text) => {
    const { origin } = running().service;
    const named = text.replace('Host: a\r\n', `Host: ${new URL(origin).host}\r\n`);
    expect(await sendText(origin, named)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(`${origin}/echo`)).status).toBe(200);
  });

  test('A request with far too many headers does not block the next request', async () => {
    const { origin } = running().service;
    await sendText(origin, `GET /echo HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n`);
    expect((await fetch(`${origin}/echo`)).status).toBe(200);
  });

  test('A request with an incomplete body does not block other requests', async () => {
    const { origin } = running().service;
    const { host, port } = new URL(origin);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`POST /echo HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\nab`);
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

test('arbitrary bytes do not stop the service', async () => {
  const { origin } = running().service;
  const request = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const line = `GET /guarded/1 HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n`;
  const head = fc.boolean().map((wellFormed) => (wellFormed ? line : ''));
  await fc.assert(
    fc.asyncProperty(head, request, async (start, rest) => {
      await sendText(origin, `${start}${rest}\r\n\r\n`);
      expect((await fetch(`${origin}/echo`)).status).toBe(200);
    }),
    { numRuns: cases(300) },
  );
});

describe('the size limits', () => {
  test('A URL above 10,240 characters is refused with 414', async () => {
    const { origin } = running().service;
    const path = '/echo?a=';
    expect((await sendRequest(origin, `GET ${path}${'x'.repeat(10_240 - path.length)}`)).status).toBe(200);
    expect((await sendRequest(origin, `GET ${path}${'x'.repeat(10_241 - path.length)}`)).status).toBe(414);
  });

  test('Header values above 10,240 bytes in total are refused with 431', async () => {
    const answer = await sendRequest(running().service.origin, 'GET /echo', [`X-A: ${'x'.repeat(10_300)}`]);
    expect(answer).toMatchObject({ status: 431, body: '{"status":"FAILED","error":"Not valid"}' });
  });
});

describe('the service', () => {
  test.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])('accepts requests for the host %s', async (name) => {
    const { origin } = running().service;
    expect(await statusFor(origin, `${name}:${new URL(origin).port}`)).toBe(200);
  });

  test.each(['rebound.example.com', 'localhost.example.com', 'app.localhost', '127.0.0.2', '[::2]', ''])(
    'refuses requests for the host "%s" with 421 and the correct address',
    async (name) => {
      const { origin } = running().service;
      const request = `GET /echo HTTP/1.1\r\nConnection: close\r\nHost: ${name}:${new URL(origin).port}\r\n\r\n`;
      const answer = await sendText(origin, request);
      expect(answer).toMatch(/^HTTP\/1\.1 421 /);
      expect(answer).toContain(`{"status":"FAILED","error":"This address is not served here. Use ${origin}"}`);
    },
  );

  test.each(['localhost', 'localhost:1', 'localhost:', ' '])(
    'refuses the host "%s" with 421, because its port is wrong or missing',
    async (host) => {
      expect(await statusFor(running().service.origin, host)).toBe(421);
    },
  );

  test.each(['127.0.0.1', '::1'])('listens on %s', async (address) => {
    const { hostname, port } = new URL(running().service.origin);
    const answers = (await fetch(`http://${address.includes(':') ? `[${address}]` : address}:${port}/echo`)).status;
    expect({ hostname, answers }).toEqual({ hostname: 'localhost', answers: 200 });
  });

  test('listens on the loopback interfaces only', async () => {
    const { port } = new URL(running().service.origin);
    const addresses = Object.values(networkInterfaces()).flatMap(
      (all) => all?.filter(({ internal }) => !internal) ?? [],
    );
    for (const { address, family } of addresses) {
      const host = family === 'IPv6' ? `[${address}]` : address;
      await expect(fetch(`http://${host}:${port}/echo`)).rejects.toThrow('fetch failed');
    }
  });

  test('does not start if its port is in use on ::1', async () => {
    const other = createServer().listen(0, '::1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    await expect(listen(getPort(other))).rejects.toThrow(`Port ${getPort(other)} is taken by another process`);
  });
});

async function statusFor(origin: string, host: string): Promise<number> {
  const answer = await sendText(origin, `GET /echo HTTP/1.1\r\nConnection: close\r\nHost: ${host}\r\n\r\n`);
  return Number(answer.split(' ')[1]);
}
