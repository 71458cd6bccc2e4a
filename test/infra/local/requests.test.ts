import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { localService } from './local-service.ts';
import { sendRequest } from './wire.ts';

const running = localService();

const Echo = z.object({
  event: z.record(z.string(), z.unknown()),
  context: z.record(z.string(), z.unknown()),
  remaining: z.number(),
});

async function echoed(requestLine: string, headers: readonly string[] = []): Promise<z.infer<typeof Echo>> {
  const answer = await sendRequest(running().service.origin, requestLine, headers);
  expect(answer.status).toBe(200);
  return Echo.parse(JSON.parse(answer.body));
}

describe('a route', () => {
  test('invokes its function from the template, with the declared path as the resource', async () => {
    const { event } = await echoed('GET /runs/7/tests/9');
    expect(event).toMatchObject({
      resource: '/runs/{runId}/tests/{testId}',
      path: '/runs/7/tests/9',
      httpMethod: 'GET',
      pathParameters: { runId: '7', testId: '9' },
      requestContext: { stage: 'dev', resourcePath: '/runs/{runId}/tests/{testId}', httpMethod: 'GET' },
    });
  });

  test('A route with a literal segment has priority over a route with a parameter', async () => {
    expect((await echoed('GET /runs/find')).event).toMatchObject({ resource: '/runs/find', pathParameters: null });
  });

  test('A route with a parameter serves the methods that a matching literal route lacks', async () => {
    const { event } = await echoed('PUT /runs/find');
    expect(event).toMatchObject({ resource: '/runs/{runId}', pathParameters: { runId: 'find' } });
  });

  test.each([
    ['DELETE /runs/7', 'a method that the path does not have'],
    ['GET /', 'the root without a route'],
    ['GET /runs', 'a prefix of a route'],
    ['GET /runs/7/', 'an extra slash'],
    ['GET /runs//tests/9', 'an empty parameter'],
    ['GET /runs/%zz', 'a parameter that is not percent-encoded text'],
    ['GET /runs/a/b/c/d/e', 'segments beyond any route'],
    ['OPTIONS *', 'no path at all'],
  ])('No route exists for %s: %s', async (requestLine) => {
    const answer = await sendRequest(running().service.origin, requestLine);
    expect(answer).toMatchObject({ status: 404, body: '{"status":"FAILED","error":"No such operation"}' });
  });

  test('is found for a request target with scheme and host', async () => {
    expect((await echoed('GET http://localhost/runs/7')).event).toMatchObject({ path: '/runs/7' });
  });
});

describe('a path parameter', () => {
  test.each([
    ['a%20b', 'a b'],
    ['a%2Fb', 'a/b'],
    ['a+b', 'a+b'],
    ['%2525', '%25'],
    ['%E2%9C%93', '✓'],
    ['%FF', '\uFFFD'],
    ['__proto__', '__proto__'],
  ])('is decoded exactly once: %j', async (sent, expected) => {
    expect((await echoed(`GET /runs/${sent}`)).event.pathParameters).toEqual({ runId: expected });
  });
});

describe('a query string', () => {
  test('is passed in two forms: with the last value of each parameter, and with a list of all its values', async () => {
    const { event } = await echoed('GET /echo?tags[]=a&b=1&tags%5B%5D=c+d&b=&empty&=nameless&tags[]=%26');
    expect(event.queryStringParameters).toEqual({ 'tags[]': '&', b: '', empty: '', '': 'nameless' });
    expect(event.multiValueQueryStringParameters).toEqual({
      'tags[]': ['a', 'c d', '&'],
      b: ['1', ''],
      empty: [''],
      '': ['nameless'],
    });
  });

  test('A missing query string is passed as null', async () => {
    const { event } = await echoed('GET /echo?');
    expect(event).toMatchObject({ queryStringParameters: null, multiValueQueryStringParameters: null });
  });

  test('is split at a raw semicolon, but not at an encoded semicolon', async () => {
    const { event } = await echoed('GET /echo?a=1;b=2&c=3%3B4');
    expect(event.queryStringParameters).toEqual({ a: '1', b: '2', c: '3;4' });
  });

  test.each(['a={}', 'a=|', 'a=%', 'a=%4', 'a=%g1'])(
    'A malformed query string is refused with 400: %s',
    async (query) => {
      const answer = await sendRequest(running().service.origin, `GET /echo?${query}`);
      expect(answer).toMatchObject({ status: 400, body: '{"status":"FAILED","error":"Not valid"}' });
    },
  );
});

describe('request headers', () => {
  test('keep their case, and are passed in two forms: with the last value of each header, and with a list of all its values', async () => {
    const { event } = await echoed('GET /echo', ['X-Tag: a', 'x-tag: b, c', 'Authorization: Bearer x', 'X-EMPTY:']);
    expect(event.headers).toMatchObject({ 'X-Tag': 'b, c', Authorization: 'Bearer x', 'X-EMPTY': '' });
    expect(event.multiValueHeaders).toMatchObject({ 'X-Tag': ['a', 'b, c'], Authorization: ['Bearer x'] });
  });

  test('Request headers that API Gateway drops, such as TE and Content-MD5, are not passed, and forwarding headers are added', async () => {
    const { event } = await echoed('GET /echo', ['TE: trailers', 'Content-MD5: x', 'WWW-Authenticate: y', 'Via: z']);
    const names = Object.keys(z.record(z.string(), z.string()).parse(event.headers));
    expect(names).toEqual([
      'Host',
      'Via',
      'X-Amzn-Trace-Id',
      'X-Forwarded-For',
      'X-Forwarded-Port',
      'X-Forwarded-Proto',
    ]);
  });
});

describe('a request body', () => {
  test('is passed as base64 and is not decompressed', async () => {
    const bytes = Uint8Array.from([0, 255, 128, 10]);
    const response = await fetch(`${running().service.origin}/echo`, {
      method: 'POST',
      body: bytes,
      headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' },
    });
    const { event } = Echo.parse(await response.json());
    expect(event).toMatchObject({
      body: Buffer.from(bytes).toString('base64'),
      isBase64Encoded: true,
      headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' },
    });
  });

  test('An empty request body is passed as null, even with a content type', async () => {
    const { event } = await echoed('POST /echo', ['Content-Type: application/json', 'Content-Length: 0']);
    expect(event).toMatchObject({ body: null, isBase64Encoded: false });
  });
});

describe('a function', () => {
  test('sees its own environment variables, and not those of the process', async () => {
    const response = await fetch(`${running().service.origin}/echo`);
    const { environment } = z.object({ environment: z.record(z.string(), z.string()) }).parse(await response.json());
    expect(environment).toMatchObject({
      TABLE_NAME: 'rundown',
      PUBLIC_ORIGIN: running().service.origin,
      AWS_LAMBDA_FUNCTION_NAME: 'fixture-echo',
      AWS_ENDPOINT_URL_DYNAMODB: running().engines.dynamodbEndpoint,
      AWS_ENDPOINT_URL_S3: running().engines.s3Endpoint,
    });
    expect(environment).not.toHaveProperty('PATH');
  });

  test('can read its remaining time', async () => {
    const { context, remaining } = await echoed('GET /echo');
    expect(context).toMatchObject({
      functionName: 'fixture-echo',
      memoryLimitInMB: '512',
      awsRequestId: expect.any(String),
    });
    expect(remaining).toBeGreaterThan(9000);
    expect(remaining).toBeLessThanOrEqual(10_000);
  });
});
