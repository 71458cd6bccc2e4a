import { Aws } from 'aws-cdk-lib';
import type { Environment } from '#infra/build/environments.ts';
import type { RouteThrottle } from '#shared/platform/routes.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { physicalName } from './physical-name.ts';

/**
 * The media types that API Gateway treats as binary: all. Bodies arrive base64-encoded with their `Content-Encoding`
 * intact. Gzip responses pass unchanged.
 */
export const BINARY_MEDIA_TYPES = ['*/*'];
/** The usage plan key comes from the authorizer. The header `x-api-key` is ignored. */
export const API_KEY_SOURCE = 'AUTHORIZER';
const AUTHORIZER = 'caller';
const GATEWAY_KEY = 'api_key';
/**
 * The time limit of API Gateway for a function. Functions time out earlier, so that a slow function logs its time-out.
 */
const INTEGRATION_TIMEOUT_MILLISECONDS = 29_000;

/** A route and the function that handles it. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  /** The name of the function, without the prefix of the environment. */
  readonly functionName: string;
  /** Whether the authorizer checks a credential first. */
  readonly isGuarded: boolean;
  /** A throttle for this route, below that of the stage. */
  readonly throttle?: RouteThrottle | undefined;
}

/**
 * The API as OpenAPI 3.0 with API Gateway's extensions. All routes and gateway responses are one resource.
 * infra/build/openapi.ts makes the public document from the same declarations.
 */
export function apiDefinition(environment: Environment, routes: readonly ApiRoute[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(environment, route) };
  }
  return {
    openapi: '3.0.1',
    info: { title: `rundown-${environment.name}`, version: '1' },
    'x-amazon-apigateway-binary-media-types': BINARY_MEDIA_TYPES,
    'x-amazon-apigateway-api-key-source': API_KEY_SOURCE,
    'x-amazon-apigateway-gateway-responses': gatewayResponses(),
    components: {
      securitySchemes: {
        [AUTHORIZER]: authorizer(environment),
        [GATEWAY_KEY]: { type: 'apiKey', name: 'x-api-key', in: 'header' },
      },
    },
    paths,
  };
}

const operation = (environment: Environment, { operationId, functionName, isGuarded }: ApiRoute): object => ({
  operationId,
  // API Gateway requires both. The authorizer returns the gateway key, by which the usage plan counts the organization.
  security: isGuarded ? [{ [AUTHORIZER]: [] }, { [GATEWAY_KEY]: [] }] : [],
  responses: {},
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: invocationUri(physicalName(environment, functionName)),
    timeoutInMillis: INTEGRATION_TIMEOUT_MILLISECONDS,
  },
});

/**
 * §5.2 The definition of the authorizer. Results are not cached, so that revocation takes effect at once. Without an
 * identity source the authorizer also gets requests without a credential.
 */
const authorizer = (environment: Environment): object => ({
  type: 'apiKey',
  name: 'Unused',
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'request',
    authorizerUri: invocationUri(physicalName(environment, 'authorizer')),
    authorizerResultTtlInSeconds: 0,
  },
});

/** Refers to functions by name. A reference would be circular, because functions need the origin of the API. */
const invocationUri = (functionName: string): string =>
  `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/` +
  `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${functionName}/invocations`;
