import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { localService } from './local-service.ts';

const running = localService({ throttling: 'all' });

/** Invokes the function of the fixture, which does what `order` says. */
const execute = (order: object, path = '/answer') =>
  fetch(`${running().service.origin}${path}`, { method: 'POST', body: JSON.stringify(order) });

const GATEWAY_FAULT = /^\{"status":"FAILED","error":"Request [-0-9a-f]{36} failed"\}$/;

describe('the response of a function', () => {
  test('reaches the client with its status, its text, and its single and multi-value headers', async () => {
    const response = await execute({
      result: {
        statusCode: 201,
        headers: { 'X-One': 'a', 'X-Both': 'single', 'X-Number': 5, 'Content-Type': 'text/plain' },
        multiValueHeaders: { 'x-both': ['b', 'c'], 'Set-Cookie': ['d=1', 'e=2'] },
        body: 'héllo',
      },
    });
    expect(response.status).toBe(201);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-one': 'a',
      'x-both': 'b, c',
      'x-number': '5',
      'content-type': 'text/plain',
    });
    expect(response.headers.getSetCookie()).toEqual(['d=1', 'e=2']);
    expect(await response.text()).toBe('héllo');
  });

  test('A base64 body of a response is decoded', async () => {
    const body = gzipSync('{"a":1}').toString('base64');
    const headers = { 'Content-Encoding': 'gzip' };
    const response = await execute({ result: { statusCode: 200, headers, isBase64Encoded: true, body } });
    expect(await response.json()).toEqual({ a: 1 });
  });

  test('defaults to status 200, JSON and an empty body', async () => {
    const response = await execute({ result: {} });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe('');
  });

  test('The headers WWW-Authenticate, Server and Date of a response are renamed, and Via is dropped, as in API Gateway', async () => {
    const headers = {
      'WWW-Authenticate': 'Bearer',
      Server: 'mine',
      Date: 'now',
      Connection: 'close',
      Via: 'me',
      Host: 'h',
    };
    const response = await execute({ result: { statusCode: 401, headers } });
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
    expect(response.headers.get('x-amzn-remapped-server')).toBe('mine');
    expect(response.headers.get('x-amzn-remapped-date')).toBe('now');
    expect(response.headers.get('server')).toBeNull();
    expect(response.headers.get('date')).not.toBe('now');
    expect(response.headers.get('via')).toBeNull();
  });

  test('The response to HEAD has a content length and no body', async () => {
    const response = await fetch(`${running().service.origin}/echo`, { method: 'HEAD' });
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
    expect(await response.text()).toBe('');
  });

  test('A response has the request id of the gateway', async () => {
    const response = await execute({ result: { statusCode: 200 } });
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[-0-9a-f]{36}$/);
  });
});

describe('a malformed response of a function', () => {
  test.each([
    ['a value that is not an object', 'text'],
    ['null', null],
    ['a body that is not text', { statusCode: 200, body: { a: 1 } }],
    ['a status that is not a number', { statusCode: 'ok' }],
    ['a field that API Gateway does not know', { statusCode: 200, cookies: [] }],
    ['a multi-value header that is not a list', { statusCode: 200, multiValueHeaders: { a: 'b' } }],
    ['a header name that cannot be sent', { statusCode: 200, headers: { 'a b': 'c' } }],
    ['a header value that cannot be sent', { statusCode: 200, headers: { a: 'b\r\nc: d' } }],
  ])('A malformed response causes the 502 that the template defines, and is logged: %s', async (_, result) => {
    const before = running().faults.length;
    const response = await execute({ result });
    expect(response.status).toBe(502);
    expect(await response.text()).toMatch(GATEWAY_FAULT);
    expect(running().faults.slice(before).join()).toContain('POST /answer: Malformed Lambda proxy response');
  });

  test('A response with invalid base64 causes a 500', async () => {
    expect((await execute({ result: { statusCode: 200, isBase64Encoded: true, body: '***' } })).status).toBe(500);
  });
});

describe('a function', () => {
  test('A function that throws causes a 502 that does not show the error, and the error is logged with its stack trace', async () => {
    const before = running().faults.length;
    const response = await execute({ throws: 'secret detail' });
    expect(response.status).toBe(502);
    expect(await response.text()).toMatch(GATEWAY_FAULT);
    expect(running().faults.slice(before).join()).toMatch(/fixture-answer: Error: secret detail\n.*answer\/index\.js/s);
  });

  test('A function that cannot be loaded causes a 502, and the log names the missing module', async () => {
    const response = await fetch(`${running().service.origin}/broken`);
    expect(response.status).toBe(502);
    expect(running().faults.join()).toContain("Cannot find module 'left-pad': it is not in the bundle");
  });

  test('A function that exceeds its timeout causes a 502', async () => {
    const response = await execute({ milliseconds: 5000 });
    expect(response.status).toBe(502);
    expect(running().faults.join()).toContain('fixture-answer: Error: Task timed out after 1.00 seconds');
  });

  test('A function that exceeds the timeout of the gateway causes a 504', async () => {
    expect((await execute({ milliseconds: 600, result: {} }, '/impatient')).status).toBe(504);
  });
});

describe('a function that is built at its first call', () => {
  let build: Promise<void> | undefined;
  const buildOnce = () => {
    build ??= wait(700);
    return build;
  };
  const slowlyBuilt = localService({ prepareBundle: buildOnce });

  test('The time in which a function is built does not count against the timeout of the gateway', async () => {
    const order = { method: 'POST', body: JSON.stringify({ result: {} }) };
    expect((await fetch(`${slowlyBuilt().service.origin}/impatient`, order)).status).toBe(200);
  });
});

describe('the limits of the gateway', () => {
  test('A request above 10 MB is refused with 413 and the same body as on AWS', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 1);
    const response = await fetch(`${running().service.origin}/echo`, { method: 'POST', body });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ message: 'Request Too Long' });
  });

  test('A request of unknown length above 10 MB is refused with 413', async () => {
    const chunk = new Uint8Array(1024 * 1024);
    const body = ReadableStream.from(Array.from({ length: 11 }, () => chunk));
    const response = await fetch(`${running().service.origin}/echo`, { method: 'POST', body, duplex: 'half' });
    expect(response.status).toBe(413);
  });

  test('A request whose Lambda event exceeds 6 MB is refused with 413', async () => {
    const body = Buffer.alloc(5 * 1024 * 1024);
    const response = await fetch(`${running().service.origin}/echo`, { method: 'POST', body });
    expect(response.status).toBe(413);
  });

  test('A response above 6 MB causes a 502', async () => {
    expect((await execute({ bytes: 6 * 1024 * 1024 + 200 })).status).toBe(502);
    expect((await execute({ bytes: 6 * 1024 * 1024 - 200 })).status).toBe(200);
  });

  test('Requests above the rate limit of one method are refused with 429, and other methods still respond', async () => {
    const { origin } = running().service;
    const statuses = [];
    for (let request = 0; request < 3; request++) statuses.push((await fetch(`${origin}/scarce`)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await fetch(`${origin}/scarce`);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(await refused.json()).toEqual({ status: 'FAILED', error: 'Too many requests' });
    expect((await fetch(`${origin}/echo`)).status).toBe(200);
  });
});

describe('the share of a gateway key', () => {
  const counted = async (key: string) => {
    const headers = { 'X-Verdict': JSON.stringify({ key }) };
    return (await fetch(`${running().service.origin}/counted`, { headers })).status;
  };

  test('Each gateway key has its own rate limit, which the usage plan sets', async () => {
    expect([await counted('keyOne'), await counted('keyOne'), await counted('keyOne')]).toEqual([200, 200, 429]);
    expect(await counted('keyTwo')).toBe(200);
  });
});

describe('the output of a function', () => {
  test('The output of a function through console.log is recorded as logs, and its output through console.error as errors', async () => {
    await execute({ log: 'all is well', error: 'all is lost', result: {} });
    expect(running().logs).toContain('all is well');
    expect(running().faults).toContain('all is lost');
  });
});

test('each request is logged on one line', async () => {
  await fetch(`${running().service.origin}/runs/7?a=b`);
  expect(running().requests.at(-1)).toMatch(/^GET \/runs\/7\?a=b 200 \d+ ms$/);
});
