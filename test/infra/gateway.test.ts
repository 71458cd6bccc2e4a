import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { buildApiDefinition } from '#infra/constructs/api-definition.ts';
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

describe('a response of the gateway itself', () => {
  const Response = z.strictObject({
    statusCode: z.string().optional(),
    responseTemplates: z.strictObject({ 'application/json': z.string() }),
    responseParameters: z.record(z.string(), z.string()).optional(),
  });
  const Body = z.object({ 'x-amazon-apigateway-gateway-responses': z.record(z.string(), Response) });
  const responses = () =>
    Body.parse(prod.only('AWS::ApiGateway::RestApi').Properties.Body)['x-amazon-apigateway-gateway-responses'];
  const response = (type: string) => responses()[type];

  test('A gateway response is part of the API definition, because importing the definition removes all other gateway responses', () => {
    expect(Object.keys(responses()).length).toBeGreaterThan(10);
    expect(prod.all('AWS::ApiGateway::GatewayResponse')).toEqual([]);
  });

  test('Every kind of gateway failure has a response with the JSON fields of API errors', () => {
    expect(Object.keys(responses())).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'UNAUTHORIZED', 'THROTTLED', 'INTEGRATION_TIMEOUT']),
    );
    const Shape = z.strictObject({
      status: z.literal('FAILED'),
      error: z.string().min(20),
      code: z.string().optional(),
    });
    for (const { responseTemplates } of Object.values(responses())) {
      Shape.parse(JSON.parse(responseTemplates['application/json']));
    }
  });

  test('A request to a route that does not exist gets 404, with or without a credential', () => {
    for (const type of ['MISSING_AUTHENTICATION_TOKEN', 'RESOURCE_NOT_FOUND', 'INVALID_SIGNATURE']) {
      expect(response(type)?.statusCode).toBe('404');
    }
  });

  test('A 401 response has a challenge, which names the metadata of the MCP server if the deployment has a domain, and a 429 response has Retry-After', () => {
    const metadata = 'https://results.example.com/.well-known/oauth-protected-resource/mcp';
    expect(response('UNAUTHORIZED')?.responseParameters).toEqual({
      'gatewayresponse.header.WWW-Authenticate': `'Bearer realm="rundown", error="invalid_token", scope="projects:read results:read analytics:read actions:read", resource_metadata="${metadata}"'`,
    });
    const withoutDomain = buildApiDefinition(ENVIRONMENTS.dev, []);
    expect(withoutDomain).toHaveProperty(
      ['x-amazon-apigateway-gateway-responses', 'UNAUTHORIZED', 'responseParameters'],
      { 'gatewayresponse.header.WWW-Authenticate': '\'Bearer realm="rundown"\'' },
    );
    for (const type of ['THROTTLED', 'QUOTA_EXCEEDED']) {
      expect(response(type)?.responseParameters).toHaveProperty(['gatewayresponse.header.Retry-After']);
    }
  });

  test('The response to a request without the required permission has the challenge that the authorizer returned', () => {
    const { responseTemplates, responseParameters } = response('ACCESS_DENIED') ?? {};
    expect(JSON.parse(responseTemplates?.['application/json'] ?? '')).toMatchObject({ code: 'insufficient_scope' });
    expect(responseParameters).toEqual({ 'gatewayresponse.header.WWW-Authenticate': 'context.authorizer.challenge' });
  });

  test('The response to a request that AWS WAF refuses says so by its own code, and names the request', () => {
    const { statusCode, responseTemplates } = response('WAF_FILTERED') ?? {};
    expect(statusCode).toBeUndefined();
    expect(JSON.parse(responseTemplates?.['application/json'] ?? '')).toEqual({
      status: 'FAILED',
      error: expect.stringContaining('firewall'),
      code: 'FIREWALL',
    });
    expect(responseTemplates?.['application/json']).toContain('$context.requestId');
  });

  test('The response is 5xx if the authorizer fails, or if it returns a gateway key that the usage plan lacks', () => {
    expect(response('AUTHORIZER_FAILURE')?.statusCode).toBe('503');
    expect(response('INVALID_API_KEY')?.statusCode).toBe('503');
    expect(response('AUTHORIZER_CONFIGURATION_ERROR')?.statusCode).toBe('500');
  });
});

describe('the gateway:', () => {
  // AWS allows 300 resources per API by default. Each path segment is one resource, and paths with a common prefix
  // share the resources of that prefix.
  test('the API has at most 260 resources, of 300 that API Gateway allows', () => {
    const Paths = z.object({ paths: z.record(z.string(), z.unknown()) });
    const { paths } = Paths.parse(prod.only('AWS::ApiGateway::RestApi').Properties.Body);
    const resources = new Set(
      Object.keys(paths).flatMap((path) => {
        const segments = path.split('/').filter((segment) => segment !== '');
        return segments.map((_, place) => segments.slice(0, place + 1).join('/'));
      }),
    );
    expect(resources.size).toBeGreaterThan(100);
    expect(resources.size, 'Serve an area with one greedy route: AWS allows 300 resources').toBeLessThanOrEqual(260);
  });

  test('bodies pass the gateway unchanged, even if they are compressed', () => {
    const { Properties } = prod.only('AWS::ApiGateway::RestApi');
    expect(Properties).toMatchObject({ BinaryMediaTypes: ['*/*'] });
    expect(Properties).not.toHaveProperty('MinimumCompressionSize');
  });

  test('clients reach the API and its domain over IPv4 and IPv6', () => {
    for (const type of ['AWS::ApiGateway::RestApi', 'AWS::ApiGateway::DomainName']) {
      const { EndpointConfiguration } = prod.only(type).Properties;
      expect(EndpointConfiguration).toEqual({ Types: ['REGIONAL'], IpAddressType: 'dualstack' });
    }
  });

  // A deployment is a snapshot of the API, so a change of the API definition takes effect only with the next
  // deployment.
  test('a new route answers requests only after its function and its permission exist', () => {
    const live = prod
      .stacks()
      .find(({ resources }) => Object.values(resources).some(({ Type }) => Type === 'AWS::ApiGateway::Deployment'));
    const isLive = ({ id }: { readonly id: string }) => id.startsWith(`${live?.stack}NestedStack`);
    const nested = prod.all('AWS::CloudFormation::Stack');
    const others = nested.filter((stack) => !isLive(stack)).map(({ id }) => id);
    expect(others.length).toBeGreaterThan(5);
    expect([nested.find(isLive)?.DependsOn].flat().sort()).toEqual(others.sort());
    const inLive = Object.values(live?.resources ?? {}).map(({ Type }) => Type);
    expect(inLive).not.toContain('AWS::Lambda::Function');
    expect(inLive).not.toContain('AWS::Lambda::Permission');
  });

  test('functions time out before the gateway does', () => {
    const invoked = prod.all('AWS::Lambda::Permission').map(({ Properties }) => prod.target(Properties.FunctionName));
    expect(invoked.length).toBeGreaterThan(0);
    for (const { Properties } of invoked) expect(Properties.Timeout).toBeLessThan(29);
    expect(prod.text()).toContain('"timeoutInMillis":29000');
  });

  test('a custom domain is the only origin, is mapped at the root, and is passed to all functions', () => {
    expect(prod.only('AWS::ApiGateway::RestApi').Properties.DisableExecuteApiEndpoint).toBe(true);
    expect(prod.only('AWS::ApiGateway::BasePathMapping').Properties).not.toHaveProperty('BasePath');
    // With a hosted zone, the stack creates the DNS records itself.
    expect(prod.outputsOf('Rundown-prod')).not.toHaveProperty('DomainTarget');
    expect(prod.all('AWS::Route53::RecordSet')).toHaveLength(2);
    for (const { Properties } of prod.all('AWS::Lambda::Function')) {
      expect(Properties.Environment).toMatchObject({ Variables: { PUBLIC_ORIGIN: 'https://results.example.com' } });
    }
  });

  test('a domain without a certificate and an unknown environment are refused, and the errors name the missing setting and the known environments', async () => {
    await expect(synthesized({ domain: 'results.example.com' })).rejects.toThrow('-c certificate=');
    await expect(synthesized({ env: 'production' })).rejects.toThrow('dev, staging or prod');
  });
});
