/** Users and groups, and lists of them, as SCIM describes them (RFC 7643). */
import type { DirectoryGroup } from '#shared/model/directory/directory-group.ts';
import { formatGroupVersion } from './groups.ts';
import { CORE_GROUP, CORE_USER } from './paths.ts';
import { formatUserVersion, type User } from './users.ts';

export const SCIM_PATH = '/scim/v2';

export interface Resource {
  readonly id: string;
  readonly meta: { readonly version: string };
  readonly [attribute: string]: unknown;
}

const formatMeta = (
  origin: string,
  resourceType: 'User' | 'Group',
  { id, createdAt, updatedAt, version }: { id: string; createdAt: number; updatedAt: number; version: string },
) => ({
  resourceType,
  created: new Date(createdAt).toISOString(),
  lastModified: new Date(updatedAt).toISOString(),
  location: `${origin}${SCIM_PATH}/${resourceType}s/${id}`,
  version,
});

/** `groups`: those of the user that exist. */
export function toUserResource(origin: string, user: User, groups: readonly DirectoryGroup[]): Resource {
  const { entryId: id, userName, externalId, displayName, name, emails, createdAt, updatedAt } = user.entry;
  return {
    schemas: [CORE_USER],
    id,
    externalId,
    userName,
    name,
    displayName,
    emails,
    active: user.membership !== undefined,
    groups: groups.map((group) => ({
      value: group.groupId,
      display: group.displayName,
      type: 'direct',
      $ref: `${origin}${SCIM_PATH}/Groups/${group.groupId}`,
    })),
    meta: formatMeta(origin, 'User', { id, createdAt, updatedAt, version: formatUserVersion(user) }),
  };
}

/** Without `members` if nobody asked for them. */
export function toGroupResource(
  origin: string,
  group: DirectoryGroup,
  memberIds: readonly string[] | undefined,
): Resource {
  const { groupId: id, displayName, externalId, createdAt, updatedAt } = group;
  return {
    schemas: [CORE_GROUP],
    id,
    externalId,
    displayName,
    members: memberIds?.map((value) => ({ value, type: 'User', $ref: `${origin}${SCIM_PATH}/Users/${value}` })),
    meta: formatMeta(origin, 'Group', { id, createdAt, updatedAt, version: formatGroupVersion(group) }),
  };
}

const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export const toListResponse = (resources: readonly object[], { startIndex = 1, total = resources.length } = {}) => ({
  schemas: [LIST_RESPONSE],
  totalResults: total,
  itemsPerPage: resources.length,
  startIndex,
  Resources: resources,
});
