/** Reads the template's REST API: routes, authorizers, gateway responses, limits and the usage plan. */
import * as z from 'zod';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';
import { GatewayResponses, refuseUnknownResponses } from './gateway-responses.ts';
import type { Route } from './routes.ts';

export interface LocalRoute extends Route {
  readonly functionArn: string;
  readonly timeoutMilliseconds: number;
  /** ARN of the authorizer's function. `undefined` on a route without an authorizer. */
  readonly authorizerArn: string | undefined;
  /** Whether the authorizer must return a key that belongs to the usage plan. */
  readonly needsGatewayKey: boolean;
  readonly throttle: Throttle | undefined;
  /** Whether the throttle is one of this route, and not that of the whole stage. */
  readonly hasOwnThrottle: boolean;
}

export interface Throttle {
  readonly requestsPerSecond: number;
  readonly burstRequests: number;
}

/** Each key has its own token bucket, across all routes that need a key. */
interface UsagePlan {
  readonly keys: readonly string[];
  readonly throttle: Throttle;
}

export interface Api {
  readonly routes: readonly LocalRoute[];
  readonly stage: string;
  readonly responses: GatewayResponses;
  readonly usagePlan: UsagePlan | undefined;
}

const Operation = z.object({
  security: z
    .array(z.record(z.string(), z.array(z.string())))
    .max(2)
    .default([]),
  'x-amazon-apigateway-integration': z.strictObject({
    type: z.literal('aws_proxy'),
    httpMethod: z.literal('POST'),
    uri: z.string(),
    timeoutInMillis: z.number().default(29_000),
  }),
  'x-amazon-apigateway-request-validator': z.never().optional(),
});

/** Only authorizers without a cache are supported, because the local runner invokes them for every request. */
const AuthorizerScheme = z.object({
  'x-amazon-apigateway-authorizer': z.strictObject({
    type: z.literal('request'),
    authorizerUri: z.string(),
    authorizerResultTtlInSeconds: z.literal(0),
  }),
});
const KeyScheme = z.strictObject({ type: z.literal('apiKey'), name: z.literal('x-api-key'), in: z.literal('header') });
const Scheme = z.union([AuthorizerScheme, KeyScheme]);
type Scheme = z.infer<typeof Scheme>;

const Definition = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  'x-amazon-apigateway-gateway-responses': GatewayResponses,
  'x-amazon-apigateway-api-key-source': z.literal('AUTHORIZER').optional(),
  components: z.object({ securitySchemes: z.record(z.string(), Scheme).default({}) }).default({ securitySchemes: {} }),
});

const MethodSetting = z.object({
  HttpMethod: z.string(),
  ResourcePath: z.string(),
  ThrottlingRateLimit: z.coerce.number().optional(),
  ThrottlingBurstLimit: z.coerce.number().optional(),
});
type MethodSetting = z.infer<typeof MethodSetting>;

/** Throws if the template uses an unsupported feature of API Gateway. */
export function readApi(stack: Stack): Api {
  const [separateResponse] = stack.resources('AWS::ApiGateway::GatewayResponse');
  // Importing a changed definition would reset separate gateway responses on AWS.
  if (separateResponse)
    throw new Error(
      `The gateway response ${separateResponse.logicalId} would be reset by the next import of the API definition: ` +
        'move it into x-amazon-apigateway-gateway-responses in the definition',
    );
  const api = requireOnly(stack, 'AWS::ApiGateway::RestApi');
  const stage = requireOnly(stack, 'AWS::ApiGateway::Stage');
  const binaryTypes = z.array(z.string()).parse(api.property('BinaryMediaTypes') ?? []);
  if (binaryTypes.join() !== '*/*' || api.property('MinimumCompressionSize') !== undefined) {
    throw new Error('The local runner supports only BinaryMediaTypes ["*/*"], without MinimumCompressionSize');
  }
  const definition = Definition.parse(api.property('Body'));
  const keySource = definition['x-amazon-apigateway-api-key-source'];
  const settings = z.array(MethodSetting).parse(stage.property('MethodSettings') ?? []);
  const routes = Object.entries(definition.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]): LocalRoute => {
      const method = verb.toUpperCase();
      const integration = operation['x-amazon-apigateway-integration'];
      return {
        method,
        path,
        functionArn: parseFunctionArn(integration.uri),
        timeoutMilliseconds: integration.timeoutInMillis,
        ...readSecurity(`${method} ${path}`, operation.security, definition.components.securitySchemes, keySource),
        ...findThrottle(settings, method, path),
      };
    }),
  );
  const responses = definition['x-amazon-apigateway-gateway-responses'];
  refuseUnknownResponses(responses);
  return { routes, stage: stage.reference, responses, usagePlan: readUsagePlan(stack, api, stage) };
}

function requireOnly(stack: Stack, type: string): StackResource {
  const resources = stack.resources(type);
  const [resource] = resources;
  if (resource && resources.length === 1) return resource;
  throw new Error(`The local runner supports exactly one ${type}, but the template has ${resources.length}`);
}

function readSecurity(
  route: string,
  security: ReadonlyArray<Readonly<Record<string, unknown>>>,
  schemes: Readonly<Record<string, Scheme>>,
  keySource: 'AUTHORIZER' | undefined,
): Pick<LocalRoute, 'authorizerArn' | 'needsGatewayKey'> {
  const routeSchemes = security.flatMap(Object.keys).map((name): Scheme => {
    const scheme = schemes[name];
    if (!scheme) throw new Error(`${route} uses the security scheme ${name}, which the API does not define`);
    return scheme;
  });
  const [authorizer] = routeSchemes.flatMap((scheme) =>
    'x-amazon-apigateway-authorizer' in scheme ? scheme['x-amazon-apigateway-authorizer'].authorizerUri : [],
  );
  const needsGatewayKey = routeSchemes.some((scheme) => 'name' in scheme);
  if (needsGatewayKey && (keySource === undefined || authorizer === undefined)) {
    throw new Error(`${route} needs a gateway key. The local runner supports only keys that an authorizer returns`);
  }
  return { authorizerArn: authorizer === undefined ? undefined : parseFunctionArn(authorizer), needsGatewayKey };
}

const Throttled = z.object({ RateLimit: z.number(), BurstLimit: z.number() });

function readUsagePlan(stack: Stack, api: StackResource, stage: StackResource): UsagePlan | undefined {
  if (stack.resources('AWS::ApiGateway::UsagePlan').length === 0) return undefined;
  const plan = requireOnly(stack, 'AWS::ApiGateway::UsagePlan');
  z.tuple([z.strictObject({ ApiId: z.literal(api.reference), Stage: z.literal(stage.reference) })]).parse(
    plan.property('ApiStages'),
  );
  const { RateLimit, BurstLimit } = Throttled.parse(plan.property('Throttle'));
  const values = new Map(
    stack.resources('AWS::ApiGateway::ApiKey').map((key) => [key.reference, z.string().parse(key.property('Value'))]),
  );
  const planKeys = stack.resources('AWS::ApiGateway::UsagePlanKey');
  const keys = planKeys.flatMap((one) => values.get(String(one.property('KeyId'))) ?? []);
  return { keys, throttle: { requestsPerSecond: RateLimit, burstRequests: BurstLimit } };
}

function parseFunctionArn(uri: string): string {
  const arn = /\/functions\/(arn:[^/]+)\/invocations$/.exec(uri)?.[1];
  if (arn === undefined) throw new Error(`${uri} is not the invocation URI of a Lambda function`);
  return arn;
}

/** The stage's throttle for this method, or else its throttle for all methods. */
function findThrottle(
  settings: readonly MethodSetting[],
  method: string,
  path: string,
): Pick<LocalRoute, 'throttle' | 'hasOwnThrottle'> {
  const encodedPath = `/${path.replaceAll('/', '~1')}`;
  const exactSetting = settings.find(
    ({ HttpMethod, ResourcePath }) => HttpMethod === method && ResourcePath === encodedPath,
  );
  const generalSetting = settings.find(({ HttpMethod, ResourcePath }) => HttpMethod === '*' && ResourcePath === '/*');
  const requestsPerSecond = exactSetting?.ThrottlingRateLimit ?? generalSetting?.ThrottlingRateLimit;
  const burstRequests = exactSetting?.ThrottlingBurstLimit ?? generalSetting?.ThrottlingBurstLimit;
  const hasOwnThrottle = exactSetting?.ThrottlingRateLimit !== undefined;
  if (requestsPerSecond === undefined || burstRequests === undefined) return { throttle: undefined, hasOwnThrottle };
  return { throttle: { requestsPerSecond, burstRequests }, hasOwnThrottle };
}
