/** §5.3 Validates and completes a request before oidc-provider handles it. */

import { READS_OF_MEMBERS } from '#shared/access/protected-resource.ts';
import type { HttpAnswer } from '#shared/engine/http/answer.ts';
import { decodeBytes } from '#shared/engine/http/body.ts';
import { type RouteEvent, readHeader } from '#shared/engine/http/event.ts';
import { cleanRegistration } from './client-metadata-wire.ts';
import { OAUTH_LIMITS } from './limits.ts';
import type { EventRequest } from './node-event.ts';
import { PATHS, resolveResource } from './paths.ts';
import { normalizeRedirectUri } from './redirect-uri.ts';
import type { AuthorizationProblem } from './request-state.ts';

/** `served` goes on to oidc-provider, `problem` is an error for a browser, `answer` an error for a program. */
type PreparedRequest =
  | { readonly served: EventRequest }
  | { readonly problem: AuthorizationProblem }
  | { readonly answer: HttpAnswer };

export function prepareRequest(event: RouteEvent, origin: string): PreparedRequest {
  const { httpMethod, path, multiValueHeaders, multiValueQueryStringParameters, isBase64Encoded } = event;
  const encodedBody = { body: event.body, isBase64Encoded, contentEncoding: readHeader(event, 'content-encoding') };
  const body = decodeBytes(encodedBody, OAUTH_LIMITS.bodyBytes).toString();
  const { sourceIp } = event.requestContext.identity;
  const request = { httpMethod, path, multiValueHeaders, multiValueQueryStringParameters, body, sourceIp };
  if (event.resource === PATHS.authorization) return prepareAuthorizationRequest(request, origin);
  if (event.resource === PATHS.token) return prepareTokenRequest(request, origin);
  return event.resource === PATHS.registration ? prepareRegistrationRequest(request) : { served: request };
}

const makeRefusal = (error: string, error_description: string): PreparedRequest => ({
  answer: {
    statusCode: 400,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ error, error_description }),
    isBase64Encoded: false,
  },
});

const ONE_RESOURCE = 'Send `resource` only once. A token is for one resource';

function prepareAuthorizationRequest(request: EventRequest, origin: string): PreparedRequest {
  const query = request.multiValueQueryStringParameters ?? {};
  const [mode, ...modes] = query['response_mode'] ?? [];
  if ((mode ?? 'query') !== 'query' || modes.length > 0) {
    return makeProblem('invalid_request', 'This response mode is not supported. Send response_mode=query, or omit it');
  }
  if ((query['resource'] ?? []).length > 1) return makeProblem('invalid_target', ONE_RESOURCE);
  const completedQuery = addConsentPrompt(addDefaultScope(normalizeQueryUris(query, origin)));
  return { served: { ...request, multiValueQueryStringParameters: completedQuery } };
}

const makeProblem = (error: string, description: string): PreparedRequest => ({
  problem: { statusCode: 400, error, description },
});

type Query = Readonly<Record<string, string[] | undefined>>;

/** oidc-provider compares redirect URIs with the registered ones, and resources with ours, character by character. */
function normalizeQueryUris(query: Query, origin: string): Query {
  const { redirect_uri: redirectUris, resource: resources } = query;
  const normalizedQuery: Record<string, string[] | undefined> = { ...query };
  if (redirectUris) normalizedQuery['redirect_uri'] = redirectUris.map(normalizeRedirectUri);
  const clientId = query['client_id']?.[0];
  if (resources) normalizedQuery['resource'] = resources.map((one) => resolveResource(origin, clientId, one));
  return normalizedQuery;
}

/** Adds the default scope to a request that names no scope (RFC 6749 section 3.3). */
const addDefaultScope = (query: Query): Query =>
  (query['scope'] ?? []).some((scope) => scope !== '') ? query : { ...query, scope: [READS_OF_MEMBERS.join(' ')] };

/** §5.3 oidc-provider would ignore the scope `offline_access`, for a refresh token, without `prompt=consent`. */
function addConsentPrompt(query: Query): Query {
  const prompts = query['prompt'] ?? [''];
  const [prompt = '', ...more] = prompts;
  const promptValues = prompt.split(' ').filter(Boolean);
  const asks = (query['scope'] ?? []).some((scope) => scope.split(' ').includes('offline_access'));
  if (!asks || more.length > 0 || promptValues.includes('none')) return query;
  return { ...query, prompt: [[...new Set([...promptValues, 'consent'])].join(' ')] };
}

function prepareTokenRequest(request: EventRequest, origin: string): PreparedRequest {
  const fields = new URLSearchParams(request.body);
  const [resource, ...moreResources] = fields.getAll('resource');
  if (moreResources.length > 0) return makeRefusal('invalid_target', ONE_RESOURCE);
  if (resource !== undefined)
    fields.set('resource', resolveResource(origin, fields.get('client_id') ?? undefined, resource));
  const [uri, ...moreUris] = fields.getAll('redirect_uri');
  if (uri !== undefined && moreUris.length === 0) fields.set('redirect_uri', normalizeRedirectUri(uri));
  return { served: { ...request, body: fields.toString() } };
}

function prepareRegistrationRequest(request: EventRequest): PreparedRequest {
  const result = cleanRegistration(request.body);
  if (!result.ok) return makeRefusal(result.error, result.description);
  return { served: { ...request, body: JSON.stringify(result.metadata) } };
}
