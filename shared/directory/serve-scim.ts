/** §5 Answers the requests of a directory: SCIM 2.0 (RFC 7644) below `/scim/v2`. */
import type { DirectoryActor } from '#shared/access/actor.ts';
import { ApiError, INTERNAL_ERROR_MESSAGE } from '#shared/engine/errors.ts';
import { answerNotModified, answerResult, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { decodeBytes, getEncodedBody } from '#shared/engine/http/body.ts';
import { Content } from '#shared/engine/http/content.ts';
import { type RouteEvent, readHeader } from '#shared/engine/http/event.ts';
import { refuseIntricate } from '#shared/engine/http/json-cost.ts';
import { parseJson } from '#shared/engine/json.ts';
import { directoryGroups } from '#shared/model/directory/directory-group.ts';
import type { Services } from '#shared/services.ts';
import {
  invalidSyntax,
  noCommonSearch,
  scimUnauthorized,
  unknownPath,
  unknownResource,
  unsupportedMethod,
} from './errors.ts';
import { changeGroupAttributes, readGroupAttributes } from './group-attributes.ts';
import { changeGroup, createGroup, deleteGroup, listMemberIds, readGroup } from './groups.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { isWanted, type ListQuery, listDirectoryGroups, listUsers, type Projection, project } from './lists.ts';
import { listPatchChanges, listResourceChanges } from './patch.ts';
import {
  listResourceTypes,
  listSchemas,
  makeServiceProviderConfig,
  type Resource,
  SCIM_PATH,
  toGroupResource,
  toListResponse,
  toUserResource,
} from './resources.ts';
import { verifyScimToken } from './tokens.ts';
import { changeAttributes, readAttributes } from './user-attributes.ts';
import { changeUser, createUser, deleteUser, readUser, type User } from './users.ts';

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
      ...(code ? { scimType: code } : {}),
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

interface ScimRequest {
  readonly services: Services;
  readonly actor: DirectoryActor;
  readonly event: RouteEvent;
  readonly query: Projection & ListQuery;
  readonly ifMatch: string | undefined;
}

interface ScimAnswer {
  readonly statusCode: 200 | 201 | 204;
  readonly body?: object;
  readonly etag?: string;
  readonly location?: string;
}

/** Unknown parameters are ignored, because directories add their own to the address of the service. */
const readQuery = (event: RouteEvent): ScimRequest['query'] => ({
  filter: findParameter(event, 'filter'),
  startIndex: findParameter(event, 'startIndex'),
  count: findParameter(event, 'count'),
  attributes: findParameter(event, 'attributes'),
  excludedAttributes: findParameter(event, 'excludedAttributes'),
});

const findParameter = ({ multiValueQueryStringParameters }: RouteEvent, name: string): string | undefined =>
  Object.entries(multiValueQueryStringParameters ?? {}).find(
    ([key]) => key.toLowerCase() === name.toLowerCase(),
  )?.[1]?.[0];

/** The body is parsed only where a method needs one. */
function readBody(event: RouteEvent): unknown {
  const bytes = decodeBytes(getEncodedBody(event), DIRECTORY_LIMITS.bodyBytes);
  if (bytes.length > 0) refuseIntricate(bytes);
  const body = parseJson(bytes.toString('utf8'));
  if (body === undefined) throw invalidSyntax('The body is not valid JSON');
  return body;
}

type Methods = Readonly<Partial<Record<string, () => Promise<ScimAnswer> | ScimAnswer>>>;

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

function makeUsersMethods(request: ScimRequest): Methods {
  const { services, actor, query, event } = request;
  return {
    GET: async () => {
      const { items, ...page } = await listUsers(services, actor, query);
      const resources = await describeUsers(request, items);
      return {
        statusCode: 200,
        body: toListResponse(
          resources.map((one) => project(one, query)),
          page,
        ),
      };
    },
    POST: async () => {
      const attributes = readAttributes(listResourceChanges(readBody(event)), true);
      return answerUser(request, await createUser(services, request, attributes), 201);
    },
  };
}

function makeUserMethods(request: ScimRequest, id: string): Methods {
  const { services, actor, event } = request;
  return {
    GET: async () => answerUser(request, await readUser(services, actor, id)),
    PUT: async () => {
      const changes = listResourceChanges(readBody(event));
      const user = await changeUser(services, request, id, ({ active }) => readAttributes(changes, active));
      return answerUser(request, user);
    },
    PATCH: async () => {
      const changes = listPatchChanges(readBody(event));
      const user = await changeUser(services, request, id, (attributes) => changeAttributes(attributes, changes));
      return answerUser(request, user);
    },
    DELETE: async () => {
      await deleteUser(services, request, id);
      return { statusCode: 204 };
    },
  };
}

async function answerUser(request: ScimRequest, user: User, statusCode: 200 | 201 = 200): Promise<ScimAnswer> {
  const resources = await describeUsers(request, [user]);
  return answerResource(request, resources[0] ?? { id: '', meta: { version: '' } }, statusCode, 'Users');
}

function answerResource(
  { services, query }: ScimRequest,
  resource: Resource,
  statusCode: 200 | 201,
  kind: 'Users' | 'Groups',
): ScimAnswer {
  return {
    statusCode,
    body: project(resource, query),
    etag: resource.meta.version,
    location: `${services.origin}${SCIM_PATH}/${kind}/${resource.id}`,
  };
}

/** With the groups of all of them in one read. */
async function describeUsers({ services, query }: ScimRequest, users: readonly User[]): Promise<Resource[]> {
  const keys = isWanted('groups', query)
    ? users.flatMap(({ entry }) => entry.groups.map((groupId) => ({ organizationId: entry.organizationId, groupId })))
    : [];
  const groups = (await services.table.getMany(directoryGroups, keys)).flatMap((group) => group ?? []);
  const groupsById = new Map(groups.map((group) => [group.groupId, group]));
  return users.map((user) =>
    toUserResource(
      services.origin,
      user,
      user.entry.groups.flatMap((groupId) => groupsById.get(groupId) ?? []),
    ),
  );
}

function makeGroupsMethods(request: ScimRequest): Methods {
  const { services, actor, query, event } = request;
  const withMembers = isWanted('members', query);
  return {
    GET: async () => {
      const { items, ...page } = await listDirectoryGroups(services, actor, query);
      const resources = await Promise.all(
        items.map(async (group) =>
          toGroupResource(services.origin, group, withMembers ? await listMemberIds(services, group) : undefined),
        ),
      );
      return {
        statusCode: 200,
        body: toListResponse(
          resources.map((one) => project(one, query)),
          page,
        ),
      };
    },
    POST: async () => {
      const { attributes, members } = readGroupAttributes(listResourceChanges(readBody(event)));
      const { groupId } = await createGroup(services, request, attributes, members);
      return answerGroup(request, groupId, 201);
    },
  };
}

function makeGroupMethods(request: ScimRequest, id: string): Methods {
  const { services, event } = request;
  return {
    GET: () => answerGroup(request, id),
    PUT: async () => {
      const change = readGroupAttributes(listResourceChanges(readBody(event)));
      await changeGroup(services, request, id, () => change);
      return answerGroup(request, id);
    },
    PATCH: async () => {
      const changes = listPatchChanges(readBody(event));
      await changeGroup(services, request, id, (attributes) => changeGroupAttributes(attributes, changes));
      return { statusCode: 204 };
    },
    DELETE: async () => {
      await deleteGroup(services, request, id);
      return { statusCode: 204 };
    },
  };
}

async function answerGroup(request: ScimRequest, id: string, statusCode: 200 | 201 = 200): Promise<ScimAnswer> {
  const { services, actor, query } = request;
  const group = await readGroup(services, actor, id);
  const memberIds = isWanted('members', query) ? await listMemberIds(services, group) : undefined;
  return answerResource(request, toGroupResource(services.origin, group, memberIds), statusCode, 'Groups');
}

function toHttpAnswer(event: RouteEvent, { statusCode, body, etag, location }: ScimAnswer): HttpAnswer {
  const { requestId } = event.requestContext;
  const headers = {
    ...makeHeaders(requestId),
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(location === undefined ? {} : { Location: location }),
  };
  if (!body) {
    const { 'Content-Type': _, ...others } = headers;
    return { statusCode, headers: others, body: '', isBase64Encoded: false };
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
