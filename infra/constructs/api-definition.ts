import { Aws } from 'aws-cdk-lib';
import type { Environment } from '#infra/build/environments.ts';
import { formatSignInChallenge, PLAIN_CHALLENGE } from '#shared/access/challenge.ts';
import {
  FIREWALL_CODE,
  FIREWALL_MESSAGE,
  INSUFFICIENT_SCOPE_MESSAGE,
  NO_SUCH_OPERATION_MESSAGE,
  UNAUTHORIZED_MESSAGE,
} from '#shared/engine/errors.ts';
import type { RouteThrottle } from '#shared/platform/routes.ts';
import { buildResourcePolicy, isRestricted, type NetworkAccess } from './network-access.ts';
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
    'x-amazon-apigateway-gateway-responses': Object.fromEntries(
      Object.entries(listResponses(settings)).map(([type, response]) => [type, buildGatewayResponse(response)]),
    ),
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

/** §7 The status, body and headers of a gateway response. */
interface GatewayResponse {
  readonly code?: string;
  /** The status, if it differs from the default of the response type. */
  readonly statusCode?: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers with values from the authorizer's context. */
  readonly context?: Readonly<Record<string, string>>;
}

const NO_SUCH_ROUTE: GatewayResponse = { statusCode: 404, error: NO_SUCH_OPERATION_MESSAGE };
const RETRY_AFTER = { 'Retry-After': '2' };
const TOO_MANY_REQUESTS: GatewayResponse = {
  error: 'Too many requests. Wait as long as Retry-After says, then try again',
  headers: RETRY_AFTER,
};
const OUR_FAULT = 'If the error persists, give your operator the request id $context.extendedRequestId';

const RESPONSES: Readonly<Record<string, GatewayResponse>> = {
  // The same text for every cause (§5.4).
  UNAUTHORIZED: { error: UNAUTHORIZED_MESSAGE, headers: { 'WWW-Authenticate': PLAIN_CHALLENGE } },
  // The gateway sends this response, because REST APIs rename the header WWW-Authenticate if a function returns it.
  ACCESS_DENIED: {
    error: INSUFFICIENT_SCOPE_MESSAGE,
    code: 'insufficient_scope',
    context: { 'WWW-Authenticate': 'authorizer.challenge' },
  },
  // AWS WAF refused the request, before anybody looked at its credential.
  WAF_FILTERED: { error: `${FIREWALL_MESSAGE}, with the request id $context.requestId`, code: FIREWALL_CODE },
  MISSING_AUTHENTICATION_TOKEN: NO_SUCH_ROUTE,
  RESOURCE_NOT_FOUND: NO_SUCH_ROUTE,
  // No route uses AWS signatures, so the gateway reports an invalid signature only for unknown routes.
  INVALID_SIGNATURE: NO_SUCH_ROUTE,
  EXPIRED_TOKEN: NO_SUCH_ROUTE,
  // The gateway rejects a malformed query string by itself, so only its own message can name the parameter.
  BAD_REQUEST_PARAMETERS: {
    error:
      'The query string cannot be read: $context.error.message. Percent-encode all values: `%` as %25, `{` as %7B, `}` as %7D, `|` as %7C',
  },
  UNSUPPORTED_MEDIA_TYPE: { statusCode: 400, error: 'The media type is not supported. Send application/json' },
  THROTTLED: TOO_MANY_REQUESTS,
  QUOTA_EXCEEDED: TOO_MANY_REQUESTS,
  DEFAULT_4XX: {
    error:
      'The request is not valid, or its URL or headers are too long. Check it against the API documentation at /v1/docs/openapi.json',
  },
  AUTHORIZER_FAILURE: {
    statusCode: 503,
    error: `The credential could not be checked just now. Try again. ${OUR_FAULT}`,
    headers: RETRY_AFTER,
  },
  // The usage plan lacks the key of the authorizer. This happens only while a deployment attaches the keys.
  INVALID_API_KEY: {
    statusCode: 503,
    error: `The rate limit could not be checked just now. Try again. ${OUR_FAULT}`,
    headers: RETRY_AFTER,
  },
  AUTHORIZER_CONFIGURATION_ERROR: {
    statusCode: 500,
    error: `The credential could not be checked. Try again. ${OUR_FAULT}`,
  },
  API_CONFIGURATION_ERROR: { statusCode: 500, error: `The service is misconfigured. ${OUR_FAULT}` },
  INTEGRATION_FAILURE: { statusCode: 502, error: `The operation failed. Try again. ${OUR_FAULT}` },
  INTEGRATION_TIMEOUT: {
    statusCode: 504,
    error: `The operation took too long. Ask for less, for example a smaller limit, or try again. ${OUR_FAULT}`,
  },
  DEFAULT_5XX: { error: `Internal error. Try again. ${OUR_FAULT}` },
};

/** API Gateway also sends ACCESS_DENIED if the resource policy denies a request. It then has no challenge to send. */
const RESTRICTED_RESPONSES: typeof RESPONSES = {
  ...RESPONSES,
  ACCESS_DENIED: {
    ...RESPONSES['ACCESS_DENIED'],
    error: `${INSUFFICIENT_SCOPE_MESSAGE}. Without this header, the service takes no requests from your network: ask whoever operates it`,
  },
};

function listResponses(settings: ApiSettings): typeof RESPONSES {
  const responses = isRestricted(settings) ? RESTRICTED_RESPONSES : RESPONSES;
  if (settings.domain === undefined) return responses;
  const challenge = formatSignInChallenge(`https://${settings.domain.domainName}`);
  return { ...responses, UNAUTHORIZED: { error: UNAUTHORIZED_MESSAGE, headers: { 'WWW-Authenticate': challenge } } };
}

function buildGatewayResponse({ statusCode, error, code, headers = {}, context = {} }: GatewayResponse): object {
  const literals = Object.entries(headers).map(([name, value]) => [name, `'${value}'`]);
  const fromContext = Object.entries(context).map(([name, value]) => [name, `context.${value}`]);
  return {
    ...(statusCode !== undefined && { statusCode: `${statusCode}` }),
    // The error bodies of functions have the same members in the same order.
    responseTemplates: { 'application/json': JSON.stringify({ status: 'FAILED', error, code }) },
    responseParameters: Object.fromEntries(
      [...literals, ...fromContext].map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
    ),
  };
}
