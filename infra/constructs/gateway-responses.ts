import { PROTECTED_RESOURCE_PATH } from '#shared/credentials/protected-resource.ts';
import { INSUFFICIENT_SCOPE_MESSAGE, UNAUTHORIZED_MESSAGE } from '#shared/errors.ts';

/** §7 What the gateway answers by itself, by API Gateway's response type. */
export interface GatewayResponse {
  readonly code?: string;
  /** Where it differs from the type's own. */
  readonly statusCode?: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers whose values the authorizer's context holds. */
  readonly context?: Readonly<Record<string, string>>;
}

const NO_SUCH_ROUTE: GatewayResponse = {
  statusCode: 404,
  error: 'No such operation. Check the method and the path against the API documentation at /v1/docs/openapi.json',
};
const RETRY_AFTER = { 'Retry-After': '2' };
const OUR_FAULT = 'If it persists, give your operator the request id $context.requestId';

/** At an origin such as `https://results.example.com`. */
export const gatewayResponses = (origin: string): Readonly<Record<string, GatewayResponse>> => ({
  // RFC 9728 section 5.1: who has no token learns where to get one. The same words whatever was wrong (§5.4).
  UNAUTHORIZED: {
    error: UNAUTHORIZED_MESSAGE,
    headers: { 'WWW-Authenticate': `Bearer resource_metadata="${origin}${PROTECTED_RESOURCE_PATH}"` },
  },
  // Only the gateway can send a challenge: REST APIs rename that header when a function sends it.
  ACCESS_DENIED: {
    error: INSUFFICIENT_SCOPE_MESSAGE,
    code: 'insufficient_scope',
    context: { 'WWW-Authenticate': 'authorizer.challenge' },
  },
  MISSING_AUTHENTICATION_TOKEN: NO_SUCH_ROUTE,
  RESOURCE_NOT_FOUND: NO_SUCH_ROUTE,
  // No route is signed, so the gateway finds a bad signature only where it found no route and looked for one.
  INVALID_SIGNATURE: NO_SUCH_ROUTE,
  EXPIRED_TOKEN: NO_SUCH_ROUTE,
  UNSUPPORTED_MEDIA_TYPE: { statusCode: 400, error: 'The media type is not supported. Send application/json' },
  THROTTLED: { error: 'Too many requests. Wait as long as Retry-After says, then try again', headers: RETRY_AFTER },
  QUOTA_EXCEEDED: {
    error: 'Too many requests. Wait as long as Retry-After says, then try again',
    headers: RETRY_AFTER,
  },
  DEFAULT_4XX: { error: 'The request is not valid. Check it against the API documentation at /v1/docs/openapi.json' },
  AUTHORIZER_FAILURE: {
    statusCode: 503,
    error: `The credential could not be checked just now. Try again. ${OUR_FAULT}`,
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
});

/** The body's bytes equal those of the functions' refusals. */
export const responseTemplate = ({ error, code }: GatewayResponse): string =>
  JSON.stringify({ status: 'FAILED', error, code });
