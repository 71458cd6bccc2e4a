/** Reads the template's REST API: routes, authorizers, gateway responses and limits. */
import * as z from 'zod';
import type { Stack } from '#infra/local/template/stack.ts';
import { GatewayResponses, refuseUnknownResponses } from './gateway-responses.ts';
import type { Route } from './routes.ts';

export interface ApiRoute extends Route {
  readonly functionArn: string;
  readonly timeoutMilliseconds: number;
  /** ARN of the authorizer's function. `undefined` on a route without an authorizer. */
  readonly authorizerArn: string | undefined;
  readonly throttle: Throttle | undefined;
}

export interface Throttle {
  readonly requestsPerSecond: number;
  readonly burstRequests: number;
}

export interface Api {
  readonly routes: readonly ApiRoute[];
  readonly stage: string;
  readonly responses: GatewayResponses;
}

const Integration = z.strictObject({
  type: z.literal('aws_proxy'),
  httpMethod: z.literal('POST'),
  uri: z.string(),
  timeoutInMillis: z.number().default(29_000),
});

const Operation = z.object({
  security: z
    .array(z.record(z.string(), z.array(z.string())))
    .max(1)
    .default([]),
  'x-amazon-apigateway-integration': Integration,
  'x-amazon-apigateway-request-validator': z.never().optional(),
});

/** Supports only schemes without a cache, because the local runner calls the authorizer at every request. */
const Scheme = z.object({
  'x-amazon-apigateway-authorizer': z.strictObject({
    type: z.literal('request'),
    authorizerUri: z.string(),
    authorizerResultTtlInSeconds: z.literal(0),
  }),
});

const Definition = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  'x-amazon-apigateway-gateway-responses': GatewayResponses,
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
  refuseSeparateResponses(stack);
  const api = only(stack, 'AWS::ApiGateway::RestApi');
  const stage = only(stack, 'AWS::ApiGateway::Stage');
  const binary = z.array(z.string()).parse(api.property('BinaryMediaTypes') ?? []);
  if (binary.join() !== '*/*' || api.property('MinimumCompressionSize') !== undefined) {
    throw new Error('The local runner imitates BinaryMediaTypes ["*/*"] without MinimumCompressionSize only');
  }
  const definition = Definition.parse(api.property('Body'));
  const settings = z.array(MethodSetting).parse(stage.property('MethodSettings') ?? []);
  const routes = Object.entries(definition.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]): ApiRoute => {
      const method = verb.toUpperCase();
      const integration = operation['x-amazon-apigateway-integration'];
      return {
        method,
        path,
        functionArn: functionArnIn(integration.uri),
        timeoutMilliseconds: integration.timeoutInMillis,
        authorizerArn: authorizerOf(operation.security, definition.components.securitySchemes),
        throttle: throttleOf(settings, method, path),
      };
    }),
  );
  const responses = definition['x-amazon-apigateway-gateway-responses'];
  refuseUnknownResponses(responses);
  return { routes, stage: stage.reference, responses };
}

/** AWS would reset separate gateway responses with the next import of a changed definition. */
function refuseSeparateResponses(stack: Stack): void {
  const [separate] = stack.resources('AWS::ApiGateway::GatewayResponse');
  if (!separate) return;
  throw new Error(
    `${separate.logicalId} would be reset by the next import of the API's definition: ` +
      'move it into x-amazon-apigateway-gateway-responses there',
  );
}

function only(stack: Stack, type: string) {
  const found = stack.resources(type);
  const [resource] = found;
  if (resource && found.length === 1) return resource;
  throw new Error(`The local runner runs one ${type}, the template has ${found.length}`);
}

function authorizerOf(
  security: ReadonlyArray<Readonly<Record<string, unknown>>>,
  schemes: Readonly<Record<string, z.infer<typeof Scheme>>>,
): string | undefined {
  const [name] = Object.keys(security[0] ?? {});
  if (name === undefined) return undefined;
  const scheme = schemes[name];
  if (!scheme) throw new Error(`A route asks for the security scheme ${name}, which the API does not define`);
  return functionArnIn(scheme['x-amazon-apigateway-authorizer'].authorizerUri);
}

function functionArnIn(uri: string): string {
  const arn = /\/functions\/(arn:[^/]+)\/invocations$/.exec(uri)?.[1];
  if (arn === undefined) throw new Error(`${uri} is not the invocation of a Lambda function`);
  return arn;
}

/** The stage's setting for exactly this method, else for all methods. */
function throttleOf(settings: readonly MethodSetting[], method: string, path: string): Throttle | undefined {
  const encoded = `/${path.replaceAll('/', '~1')}`;
  const exact = settings.find(({ HttpMethod, ResourcePath }) => HttpMethod === method && ResourcePath === encoded);
  const general = settings.find(({ HttpMethod, ResourcePath }) => HttpMethod === '*' && ResourcePath === '/*');
  const requestsPerSecond = exact?.ThrottlingRateLimit ?? general?.ThrottlingRateLimit;
  const burstRequests = exact?.ThrottlingBurstLimit ?? general?.ThrottlingBurstLimit;
  if (requestsPerSecond === undefined || burstRequests === undefined) return undefined;
  return { requestsPerSecond, burstRequests };
}
