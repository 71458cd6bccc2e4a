/** §5 Answers the requests of a directory: SCIM 2.0 (RFC 7644) below `/scim/v2`. */
import { ApiError, INTERNAL_ERROR_MESSAGE } from '#shared/engine/errors.ts';
import { answerNotModified, answerResult, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { Content } from '#shared/engine/http/content.ts';
import { type RouteEvent, readHeader } from '#shared/engine/http/event.ts';
import type { Services } from '#shared/services.ts';
import { noCommonSearch, scimUnauthorized, unknownPath, unknownResource, unsupportedMethod } from './errors.ts';
import { makeGroupMethods, makeGroupsMethods } from './group-methods.ts';
import { SCIM_PATH, toListResponse } from './resources.ts';
import { type Methods, readQuery, type ScimAnswer, type ScimRequest } from './scim-request.ts';
import { listResourceTypes, listSchemas, makeServiceProviderConfig } from './service-description.ts';
import { verifyScimToken } from './tokens.ts';
import { makeUserMethods, makeUsersMethods } from './user-methods.ts';

const MEDIA_TYPE = 'application/scim+json';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

export async function serveScim(services: Services, event: RouteEvent): Promise<HttpAnswer> {
  // Before anything else of the request is read.
  const actor = await verifyScimToken(services, findBearer(event));
  if (!actor) throw scimUnauthorized();
  const request: ScimRequest = {
    services,
    actor,
    event,
    query: readQuery(event),
    ifMatch: readHeader(event, 'if-match'),
  };
  return toHttpAnswer(event, await route(request));
}

/** The error of RFC 7644, 3.12. `ApiError` only: other errors become a general message with the request id. */
export function answerScimError(error: unknown, event: RouteEvent): HttpAnswer {
  const { requestId } = event.requestContext;
  const apiError = error instanceof ApiError ? error : undefined;
  const statusCode = apiError?.statusCode ?? 500;
  const { code, headers = {} } = apiError?.details ?? {};
  return {
    statusCode,
    headers: { ...makeHeaders(requestId), ...headers },
    body: JSON.stringify({
      schemas: [ERROR],
      status: String(statusCode),
      scimType: code,
      detail: apiError?.message ?? `${INTERNAL_ERROR_MESSAGE} (requestId ${requestId})`,
    }),
    isBase64Encoded: false,
  };
}

const makeHeaders = (requestId: string) => ({
  'Content-Type': MEDIA_TYPE,
  'Cache-Control': 'no-store',
  'x-request-id': requestId,
});

const BEARER = /^bearer +([\x21-\x7e]{1,256})$/i;

/** Accepts exactly one header. A token in the query or in Basic credentials is none. */
const findBearer = (event: RouteEvent): string | undefined =>
  BEARER.exec(readHeader(event, 'authorization') ?? '')?.[1];

async function route(request: ScimRequest): Promise<ScimAnswer> {
  const { event } = request;
  const methods = findMethods(request, splitPath(event.path));
  if (!methods) throw unknownPath();
  const answer = Object.hasOwn(methods, event.httpMethod) ? methods[event.httpMethod] : undefined;
  if (!answer) throw unsupportedMethod(Object.keys(methods).join(', '));
  return await answer();
}

/** The segments below `/scim/v2`, decoded. A final slash is ignored. */
function splitPath(path: string): string[] | undefined {
  if (!path.startsWith(`${SCIM_PATH}/`)) return undefined;
  const segments = path
    .slice(SCIM_PATH.length + 1)
    .replace(/\/$/, '')
    .split('/');
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function findMethods(request: ScimRequest, segments: readonly string[] | undefined): Methods | undefined {
  const [kind, id, ...more] = segments ?? [];
  if (kind === undefined || more.length > 0 || id === '') return undefined;
  const { origin } = request.services;
  switch (kind.toLowerCase()) {
    case 'users':
      return id === undefined ? makeUsersMethods(request) : makeUserMethods(request, id);
    case 'groups':
      return id === undefined ? makeGroupsMethods(request) : makeGroupMethods(request, id);
    case 'serviceproviderconfig':
      return id === undefined
        ? { GET: () => ({ statusCode: 200, body: makeServiceProviderConfig(origin) }) }
        : undefined;
    case '.search':
      return id === undefined ? { POST: () => Promise.reject(noCommonSearch()) } : undefined;
    case 'resourcetypes':
      return makeStaticMethods('ResourceType', listResourceTypes(origin), id);
    case 'schemas':
      return makeStaticMethods('Schema', listSchemas(origin), id);
    default:
      return undefined;
  }
}

const makeStaticMethods = (kind: string, all: readonly (object & { readonly id: string })[], id?: string): Methods => ({
  GET: () => {
    if (id === undefined) return { statusCode: 200, body: toListResponse(all) };
    const body = all.find((one) => one.id.toLowerCase() === id.toLowerCase());
    if (!body) throw unknownResource(kind, id);
    return { statusCode: 200, body };
  },
});

function toHttpAnswer(event: RouteEvent, { statusCode, body, etag, location }: ScimAnswer): HttpAnswer {
  const { requestId } = event.requestContext;
  const headers: Record<string, string> = makeHeaders(requestId);
  if (etag !== undefined) headers['ETag'] = etag;
  if (location !== undefined) headers['Location'] = location;
  if (!body) {
    delete headers['Content-Type'];
    return { statusCode, headers, body: '', isBase64Encoded: false };
  }
  if (etag !== undefined && event.httpMethod === 'GET' && isKnown(event, etag)) return answerNotModified(headers);
  return answerResult(new Content('json', MEDIA_TYPE, JSON.stringify(body)), {
    statusCode,
    acceptEncoding: readHeader(event, 'accept-encoding') ?? '',
    headers,
    limit: { what: 'The answer', remedies: ['send a smaller count', 'add excludedAttributes=members'] },
  });
}

const isKnown = (event: RouteEvent, etag: string): boolean =>
  (readHeader(event, 'if-none-match') ?? '').split(',').some((tag) => tag.trim() === etag);
