import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Synthesized, synthesized } from './synthesized.ts';

const DOMAIN = {
  domain: 'results.example.com',
  certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
  zone: 'Z1',
};

let prod: Synthesized;
beforeAll(async () => {
  prod = await synthesized({ env: 'prod', ...DOMAIN });
});

describe('what the gateway answers by itself', () => {
  const Response = z.object({
    ResponseType: z.string(),
    StatusCode: z.string().optional(),
    ResponseTemplates: z.object({ 'application/json': z.string() }).strict(),
    ResponseParameters: z.record(z.string(), z.string()).optional(),
  });
  const responses = () =>
    prod.all('AWS::ApiGateway::GatewayResponse').map(({ Properties }) => Response.parse(Properties));
  const response = (type: string) => responses().find(({ ResponseType }) => ResponseType === type);

  test('has the shape of §7 for every kind of failure', () => {
    expect(responses().map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'UNAUTHORIZED', 'THROTTLED', 'INTEGRATION_TIMEOUT']),
    );
    const Shape = z.strictObject({
      status: z.literal('FAILED'),
      error: z.string().min(20),
      code: z.string().optional(),
    });
    for (const { ResponseTemplates } of responses()) Shape.parse(JSON.parse(ResponseTemplates['application/json']));
  });

  test('is 404 for a route that does not exist, with or without a credential', () => {
    for (const type of ['MISSING_AUTHENTICATION_TOKEN', 'RESOURCE_NOT_FOUND', 'INVALID_SIGNATURE']) {
      expect(response(type)?.StatusCode).toBe('404');
    }
  });

  test('challenges on 401 and says when to come back on 429', () => {
    expect(response('UNAUTHORIZED')?.ResponseParameters).toEqual({
      'gatewayresponse.header.WWW-Authenticate':
        '\'Bearer resource_metadata="https://results.example.com/.well-known/oauth-protected-resource"\'',
    });
    for (const type of ['THROTTLED', 'QUOTA_EXCEEDED']) {
      expect(response(type)?.ResponseParameters).toHaveProperty(['gatewayresponse.header.Retry-After']);
    }
  });

  test('challenges a credential that lacks the permission with what the authorizer says it lacks', () => {
    const { ResponseTemplates, ResponseParameters } = response('ACCESS_DENIED') ?? {};
    expect(JSON.parse(ResponseTemplates?.['application/json'] ?? '')).toMatchObject({ code: 'insufficient_scope' });
    expect(ResponseParameters).toEqual({ 'gatewayresponse.header.WWW-Authenticate': 'context.authorizer.challenge' });
  });

  test('never blames the credential when it could not be checked', () => {
    expect(response('AUTHORIZER_FAILURE')?.StatusCode).toBe('503');
    expect(response('AUTHORIZER_CONFIGURATION_ERROR')?.StatusCode).toBe('500');
  });
});

describe('requests and answers', () => {
  test('bodies pass the gateway untouched, compressed ones too', () => {
    const { Properties } = prod.only('AWS::ApiGateway::RestApi');
    expect(Properties).toMatchObject({ BinaryMediaTypes: ['*/*'], EndpointConfiguration: { Types: ['REGIONAL'] } });
    expect(Properties).not.toHaveProperty('MinimumCompressionSize');
  });

  test('a function is cut off before the gateway stops waiting for it', () => {
    const invoked = prod.all('AWS::Lambda::Permission').map(({ Properties }) => prod.target(Properties.FunctionName));
    expect(invoked.length).toBeGreaterThan(0);
    for (const { Properties } of invoked) expect(Properties.Timeout).toBeLessThan(29);
    expect(prod.text()).toContain('"timeoutInMillis":29000');
  });

  test('with a custom domain it is the only origin, mapped at the root, and functions are told of it', () => {
    expect(prod.only('AWS::ApiGateway::RestApi').Properties.DisableExecuteApiEndpoint).toBe(true);
    expect(prod.only('AWS::ApiGateway::BasePathMapping').Properties).not.toHaveProperty('BasePath');
    for (const { Properties } of prod.all('AWS::Lambda::Function')) {
      expect(Properties.Environment).toMatchObject({ Variables: { PUBLIC_ORIGIN: 'https://results.example.com' } });
    }
  });

  test('a domain without its certificate is refused with what to pass', async () => {
    await expect(synthesized({ domain: 'results.example.com' })).rejects.toThrow('-c certificate=');
    await expect(synthesized({ env: 'production' })).rejects.toThrow('dev, staging or prod');
  });
});
