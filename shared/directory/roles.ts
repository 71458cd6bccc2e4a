/**
 * §5 The roles of people by the groups of their directory. A member gets another role only when the groups give another
 * one than before, so that a role that an Admin has set lasts until then.
 */
import type { AuditName } from '#shared/access/actions.ts';
import { type Check, check, update, type Write } from '#shared/engine/table/writes.ts';
import { type DirectoryEntry, directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { type DirectoryGroup, directoryGroups } from '#shared/model/directory/directory-group.ts';
import { type Membership, memberships, type Role } from '#shared/model/organizations/membership.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { type SignInSettings, signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import type { AuditEntry } from '#shared/organizations/change.ts';
import { lastAdmin } from '#shared/organizations/errors.ts';
import { findRoleOfGroups } from '#shared/organizations/group-roles.ts';
import { adjustAdminCount, countAsAdmin, expectUnchangedMembership } from '#shared/organizations/membership-rows.ts';
import type { CoreServices } from '#shared/services.ts';

export interface GroupRoleState {
  readonly role: Role;
  readonly groups: readonly DirectoryGroup[];
  /** Make a transaction fail if a group got another name, or the settings changed, after the role was looked up. */
  readonly checks: readonly Check[];
}

/** The role that these groups give now. */
export async function readRoleOfGroups(
  { table }: CoreServices,
  organizationId: string,
  groupIds: readonly string[],
): Promise<GroupRoleState> {
  const keys = groupIds.map((groupId) => ({ organizationId, groupId }));
  const [settings, storedGroups] = await Promise.all([
    table.get(signInSettings, { organizationId }, { consistent: true }),
    keys.length === 0 ? [] : table.getMany(directoryGroups, keys, { consistent: true }),
  ]);
  const groups = storedGroups.flatMap((group) => group ?? []);
  const names = groups.map(({ displayName }) => displayName);
  return {
    role: findRoleOfGroups(settings, names),
    groups,
    checks: [
      makeSettingsCheck(organizationId, settings),
      ...groups.filter(() => hasRoles(settings)).map(makeNameCheck),
    ],
  };
}

const hasRoles = (settings: SignInSettings | undefined): boolean => (settings?.groupRoles ?? []).length > 0;

const makeSettingsCheck = (organizationId: string, settings: SignInSettings | undefined): Check =>
  check(
    signInSettings,
    { organizationId },
    settings ? { path: 'updatedAt', equals: settings.updatedAt } : { absent: 'pk' },
  );

const makeNameCheck = (group: DirectoryGroup): Check =>
  check(directoryGroups, group, { path: 'displayName', equals: group.displayName });

interface RoleChange {
  readonly organization: Organization;
  readonly entry: DirectoryEntry;
  readonly membership: Membership | undefined;
  readonly role: Role;
}

interface RolePlan {
  readonly writes: readonly Write[];
  readonly record: readonly AuditEntry<AuditName<'members:provision'> & 'role changed'>[];
}

/** The writes for the membership, and none for the entry. Throws 409 for the last Admin. */
export function planRole({ organization, entry, membership, role }: RoleChange): RolePlan {
  if (!membership || entry.role === role || membership.role === role) return { writes: [], record: [] };
  const difference = countAsAdmin(role) - countAsAdmin(membership.role);
  if (difference < 0 && organization.admins < 2) throw lastAdmin();
  return {
    writes: [
      update(memberships, membership, { set: [['role', role]] }, expectUnchangedMembership(membership)),
      ...adjustAdminCount(organization, difference),
    ],
    record: [{ action: 'role changed', subject: membership.accountId, detail: `${membership.role} to ${role}` }],
  };
}

/** The write fails if the entry has changed since it was read. */
export const planEntryChange = (
  { now }: Pick<CoreServices, 'now'>,
  entry: DirectoryEntry,
  members: Partial<Pick<DirectoryEntry, 'groups' | 'role'>>,
): Write =>
  update(
    directoryEntries,
    entry,
    {
      set: [
        ...Object.entries(members).map(([name, value]) => [name, value] as const),
        ['updatedAt', now()],
        ['version', entry.version + 1],
      ],
    },
    { path: 'version', equals: entry.version },
  );
