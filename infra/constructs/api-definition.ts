import { Aws } from 'aws-cdk-lib';
import type { Environment } from '#infra/build/environments.ts';
import type { RouteThrottle } from '#shared/platform/routes.ts';
import { buildGatewayResponses } from './gateway-responses.ts';
import { buildResourcePolicy, type NetworkAccess } from './network-access.ts';
import { formatPhysicalName } from './physical-name.ts';
import { WARM_ALIAS, WARM_FUNCTIONS } from './warm-functions.ts';

/** All. Bodies arrive base64-encoded with their `Content-Encoding` intact. Gzip responses pass unchanged. */
export const BINARY_MEDIA_TYPES = ['*/*'];
/** The usage plan key comes from the authorizer. The header `x-api-key` is ignored. */
export const API_KEY_SOURCE = 'AUTHORIZER';
const AUTHORIZER = 'caller';
const AUTHORIZER_FUNCTION = 'authorizer';
const GATEWAY_KEY = 'api_key';
/** Functions time out earlier, so that a slow function logs its timeout. */
const INTEGRATION_TIMEOUT_MILLISECONDS = 29_000;

export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  /** The name of the function, without the prefix of the environment. */
  readonly functionName: string;
  /** Whether the authorizer checks a credential before the function is called. */
  readonly isGuarded: boolean;
  /** Whether reporters use it to record results or to import reports. */
  readonly isRecording: boolean;
  /** A throttle for this route, lower than the throttle of the stage. */
  readonly throttle?: RouteThrottle | undefined;
}

export interface ApiSettings extends NetworkAccess {
  readonly provisionedConcurrency?: number | undefined;
  readonly domain?: { readonly domainName: string } | undefined;
}

/** All routes and gateway responses form one resource. infra/build/openapi.ts generates the public document. */
export function buildApiDefinition(
  environment: Environment,
  routes: readonly ApiRoute[],
  settings: ApiSettings = {},
): object {
  const findUri = (functionName: string): string => {
    const isWarm = functionName === AUTHORIZER_FUNCTION || WARM_FUNCTIONS.includes(functionName);
    const alias = isWarm && settings.provisionedConcurrency !== undefined ? `:${WARM_ALIAS}` : '';
    return formatInvocationUri(formatPhysicalName(environment, functionName) + alias);
  };
  const policy = buildResourcePolicy(settings);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: buildOperation(route, findUri) };
  }
  return {
    openapi: '3.0.1',
    info: { title: `rundown-${environment.name}`, version: '1' },
    'x-amazon-apigateway-binary-media-types': BINARY_MEDIA_TYPES,
    'x-amazon-apigateway-api-key-source': API_KEY_SOURCE,
    ...(policy === undefined ? {} : { 'x-amazon-apigateway-policy': policy }),
    // Importing a changed definition would reset gateway responses that are separate resources.
    'x-amazon-apigateway-gateway-responses': buildGatewayResponses(settings),
    components: {
      securitySchemes: {
        [AUTHORIZER]: buildAuthorizer(findUri(AUTHORIZER_FUNCTION)),
        [GATEWAY_KEY]: { type: 'apiKey', name: 'x-api-key', in: 'header' },
      },
    },
    paths,
  };
}

const buildOperation = (
  { operationId, functionName, isGuarded }: ApiRoute,
  findUri: (functionName: string) => string,
): object => ({
  operationId,
  // API Gateway requires both. By the gateway key from the authorizer, it counts the requests of an organization.
  security: isGuarded ? [{ [AUTHORIZER]: [] }, { [GATEWAY_KEY]: [] }] : [],
  responses: {},
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: findUri(functionName),
    timeoutInMillis: INTEGRATION_TIMEOUT_MILLISECONDS,
  },
});

/**
 * §5.2 The definition of the authorizer. Results are not cached, so that revocation takes effect immediately. Without
 * an identity source the authorizer also gets requests without a credential.
 */
const buildAuthorizer = (authorizerUri: string): object => ({
  type: 'apiKey',
  name: 'Unused',
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'request',
    authorizerUri,
    authorizerResultTtlInSeconds: 0,
  },
});

/** By name, because a reference would be circular: functions need the origin of the API. */
const formatInvocationUri = (functionName: string): string =>
  `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/` +
  `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${functionName}/invocations`;
