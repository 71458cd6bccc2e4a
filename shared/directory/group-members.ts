/**
 * §5 Members of the groups of a directory. A person enters or leaves a group in one transaction with the role that
 * follows.
 */
import type { Actor, DirectoryActor } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { type Check, check, mergeChecks, PRESENT, put, remove, type Write } from '#shared/engine/table/writes.ts';
import { type DirectoryEntry, directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryGroupMembers, directoryGroups } from '#shared/model/directory/directory-group.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { withdrawInviterInvitations } from '#shared/organizations/invitations.ts';
import type { CoreServices } from '#shared/services.ts';
import { tooMany } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { planEntryChange, planRole, readRoleOfGroups } from './roles.ts';

/** Few of them at a time, because each is a condition of the same organization. */
const TRANSACTIONS_AT_ONCE = 4;

/** Puts a person of the directory into a group, or takes them out of it. */
interface MemberChange {
  readonly groupId: string;
  readonly entryId: string;
  readonly isMember: boolean;
}

export async function setMembers(
  services: CoreServices,
  actor: DirectoryActor,
  changes: readonly MemberChange[],
): Promise<void> {
  await mapConcurrently(changes, (change) => setMember(services, actor, change), TRANSACTIONS_AT_ONCE);
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

/** Gives members the roles that their groups give now, if these are others than before. */
export async function renewRoles(services: CoreServices, actor: Actor, entries: readonly EntryKey[]): Promise<void> {
  const keepGroups: PlanGroups = (groups) => ({ groups, writes: [], checks: [] });
  await mapConcurrently(entries, (entry) => changeEntry(services, actor, entry, keepGroups), TRANSACTIONS_AT_ONCE);
}

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
      const livingGroupIds = livingGroups.map(({ groupId }) => groupId);
      const isDemoted = membership && rolePlan.writes.length > 0 && role !== 'admin';
      return {
        result: isDemoted ? membership.accountId : undefined,
        writes: mergeChecks(joinChecks(roleChecks, checks), [
          planEntryChange(services, entry, { groups: livingGroupIds, role }),
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
