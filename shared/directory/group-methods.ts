/** §5 What a directory may do with groups: list, read, create, replace, change and delete them. */

import type { DirectoryGroup } from '#shared/model/directory/directory-group.ts';
import { changeGroupAttributes, readGroupAttributes } from './group-attributes.ts';
import { changeGroup, createGroup, deleteGroup, listMemberIds, readGroup } from './groups.ts';
import { listDirectoryGroups } from './lists.ts';
import { listPatchChanges, listResourceChanges } from './patch.ts';
import { isWanted, project } from './projection.ts';
import { type Resource, toGroupResource, toListResponse } from './resources.ts';
import { answerResource, type Methods, readBody, type ScimAnswer, type ScimRequest } from './scim-request.ts';

export function makeGroupsMethods(request: ScimRequest): Methods {
  const { services, actor, query, event } = request;
  return {
    GET: async () => {
      const { items, ...page } = await listDirectoryGroups(services, actor, query);
      const resources = await Promise.all(items.map((group) => describeGroup(request, group)));
      const shownResources = resources.map((resource) => project(resource, query));
      return { statusCode: 200, body: toListResponse(shownResources, page) };
    },
    POST: async () => {
      const { attributes, members } = readGroupAttributes(listResourceChanges(readBody(event)));
      const { groupId } = await createGroup(services, request, attributes, members);
      return answerGroup(request, groupId, 201);
    },
  };
}

export function makeGroupMethods(request: ScimRequest, id: string): Methods {
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
  const group = await readGroup(request.services, request.actor, id);
  return answerResource(request, await describeGroup(request, group), statusCode, 'Groups');
}

async function describeGroup({ services, query }: ScimRequest, group: DirectoryGroup): Promise<Resource> {
  const memberIds = isWanted('members', query) ? await listMemberIds(services, group) : undefined;
  return toGroupResource(services.origin, group, memberIds);
}
