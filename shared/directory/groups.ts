/**
 * §5 Groups of a directory. A person enters or leaves a group in one transaction with the role that follows, so an
 * interrupted request leaves whole people, and a repetition goes on with the others.
 */
import type { DirectoryActor } from '#shared/access/actor.ts';
import { ABSENT, PRESENT, put, remove, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import {
  type DirectoryGroup,
  directoryGroupMembers,
  directoryGroups,
  getDirectoryGroupsSpan,
  getGroupMembersSpan,
} from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { CoreServices } from '#shared/services.ts';
import { invalidValue, notUnique, tooMany, unknownResource } from './errors.ts';
import type { GroupAttributes, MemberChanges } from './group-attributes.ts';
import { renewRoles, setMembers } from './group-members.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { type DirectoryRequest, requireVersion } from './users.ts';

/** Changes with each change of the group or its members. */
export const formatGroupVersion = ({ version }: DirectoryGroup): string => `W/"${version}"`;

export async function readGroup(
  { table }: CoreServices,
  { organizationId }: DirectoryActor,
  groupId: string,
): Promise<DirectoryGroup> {
  const group = await table.get(directoryGroups, { organizationId, groupId }, { consistent: true });
  if (group) return group;
  throw unknownResource('Group', groupId);
}

export const listGroups = ({ table }: CoreServices, { organizationId }: DirectoryActor): Promise<DirectoryGroup[]> =>
  table.queryAll(directoryGroups, getDirectoryGroupsSpan({ organizationId }), { consistent: true });

export async function listMemberIds(
  { table }: CoreServices,
  group: Pick<DirectoryGroup, 'organizationId' | 'groupId'>,
): Promise<string[]> {
  const rows = await table.queryAll(directoryGroupMembers, getGroupMembersSpan(group), { consistent: true });
  return rows.map(({ entryId }) => entryId);
}

export async function isMemberOf(
  { table }: CoreServices,
  { organizationId, groupId }: DirectoryGroup,
  entryId: string,
): Promise<boolean> {
  return (
    (await table.get(directoryGroupMembers, { organizationId, groupId, entryId }, { consistent: true })) !== undefined
  );
}

const toNameKey = (organizationId: string, displayName: string) => ({
  organizationId,
  of: 'GROUP' as const,
  name: displayName.toLowerCase(),
});

async function requireUnique({ table }: CoreServices, organizationId: string, displayName: string): Promise<void> {
  if (await table.get(directoryNames, toNameKey(organizationId, displayName), { consistent: true }))
    throw notUnique('displayName');
}

export async function createGroup(
  services: CoreServices,
  { actor }: DirectoryRequest,
  attributes: GroupAttributes,
  members: MemberChanges,
): Promise<DirectoryGroup> {
  const { organizationId } = actor;
  if ((await listGroups(services, actor)).length >= DIRECTORY_LIMITS.groups)
    throw tooMany(`A directory can have at most ${DIRECTORY_LIMITS.groups} groups`);
  const entryIds = [...new Set([...(members.only ?? []), ...members.add])];
  await requireKnown(services, actor, entryIds);
  const now = services.now();
  const groupId = services.randomId(DIRECTORY_LIMITS.entryIdCharacters);
  const group: DirectoryGroup = { ...attributes, organizationId, groupId, createdAt: now, updatedAt: now, version: 1 };
  await changeOrganization(services, { organizationId, actor, action: 'members:provision' }, async () => {
    await requireUnique(services, organizationId, attributes.displayName);
    return {
      result: undefined,
      writes: [
        put(directoryGroups, group, ABSENT),
        put(directoryNames, { ...toNameKey(organizationId, attributes.displayName), id: groupId }, ABSENT),
      ],
      record: [],
    };
  });
  await setMembers(
    services,
    actor,
    entryIds.map((entryId) => ({ groupId, entryId, isMember: true })),
  );
  return group;
}

async function requireKnown({ table }: CoreServices, { organizationId }: DirectoryActor, entryIds: readonly string[]) {
  if (entryIds.length > DIRECTORY_LIMITS.namedMembers)
    throw tooMany(`A request can name at most ${DIRECTORY_LIMITS.namedMembers} members`);
  const keys = entryIds.map((entryId) => ({ organizationId, entryId }));
  const entries = await table.getMany(directoryEntries, keys, { consistent: true });
  const unknown = entryIds.find((_, index) => entries[index] === undefined);
  if (unknown !== undefined)
    throw invalidValue(`The member ${JSON.stringify(unknown.slice(0, 64))} is no user of this directory`);
}

/** `apply` returns the attributes that the request wants, and what it does with the members. */
export async function changeGroup(
  services: CoreServices,
  { actor, ifMatch }: DirectoryRequest,
  groupId: string,
  apply: (attributes: GroupAttributes) => { readonly attributes: GroupAttributes; readonly members: MemberChanges },
): Promise<void> {
  const { organizationId } = actor;
  const group = await readGroup(services, actor, groupId);
  requireVersion(ifMatch, formatGroupVersion(group));
  const { displayName, externalId } = group;
  const { attributes, members } = apply({ displayName, externalId });
  const presentIds = await listMemberIds(services, group);
  const currentMembers = new Set(presentIds);
  const nextMembers = new Set(members.only ?? presentIds);
  for (const entryId of members.add) nextMembers.add(entryId);
  for (const entryId of members.remove) nextMembers.delete(entryId);
  const newIds = [...nextMembers].filter((entryId) => !currentMembers.has(entryId));
  const leavingIds = presentIds.filter((entryId) => !nextMembers.has(entryId));
  await requireKnown(services, actor, newIds);
  const isRenamed = attributes.displayName !== displayName || attributes.externalId !== externalId;
  if (isRenamed || newIds.length + leavingIds.length > 0) await storeGroup(services, actor, group, attributes);
  const changes = [
    ...newIds.map((entryId) => ({ groupId, entryId, isMember: true })),
    ...leavingIds.map((entryId) => ({ groupId, entryId, isMember: false })),
  ];
  await setMembers(services, actor, changes);
  // Whoever read the group in between has another version.
  if (changes.length > 0)
    await services.table.update(directoryGroups, { organizationId, groupId }, { add: [['version', 1]] }, PRESENT);
  // Also if an earlier request was interrupted after it had renamed the group.
  if (!group.rolesDue && attributes.displayName === displayName) return;
  const remainingIds = presentIds.filter((entryId) => nextMembers.has(entryId));
  await renewRoles(
    services,
    actor,
    remainingIds.map((entryId) => ({ organizationId, entryId })),
  );
  const isSameName = { path: 'displayName', equals: attributes.displayName } as const;
  await services.table.update(directoryGroups, { organizationId, groupId }, { remove: ['rolesDue'] }, isSameName);
}

function storeGroup(
  services: CoreServices,
  actor: DirectoryActor,
  { groupId }: DirectoryGroup,
  attributes: GroupAttributes,
): Promise<void> {
  const { organizationId } = actor;
  return changeOrganization(services, { organizationId, actor, action: 'members:provision' }, async () => {
    const before = await readGroup(services, actor, groupId);
    const { externalId: _, ...rest } = before;
    const isRenamed = before.displayName !== attributes.displayName;
    const isMoved = before.displayName.toLowerCase() !== attributes.displayName.toLowerCase();
    if (isMoved) await requireUnique(services, organizationId, attributes.displayName);
    const group: DirectoryGroup = {
      ...rest,
      ...attributes,
      rolesDue: isRenamed ? true : before.rolesDue,
      updatedAt: services.now(),
      version: before.version + 1,
    };
    const writes: Write[] = [put(directoryGroups, group, { path: 'version', equals: before.version })];
    if (isMoved)
      writes.push(
        put(directoryNames, { ...toNameKey(organizationId, attributes.displayName), id: groupId }, ABSENT),
        remove(directoryNames, toNameKey(organizationId, before.displayName)),
      );
    return { result: undefined, writes, record: [] };
  });
}

/** The members leave first, each with the role that remains. A repetition continues an interrupted deletion. */
export async function deleteGroup(
  services: CoreServices,
  { actor, ifMatch }: DirectoryRequest,
  groupId: string,
): Promise<void> {
  const { organizationId } = actor;
  const group = await readGroup(services, actor, groupId);
  requireVersion(ifMatch, formatGroupVersion(group));
  // People may join while the others leave.
  let memberIds = await listMemberIds(services, group);
  while (memberIds.length > 0) {
    const changes = memberIds.map((entryId) => ({ groupId, entryId, isMember: false }));
    await setMembers(services, actor, changes);
    memberIds = await listMemberIds(services, group);
  }
  await changeOrganization(services, { organizationId, actor, action: 'members:provision' }, async () => {
    const current = await services.table.get(directoryGroups, { organizationId, groupId }, { consistent: true });
    if (!current) return { result: undefined };
    return {
      result: undefined,
      writes: [
        removeWhen(directoryGroups, current, { path: 'version', equals: current.version }),
        remove(directoryNames, toNameKey(organizationId, current.displayName)),
      ],
      record: [],
    };
  });
}
