/** §7 What API Gateway answers by itself, in the format of the functions. */
import { formatSignInChallenge, PLAIN_CHALLENGE } from '#shared/access/challenge.ts';
import {
  FIREWALL_CODE,
  FIREWALL_MESSAGE,
  INSUFFICIENT_SCOPE_MESSAGE,
  NO_SUCH_OPERATION_MESSAGE,
  UNAUTHORIZED_MESSAGE,
} from '#shared/engine/errors.ts';
import { isRestricted, type NetworkAccess } from './network-access.ts';

interface GatewayResponseSettings extends NetworkAccess {
  readonly domain?: { readonly domainName: string } | undefined;
}

/** By the response types of API Gateway. */
export const buildGatewayResponses = (settings: GatewayResponseSettings): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(listResponses(settings)).map(([type, response]) => [type, formatResponse(response)]),
  );

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

function listResponses(settings: GatewayResponseSettings): typeof RESPONSES {
  const responses = isRestricted(settings) ? RESTRICTED_RESPONSES : RESPONSES;
  if (settings.domain === undefined) return responses;
  const challenge = formatSignInChallenge(`https://${settings.domain.domainName}`);
  return { ...responses, UNAUTHORIZED: { error: UNAUTHORIZED_MESSAGE, headers: { 'WWW-Authenticate': challenge } } };
}

function formatResponse({ statusCode, error, code, headers = {}, context = {} }: GatewayResponse): object {
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
