/** §5 What a directory may do with users: list, read, create, replace, change and delete them. */

import { directoryGroups } from '#shared/model/directory/directory-group.ts';
import { listUsers } from './lists.ts';
import { listPatchChanges, listResourceChanges } from './patch.ts';
import { isWanted, project } from './projection.ts';
import { type Resource, toListResponse, toUserResource } from './resources.ts';
import { answerResource, type Methods, readBody, type ScimAnswer, type ScimRequest } from './scim-request.ts';
import { changeAttributes, readAttributes } from './user-attributes.ts';
import { changeUser, createUser, deleteUser, readUser, type User } from './users.ts';

export function makeUsersMethods(request: ScimRequest): Methods {
  const { services, actor, query, event } = request;
  return {
    GET: async () => {
      const { items, ...page } = await listUsers(services, actor, query);
      const resources = await describeUsers(request, items);
      const shownResources = resources.map((resource) => project(resource, query));
      return { statusCode: 200, body: toListResponse(shownResources, page) };
    },
    POST: async () => {
      const attributes = readAttributes(listResourceChanges(readBody(event)), true);
      return answerUser(request, await createUser(services, request, attributes), 201);
    },
  };
}

export function makeUserMethods(request: ScimRequest, id: string): Methods {
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

/** With the groups of all of them in one read. */
async function describeUsers({ services, query }: ScimRequest, users: readonly User[]): Promise<Resource[]> {
  const keys = isWanted('groups', query)
    ? users.flatMap(({ entry }) => entry.groups.map((groupId) => ({ organizationId: entry.organizationId, groupId })))
    : [];
  const groups = (await services.table.getMany(directoryGroups, keys)).flatMap((group) => group ?? []);
  const groupsById = new Map(groups.map((group) => [group.groupId, group]));
  return users.map((user) => {
    const ownGroups = user.entry.groups.flatMap((groupId) => groupsById.get(groupId) ?? []);
    return toUserResource(services.origin, user, ownGroups);
  });
}
