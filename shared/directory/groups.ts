/**
 * §5 Groups of a directory. A person enters or leaves a group in one transaction with the role that follows, so an
 * interrupted request leaves whole people, and a repetition goes on with the others.
 */
import type { Actor, DirectoryActor } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import {
  ABSENT,
  type Check,
  check,
  mergeChecks,
  PRESENT,
  put,
  remove,
  removeWhen,
  type Write,
} from '#shared/engine/table/writes.ts';
import { type DirectoryEntry, directoryEntries } from '#shared/model/directory/directory-entry.ts';
import {
  type DirectoryGroup,
  directoryGroupMembers,
  directoryGroups,
  getDirectoryGroupsSpan,
  getGroupMembersSpan,
} from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { withdrawInviterInvitations } from '#shared/organizations/invitations.ts';
import type { CoreServices } from '#shared/services.ts';
import { invalidValue, notUnique, tooMany, unknownResource } from './errors.ts';
import type { GroupAttributes, MemberChanges } from './group-attributes.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { planEntryChange, planRole, readRoleOfGroups } from './roles.ts';
import { type DirectoryRequest, requireVersion } from './users.ts';

/** Changes with each change of the group or its members. */
export const formatGroupVersion = ({ version }: DirectoryGroup): string => `W/"${version}"`;

/** Few of them at a time, because each is a condition of the same organization. */
const TRANSACTIONS_AT_ONCE = 4;

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
  await mapConcurrently(
    entryIds,
    (entryId) => setMember(services, actor, { groupId, entryId, isMember: true }),
    TRANSACTIONS_AT_ONCE,
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
  const { attributes, members } = apply({ displayName, ...(externalId === undefined ? {} : { externalId }) });
  const presentIds = await listMemberIds(services, group);
  const currentMembers = new Set(presentIds);
  const nextMembers = new Set(members.only ?? presentIds);
  for (const entryId of members.add) nextMembers.add(entryId);
  for (const entryId of members.remove) nextMembers.delete(entryId);
  const added = [...nextMembers].filter((entryId) => !currentMembers.has(entryId));
  const removed = presentIds.filter((entryId) => !nextMembers.has(entryId));
  await requireKnown(services, actor, added);
  const isRenamed = attributes.displayName !== displayName || attributes.externalId !== externalId;
  if (isRenamed || added.length + removed.length > 0) await storeGroup(services, actor, group, attributes);
  const changes = [
    ...added.map((entryId) => ({ groupId, entryId, isMember: true })),
    ...removed.map((entryId) => ({ groupId, entryId, isMember: false })),
  ];
  await mapConcurrently(changes, (change) => setMember(services, actor, change), TRANSACTIONS_AT_ONCE);
  // Whoever read the group in between has another version.
  if (changes.length > 0)
    await services.table.update(directoryGroups, { organizationId, groupId }, { add: [['version', 1]] }, PRESENT);
  // Also if an earlier request was interrupted after it had renamed the group.
  if (!group.rolesDue && attributes.displayName === displayName) return;
  const stayed = presentIds.filter((entryId) => nextMembers.has(entryId));
  await mapConcurrently(
    stayed,
    (entryId) => renewRole(services, actor, { organizationId, entryId }),
    TRANSACTIONS_AT_ONCE,
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
    const isMoved = before.displayName.toLowerCase() !== attributes.displayName.toLowerCase();
    if (isMoved) await requireUnique(services, organizationId, attributes.displayName);
    const group: DirectoryGroup = {
      ...rest,
      ...attributes,
      ...(before.displayName === attributes.displayName ? {} : { rolesDue: true }),
      updatedAt: services.now(),
      version: before.version + 1,
    };
    return {
      result: undefined,
      writes: [
        put(directoryGroups, group, { path: 'version', equals: before.version }),
        ...(isMoved
          ? [
              put(directoryNames, { ...toNameKey(organizationId, attributes.displayName), id: groupId }, ABSENT),
              remove(directoryNames, toNameKey(organizationId, before.displayName)),
            ]
          : []),
      ],
      record: [],
    };
  });
}

interface MemberChange {
  readonly groupId: string;
  readonly entryId: string;
  readonly isMember: boolean;
}

async function setMember(
  services: CoreServices,
  actor: DirectoryActor,
  { groupId, entryId, isMember }: MemberChange,
): Promise<void> {
  const { organizationId } = actor;
  const pointer = { organizationId, groupId, entryId };
  await changeEntry(services, actor, pointer, (groups) => {
    const others = groups.filter((id) => id !== groupId);
    if (isMember && others.length >= DIRECTORY_LIMITS.groupsOfEntry)
      throw tooMany(`A user can be in at most ${DIRECTORY_LIMITS.groupsOfEntry} groups`);
    return {
      groups: isMember ? [...others, groupId] : others,
      writes: [isMember ? put(directoryGroupMembers, pointer) : remove(directoryGroupMembers, pointer)],
      checks: isMember ? [check(directoryGroups, pointer, PRESENT)] : [],
    };
  });
}

/** Gives a member the role that their groups give now, if it is another one than before. */
export const renewRole = (services: CoreServices, actor: Actor, entry: EntryKey): Promise<void> =>
  changeEntry(services, actor, entry, (groups) => ({ groups, writes: [], checks: [] }));

type EntryKey = Pick<DirectoryEntry, 'organizationId' | 'entryId'>;

type PlanGroups = (groups: readonly string[]) => {
  readonly groups: readonly string[];
  readonly writes: readonly Write[];
  readonly checks: readonly Check[];
};

async function changeEntry(
  services: CoreServices,
  actor: Actor,
  { organizationId, entryId }: EntryKey,
  plan: PlanGroups,
): Promise<void> {
  const { table } = services;
  // An Admin changes the roles of groups in the settings.
  const action = actor.kind === 'directory' ? 'members:provision' : 'signIn:change';
  const demotedAccountId = await changeOrganization(
    services,
    { organizationId, actor, action },
    async ({ organization }) => {
      const entry = await table.get(directoryEntries, { organizationId, entryId }, { consistent: true });
      // Deleted in the meantime, with its place in the group.
      if (!entry) return { result: undefined };
      const { groups, writes, checks } = plan(entry.groups);
      const [{ role, groups: livingGroups, checks: roleChecks }, membership] = await Promise.all([
        readRoleOfGroups(services, organizationId, groups),
        table.get(memberships, entry, { consistent: true }),
      ]);
      const rolePlan = planRole({ organization, entry, membership, role });
      if (writes.length === 0 && entry.role === role) return { result: undefined };
      const living = livingGroups.map(({ groupId }) => groupId);
      return {
        result: membership && rolePlan.writes.length > 0 && role !== 'admin' ? membership.accountId : undefined,
        writes: mergeChecks(joinChecks(roleChecks, checks), [
          planEntryChange(services, entry, { groups: living, role }),
          ...writes,
          ...rolePlan.writes,
        ]),
        record: rolePlan.record,
      };
    },
  );
  if (demotedAccountId !== undefined)
    await withdrawInviterInvitations(services, { organizationId, accountId: demotedAccountId });
}

/** A transaction may name a row only once. A group with the same name exists. */
const joinChecks = (roleChecks: readonly Check[], checks: readonly Check[]): Check[] => [
  ...roleChecks,
  ...checks.filter(({ key }) => !roleChecks.some((one) => one.key.pk === key.pk && one.key.sk === key.sk)),
];

/** The members leave first, each with the role that remains. A repetition continues an interrupted deletion. */
export async function deleteGroup(
  services: CoreServices,
  { actor, ifMatch }: DirectoryRequest,
  groupId: string,
): Promise<void> {
  const { organizationId } = actor;
  const group = await readGroup(services, actor, groupId);
  requireVersion(ifMatch, formatGroupVersion(group));
  for (let memberIds = await listMemberIds(services, group); memberIds.length > 0; ) {
    await mapConcurrently(
      memberIds,
      (entryId) => setMember(services, actor, { groupId, entryId, isMember: false }),
      TRANSACTIONS_AT_ONCE,
    );
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
