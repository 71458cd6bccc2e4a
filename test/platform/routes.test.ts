import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { toContext } from '#shared/access/denial.ts';
import { invalidRequest } from '#shared/engine/errors.ts';
import type { RouteEvent } from '#shared/engine/http/event.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { routes } from '#shared/platform/routes.ts';

for (const name of [ENVIRONMENT.tableName, ENVIRONMENT.artifactsBucket, ENVIRONMENT.publicOrigin]) {
  vi.stubEnv(name, 'unused');
}

const DECLARATION = {
  name: 'tools',
  routes: ['GET /tools', 'POST /tools'],
  credential: 'none',
  access: { table: 'none', artifacts: 'none' },
  summary: '',
  memoryMegabytes: 1024,
} as const;

const event = (authorizer?: Readonly<Record<string, unknown>>): RouteEvent => ({
  httpMethod: 'GET',
  resource: '/tools',
  path: '/tools',
  multiValueHeaders: null,
  multiValueQueryStringParameters: null,
  pathParameters: null,
  requestContext: { requestId: 'r1', identity: { sourceIp: '127.0.0.1' }, authorizer },
  body: null,
  isBase64Encoded: false,
});

function logged(level: 'info' | 'error') {
  const spy = vi.spyOn(console, level).mockImplementation(() => {});
  onTestFinished(() => spy.mockRestore());
  return spy.mock.calls;
}

const OK = { statusCode: 200, headers: {}, body: 'fine', isBase64Encoded: false };

describe('A function with several routes', () => {
  test('declares each route with its throttling limits', () => {
    const throttle = { requestsPerSecond: 1, burstRequests: 5 };
    const handler = routes({ ...DECLARATION, throttles: { 'POST /tools': throttle }, handle: async () => OK });
    expect(handler.routes).toEqual({
      name: 'tools',
      routes: [
        { method: 'GET', path: '/tools', throttle: undefined },
        { method: 'POST', path: '/tools', throttle },
      ],
      credential: 'none',
      access: { table: 'none', artifacts: 'none' },
      summary: '',
      memoryMegabytes: 1024,
      signs: false,
    });
  });

  test('passes the response of its handler through unchanged, and logs each request', async () => {
    const lines = logged('info');
    const handler = routes({ ...DECLARATION, handle: async ({ path }) => ({ ...OK, body: path }) });
    expect(await handler(event())).toEqual({ ...OK, body: '/tools' });
    expect(lines).toEqual([[expect.objectContaining({ operationId: 'tools', requestId: 'r1', statusCode: 200 })]]);
  });

  test('returns the message of a refusal, but hides the message of an unexpected error and gives the request id', async () => {
    logged('info');
    const faults = logged('error');
    const answerTo = (error: Error) => routes({ ...DECLARATION, handle: () => Promise.reject(error) })(event());
    const refused = await answerTo(invalidRequest('Send a number'));
    expect([refused.statusCode, JSON.parse(refused.body)]).toEqual([400, { status: 'FAILED', error: 'Send a number' }]);
    const broken = await answerTo(new Error('secret detail'));
    expect(broken.statusCode).toBe(500);
    expect(JSON.parse(broken.body)).toMatchObject({ status: 'FAILED', requestId: 'r1' });
    expect(broken.body).not.toContain('secret');
    expect(faults).toEqual([[expect.objectContaining({ operationId: 'tools', statusCode: 500 })]]);
  });
});

describe('A function with several routes and a credential', () => {
  const own = { ...DECLARATION, credential: { action: 'results:read', resource: 'mcp' } } as const;

  test('A function with several routes receives the actor that the authorizer identified', async () => {
    logged('info');
    const actor = { kind: 'apiKey', organizationId: 'o', keyId: 'k', label: 'CI', level: 'readOnly' } as const;
    const handler = routes({ ...own, handle: async (_event, _services, { kind }) => ({ ...OK, body: kind }) });
    expect(await handler(event(toContext(actor, undefined)))).toEqual({ ...OK, body: 'apiKey' });
  });

  test('A function with several routes refuses a request that did not pass the authorizer', async () => {
    logged('info');
    const handler = routes({ ...own, handle: async () => OK });
    expect((await handler(event())).statusCode).toBe(401);
  });
});
