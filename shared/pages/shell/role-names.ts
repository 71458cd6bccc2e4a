/** Display names of roles. */
import type { Role } from '#shared/model/organizations/membership.ts';

const NAMES: Readonly<Record<Role, string>> = {
  admin: 'Admin',
  actionsAdmin: 'Actions Admin',
  member: 'Member',
  guest: 'Guest',
};

export const getRoleName = (role: Role): string => NAMES[role];
