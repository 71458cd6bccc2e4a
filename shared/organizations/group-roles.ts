/** §5 The roles that groups of a company give, in its directory and in its company sign-in. */
import { ROLES, type Role } from '#shared/model/organizations/membership.ts';
import type { SignInSettings } from '#shared/model/organizations/sign-in-settings.ts';

/** Of people of whom no group gives a role, until Admins choose another one. */
export const DEFAULT_ROLE: Role = 'member';

/** Directories and providers write the name of a group in different cases. */
export const normalizeGroupName = (name: string): string => name.trim().toLowerCase();

/** The highest role that these groups give. If they give none, or there are no settings, the default role. */
export function findRoleOfGroups(
  settings: Pick<SignInSettings, 'defaultRole' | 'groupRoles'> | undefined,
  groups: readonly string[],
): Role {
  const names = new Set(groups.map(normalizeGroupName));
  const roles = new Set(
    (settings?.groupRoles ?? []).filter(({ group }) => names.has(normalizeGroupName(group))).map(({ role }) => role),
  );
  // From the highest to the lowest.
  return ROLES.find((role) => roles.has(role)) ?? settings?.defaultRole ?? DEFAULT_ROLE;
}
