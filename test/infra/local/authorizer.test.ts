import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { localService } from './local-service.ts';

const running = localService();

/** Sends a request that tells the authorizer of the fixture which verdict to return. */
const guarded = (verdict: object, path = '/guarded/7') =>
  fetch(`${running().service.origin}${path}`, { headers: { 'X-Verdict': JSON.stringify(verdict) } });

const ARN = 'arn:aws:execute-api:us-east-1:000000000000:rundown/dev/GET/guarded/7';
const statement = (Effect: string, Resource: string | string[], Action: string | string[] = 'execute-api:Invoke') => ({
  Effect,
  Action,
  Resource,
});

describe('an authorizer', () => {
  test('passes its context to the function, with every value as text', async () => {
    const response = await guarded({ context: { organizationId: 'o1', admin: false } });
    const Event = z.object({ event: z.object({ requestContext: z.object({ authorizer: z.unknown() }) }) });
    expect(Event.parse(await response.json()).event.requestContext.authorizer).toEqual({
      principalId: 'someone',
      organizationId: 'o1',
      admin: 'false',
      count: '7',
      type: 'REQUEST',
      methodArn: ARN,
      sawBody: 'false',
      integrationLatency: expect.stringMatching(/^\d+$/),
    });
  });

  test('decides about each request separately, even if the request has no credential', async () => {
    const { origin } = running().service;
    expect((await guarded({ effect: 'Deny' })).status).toBe(403);
    expect((await fetch(`${origin}/guarded/7`)).status).toBe(200);
  });

  test('An authorizer that throws Unauthorized causes the 401 that the template defines, and logs no error', async () => {
    const before = running().faults.length;
    const response = await guarded({ throws: 'Unauthorized' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toEqual({ status: 'FAILED', error: 'Who are you?' });
    expect(running().faults.slice(before)).toEqual([]);
  });

  test.each(['unauthorized', 'Unauthorized!', 'The store is down'])(
    'An authorizer that throws %j causes a 503, and the error is logged',
    async (throws) => {
      const response = await guarded({ throws });
      expect(response.status).toBe(503);
      expect(running().faults.join()).toContain(`fixture-authorizer: Error: ${throws}`);
    },
  );

  test.each([
    ['nothing', null],
    ['no policy', { principalId: 'p' }],
    [
      'an unknown version of the policy language',
      { principalId: 'p', policyDocument: { Version: '2012', Statement: [statement('Allow', '*')] } },
    ],
    ['no principal', { policyDocument: { Statement: [statement('Allow', '*')] } }],
    [
      'a list in its context',
      { principalId: 'p', policyDocument: { Statement: [statement('Allow', '*')] }, context: { a: [] } },
    ],
    [
      'a resource above 512 characters',
      { principalId: 'p', policyDocument: { Statement: [statement('Allow', 'x'.repeat(513))] } },
    ],
  ])('An authorizer that returns %s causes a 500', async (_, answer) => {
    expect((await guarded(answer === null ? { answer: 'null' } : { answer })).status).toBe(500);
  });
});

describe('a policy', () => {
  test.each([
    ['allows by a wildcard that crosses slashes', [statement('Allow', 'arn:aws:execute-api:*:*:*/dev/*')], 200],
    ['allows exactly this method', [statement('Allow', ARN)], 200],
    ['allows by a wildcard for one character', [statement('Allow', ARN.replace('/7', '/?'))], 200],
    ['allows by one of several resources and actions', [statement('Allow', ['x', ARN], ['x', 'execute-api:*'])], 200],
    ['denies what it does not allow', [statement('Allow', ARN.replace('/7', '/8'))], 403],
    ['denies another action', [statement('Allow', '*', 'execute-api:ManageConnections')], 403],
    ['matches a dot literally', [statement('Allow', ARN.replace('execute-api', 'execute.api'))], 403],
    ['denies explicitly, whatever else it allows', [statement('Allow', '*'), statement('Deny', ARN)], 403],
  ])('A policy %s', async (_, statements, status) => {
    expect((await guarded({ statements })).status).toBe(status);
  });

  test('The response to a denied request contains values from the context of the authorizer', async () => {
    const challenge = 'Bearer error="insufficient_scope", scope="runs:write"';
    const response = await guarded({ effect: 'Deny', context: { reason: 'scope', challenge } });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(challenge);
    expect(await response.json()).toEqual({
      error: 'User is not authorized to access this resource with an explicit deny',
      reason: 'scope',
    });
  });

  test('The response to a denied request lacks a header whose value is not in the context of the authorizer', async () => {
    const response = await guarded({ statements: [] });
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(await response.json()).toEqual({ error: 'User is not authorized to access this resource', reason: '' });
  });
});

test('a path whose method ARN exceeds 1,600 bytes is refused with 414', async () => {
  expect((await guarded({}, `/guarded/${'x'.repeat(1500)}`)).status).toBe(200);
  expect((await guarded({}, `/guarded/${'x'.repeat(1600)}`)).status).toBe(414);
});

describe('a route that needs a gateway key', () => {
  test('responds if the authorizer returns a key of the usage plan', async () => {
    const statuses = [];
    // Sends more requests than the usage plan allows. They all succeed, because throttling is off in this service.
    for (let request = 0; request < 4; request += 1)
      statuses.push((await guarded({ key: 'keyOne' }, '/counted')).status);
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  test.each([
    ['no key', {}],
    ['an unknown key', { key: 'keyThree' }],
    ['a key outside the plan', { key: 'keyLoose' }],
  ])('responds with 403 if the authorizer returns %s', async (_, verdict) => {
    const headers = { 'X-Verdict': JSON.stringify(verdict), 'X-Api-Key': 'keyOne' };
    const response = await fetch(`${running().service.origin}/counted`, { headers });
    expect(response.status).toBe(403);
    expect(response.headers.get('x-amzn-errortype')).toBe('ForbiddenException');
  });
});
