/**
 * The fair share of requests that each organization may send, as the templates define it: the limited methods and the
 * gateway keys.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { GATEWAY_KEYS, pickGatewayKey } from '#shared/access/gateway-key.ts';
import { parseUsageLimits } from '#shared/model/usage/usage-limits.ts';
import { type Synthesized, synthesized } from './synthesized.ts';

const Security = z.array(z.record(z.string(), z.tuple([])));
const Api = z.object({
  'x-amazon-apigateway-api-key-source': z.string(),
  paths: z.record(z.string(), z.record(z.string(), z.object({ security: Security }))),
});
const Limits = z.object({ RateLimit: z.number(), BurstLimit: z.number() });
const OfMethods = z.array(z.looseObject({ ThrottlingRateLimit: z.number(), ThrottlingBurstLimit: z.number() }));

describe.each(['dev', 'staging', 'prod'])('gateway keys in %s', (env) => {
  let template: Synthesized;
  beforeAll(async () => {
    template = await synthesized({ env });
  });
  const plan = () => template.only('AWS::ApiGateway::UsagePlan');
  const keys = () => template.all('AWS::ApiGateway::ApiKey');
  const attached = () => template.all('AWS::ApiGateway::UsagePlanKey');

  test('every method with an authorizer needs a gateway key, which the authorizer returns, and no other method needs one', () => {
    const { Properties } = template.only('AWS::ApiGateway::RestApi');
    const api = Api.parse(Properties['Body']);
    expect([Properties['ApiKeySourceType'], api['x-amazon-apigateway-api-key-source']]).toEqual([
      'AUTHORIZER',
      'AUTHORIZER',
    ]);
    const asked = Object.values(api.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ security }) => security.flatMap(Object.keys).join());
    expect([...new Set(asked)].sort()).toEqual(['', 'caller,api_key']);
  });

  test('the rate and burst limits of one gateway key are half of the limits of one method', () => {
    const share = Limits.parse(plan().Properties['Throttle']);
    const [ofMethod] = OfMethods.parse(template.only('AWS::ApiGateway::Stage').Properties['MethodSettings']);
    expect(share).toEqual({
      RateLimit: (ofMethod?.ThrottlingRateLimit ?? 0) / 2,
      BurstLimit: (ofMethod?.ThrottlingBurstLimit ?? 0) / 2,
    });
  });

  test('one key may send as much as its organization, so that one large build is not refused', () => {
    const { RateLimit } = Limits.parse(plan().Properties['Throttle']);
    const Limited = z.object({ Variables: z.object({ DEFAULT_LIMITS: z.string() }) });
    for (const { Properties } of template.all('AWS::Lambda::Function')) {
      const { DEFAULT_LIMITS } = Limited.parse(Properties.Environment).Variables;
      expect(parseUsageLimits(DEFAULT_LIMITS).keyRequestsPerMinute).toBe(RateLimit * 60);
    }
  });

  test('the usage plan belongs to the stage, and has every key that the authorizer can return', () => {
    const Stages = z.tuple([z.object({ ApiId: z.unknown(), Stage: z.unknown() })]);
    const [{ ApiId, Stage }] = Stages.parse(plan().Properties['ApiStages']);
    expect(template.target(ApiId).Type).toBe('AWS::ApiGateway::RestApi');
    expect(template.target(Stage)).toMatchObject({ Type: 'AWS::ApiGateway::Stage', Properties: { StageName: env } });
    const values = attached().map(({ Properties }) => {
      expect(template.target(Properties['UsagePlanId']).id).toBe(plan().id);
      const key = template.target(Properties['KeyId']);
      expect(key.Properties['Enabled']).toBe(true);
      return key.Properties['Value'];
    });
    expect(values).toHaveLength(GATEWAY_KEYS);
    const returned = Array.from({ length: 1000 }, (_, number) => pickGatewayKey(env, `organization ${number}`));
    expect(new Set(returned)).toEqual(new Set(values));
    for (const value of values) expect(value).toMatch(/^[a-z0-9]{20,128}$/);
  });

  test('gateway keys are created and attached one after another, because AWS fails if two are attached at the same time', () => {
    for (const resources of [keys(), attached()]) {
      const waits = resources.map(({ DependsOn }) => [DependsOn].flat());
      expect(waits).toEqual([[], ...resources.slice(0, -1).map(({ id }) => [id])]);
    }
  });
});

test('the gateway keys of two environments in one account differ', () => {
  expect(pickGatewayKey('dev', 'one')).not.toBe(pickGatewayKey('staging', 'one'));
});
